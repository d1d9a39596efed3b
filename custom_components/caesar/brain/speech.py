"""An answer as a voice says it, made while it still streams. Pure.

No markup, code, tables, addresses, emoji or entity ids; numbers and units stay.
"""

import re
from typing import Final

from .reply import speak

# Where a piece of speech may end: what is said up to here can't change any more.
# A sentence may end within marks: "**Done.** And". In Chinese no blank comes after it.
_END: Final = re.compile(
    r"""\n|[.!?…:;][*_~"'”“»)]{0,6}\s"""
    r"""|[。！？][*_~"'”’」』）)]{0,6}(?:\s|(?=[^\s*_~"'”’」』）)]))"""
)
_LONGEST_END: Final = 8
# What stays open for longer is no link, tag or table; looking at it again costs time.
_LONGEST_OPEN: Final = 1000
_LINE_START: Final = 80
_FENCE: Final = "```"
_TAG: Final = re.compile(r"<[A-Za-z/!][^<>]*>")
_STRAY: Final = re.compile(r"(?<![\d\s*])\*+|\*+(?![\d\s*])")
_ENTITY: Final = re.compile(
    r"\b(?:alarm_control_panel|automation|binary_sensor|button|calendar|camera|climate|"
    r"cover|device_tracker|event|fan|group|humidifier|input_boolean|input_number|"
    r"input_select|light|lock|media_player|number|person|remote|scene|script|select|"
    r"sensor|siren|sun|switch|timer|todo|update|vacuum|valve|water_heater|weather|zone)"
    r"\.([a-z0-9]+(?:_[a-z0-9]+)*)\b"
)
_RULE: Final = re.compile(r"[\s|:=\-_*]*")


class Speech:
    """Makes streamed text speakable; the cuts between pieces change nothing."""

    def __init__(self) -> None:
        """Start a round with nothing held back."""
        self._held = ""
        self._looked = 0
        self._line = ""
        self._code = False

    def feed(self, text: str) -> str:
        """Return what can be said by now: whole sentences and lines."""
        self._held += text
        said = []
        # An end may come in several pieces.
        at = max(self._looked - _LONGEST_END, 0)
        while (end := _END.search(self._held, at)) is not None:
            at = end.end()
            if at <= _LONGEST_OPEN and not end[0].endswith("\n"):
                if self._whole_line() or _is_open(self._held[:at]):
                    continue
            said.append(self._say(self._held[:at]))
            self._held, at = self._held[at:], 0
        self._looked = len(self._held)
        return "".join(said)

    def rest(self) -> str:
        """Return what was held back, at the end of the answer."""
        held, self._held, self._looked = self._held, "", 0
        return self._say(held).rstrip()

    def _whole_line(self) -> bool:
        """Return whether the line is said at once or not at all."""
        line = (self._line + self._held[:_LINE_START]).lstrip()
        return self._code or line.startswith(("|", "`"))

    def _say(self, piece: str) -> str:
        begins = not self._line
        self._line = "" if piece.endswith("\n") else (self._line + piece)[:_LINE_START]
        words = piece.strip()
        if begins and words.startswith(_FENCE):
            self._code = not self._code
            return ""
        if self._code or not words or (begins and _RULE.fullmatch(words)):
            return ""
        if begins and words.startswith("|"):
            words = ", ".join(filter(None, map(str.strip, words.split("|"))))
        words = _ENTITY.sub(lambda found: found[1].replace("_", " "), words)
        # A mark within a line is no list: only the line's first piece has bullets.
        words = speak(_TAG.sub("", words))
        words = " ".join(_STRAY.sub("", words).split())
        if not words:
            return ""
        blank = " " if piece[-1].isspace() else ""
        return words + ("\n" if piece.endswith("\n") else blank)


def spoken(text: str) -> str:
    """Return a whole answer as a voice says it."""
    speech = Speech()
    return (speech.feed(text) + speech.rest()).strip()


def _is_open(text: str) -> bool:
    """Return whether a link, a tag or code has begun and not ended."""
    line = text.rpartition("\n")[2]
    link = line.rfind("[")
    if (
        link >= 0
        and re.match(r"\[[^\]]*\]\([^)]*\)|\[[^\]]*\][^(]", line[link:]) is None
    ):
        return True
    return line.count("`") % 2 == 1 or bool(re.search(r"<[A-Za-z/!][^<>]*$", line))

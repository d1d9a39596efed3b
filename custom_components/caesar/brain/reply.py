"""What of an answer is shown, and what is spoken."""

import re
from typing import Final

_IMAGE: Final = re.compile(r"!(?=\[)")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!])")
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_URL: Final = re.compile(r"https?://\S+")
_MARKS: Final = re.compile(
    r"(\*\*|__|~~|`+|^#{1,6}\s+|^\s*[-*+]\s+|^>\s?)", re.MULTILINE
)
_EMPHASIS: Final = re.compile(r"(?<!\w)[*_](\S(?:.*?\S)?)[*_](?!\w)")
_EMOJI: Final = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3]"
)


class Display:
    """Makes streamed text safe to show: links stay, images and markup don't.

    An image's address carries data out of the house without any tool call.
    """

    def __init__(self) -> None:
        """Start with nothing held back."""
        self._held = ""

    def feed(self, text: str) -> str:
        """Return what can be shown of the text so far."""
        text = self._held + text
        self._held = text[-1] if text.endswith(("!", "<")) else ""
        return show(text[: len(text) - len(self._held)])

    def rest(self) -> str:
        """Return what was held back, at the end of the answer."""
        held, self._held = self._held, ""
        return held


def show(text: str) -> str:
    """Return text whose images have become links and whose tags are inert."""
    return _TAG.sub("< ", _IMAGE.sub("", text))


def speak(text: str) -> str:
    """Return text as a voice should say it: no markup, links or emoji."""
    text = _LINK.sub(r"\1", show(text))
    text = _URL.sub("", text)
    text = _MARKS.sub("", text)
    text = _EMPHASIS.sub(r"\1", text)
    text = _EMOJI.sub("", text)
    return re.sub(r"[ \t]{2,}", " ", text).strip()

"""Beginning a list in a policy file without changing what the file says otherwise.

A file without lists lets everything be read; with its first list, only what is listed
counts. So whoever adds the first entry adds the reading that was free before.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from .edit import UneditableText, add_entry, add_line, has_key
from .engine import LoadedPolicy
from .impact import CORE_READS, HOUSE_TOOLS, READ_TOOLS, RECALL_TOOLS, Impact
from .modes import ALLOWED_SERVICES, ALLOWED_TOOLS, Mode

READING: Final = (
    "weather.get_forecasts",
    "calendar.get_events",
    "todo.get_items",
    "schedule.get_schedule",
    "recorder.get_statistics",
    "media_player.browse_media",
    "media_player.search_media",
)
"""Services of Home Assistant that fetch something and change nothing."""
LOOKING_UP: Final = tuple(sorted(READ_TOOLS - CORE_READS))
"""Tools that only look something up, beside those that read the house."""
_HOUSE_READS: Final = [
    tool for tool, impact in HOUSE_TOOLS.items() if impact is Impact.READ
]
_NOTE: Final = "Reading, as before this list was begun"


def with_list(text: str, policy: LoadedPolicy, key: str) -> str:
    """Return the text with the list `key` begun, if it isn't there.

    `policy` is what the text means now. Whatever it grants or refuses stays as it is.
    Raises UneditableText for a file that allows by patterns alone.
    """
    if policy.mode is Mode.EXPLICIT:
        raise UneditableText(
            "This file allows by patterns (bot.tool_policy.allow); a list beside them"
            " would rule out all that it doesn't name.",
            policy.scope.allow[0].line,
        )
    if policy.mode is Mode.LIST:
        if key == ALLOWED_TOOLS and not has_key(text, key):
            return _with(text, key, _reads(sorted(RECALL_TOOLS), policy.impacts))
        return text
    if not has_key(text, "version"):
        text = add_line(text, "version: 1")
    if policy.scope.writes_with_approval:
        # In a file with lists this is how to say the same.
        return add_line(add_line(text, "unlisted: ask"), f"{key}: []")
    owners = {each for each, impact in policy.impacts.items() if impact is Impact.READ}
    services = {*READING, *(each for each in owners if "." in each)}
    tools = {
        *LOOKING_UP,
        *_HOUSE_READS,
        *(each for each in owners if "." not in each),
    } - CORE_READS
    text = _with(text, ALLOWED_SERVICES, _reads(sorted(services), policy.impacts))
    return _with(text, ALLOWED_TOOLS, _reads(sorted(tools), policy.impacts))


def _reads(names: Iterable[str], impacts: Mapping[str, Impact]) -> list[str]:
    """Return those that the owner has not classed as more than reading."""
    return [each for each in names if impacts.get(each, Impact.READ) is Impact.READ]


def _with(text: str, key: str, entries: list[str]) -> str:
    if not entries:
        return add_line(text, f"{key}: []")
    note: str | None = _NOTE
    for entry in entries:
        text = add_entry(text, key, entry, note).text
        note = None
    return text

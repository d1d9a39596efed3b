"""What a caller may do, in groups that a person understands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..legion.canonical import Json
from ..policy.decision import Verdict
from ..policy.home import EntityFacts
from ..policy.impact import ENTRY_CLASSES
from ..wording import Wording
from .activity_words import verb_of

_SAID_BY_NAME: Final = 2
_SHOWN: Final = 5
_SPOKEN: Final = 5
_ORDER: Final = (Verdict.ALLOW, Verdict.ASK, Verdict.DENY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One thing that can be done to a kind of entities.

    `label` names many of them (`may_<label>`); `entry` tells doors, gates and garages
    from other covers; `data` is what the service needs besides.
    """

    label: str
    domain: str
    service: str
    verb: str = ""
    entry: bool | None = None
    data: Mapping[str, Json] | None = None

    def fits(self, facts: EntityFacts) -> bool:
        """Return whether it can be done to an entity."""
        return facts.domain == self.domain and self.entry in (
            None,
            facts.device_class in ENTRY_CLASSES,
        )


# In the order in which they are told.
DEEDS: Final = (
    Deed(label="lights", domain="light", service="turn_on"),
    Deed(label="switches", domain="switch", service="turn_on"),
    Deed(label="blinds", domain="cover", service="open_cover", entry=False),
    Deed(label="climates", domain="climate", service="set_temperature"),
    Deed(label="players", domain="media_player", service="media_play"),
    Deed(label="fans", domain="fan", service="turn_on"),
    Deed(label="humidifiers", domain="humidifier", service="turn_on"),
    Deed(label="vacuums", domain="vacuum", service="start"),
    Deed(label="mowers", domain="lawn_mower", service="start_mowing", verb="start"),
    Deed(label="valves", domain="valve", service="open_valve"),
    Deed(label="sirens", domain="siren", service="turn_on"),
    Deed(label="scenes", domain="scene", service="turn_on"),
    Deed(label="scripts", domain="script", service="turn_on"),
    Deed(label="lists", domain="todo", service="add_item", data={"item": "…"}),
    Deed(label="helpers", domain="input_boolean", service="turn_on"),
    Deed(label="entries", domain="cover", service="open_cover", entry=True),
    Deed(label="locks", domain="lock", service="lock"),
    Deed(label="locks", domain="lock", service="unlock"),
    Deed(label="alarms", domain="alarm_control_panel", service="alarm_arm_away"),
    Deed(label="alarms", domain="alarm_control_panel", service="alarm_disarm"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the policy lets a caller do of one deed; names of entities by verdict."""

    deed: Deed
    names: Mapping[Verdict, Sequence[str]]


def spoken(wording: Wording, judged: Sequence[Judged], place: str) -> str:
    """Return two or three sentences: what is allowed, what asks first, what is not."""
    parts = []
    for verdict in _ORDER:
        deeds = [
            _deed(wording, each.deed, names, _SAID_BY_NAME)
            for each in judged
            if (names := each.names.get(verdict))
        ]
        if left := len(deeds[_SPOKEN:]):
            more = wording.text("names_more", count=str(left))
            deeds = [*deeds[:_SPOKEN], more]
        if deeds:
            said = "; ".join(deeds)
            parts.append(wording.text(f"may_{verdict.value}", deeds=said))
    key = "may_place" if place else "may_house"
    if not parts:
        return wording.text("may_nothing_here")
    return " ".join((wording.text(key, place=place), *parts))


def shown(wording: Wording, judged: Sequence[Judged]) -> list[str]:
    """Return a line for each deed and verdict, with names."""
    return [
        wording.text(
            f"may_{verdict.value}", deeds=_deed(wording, each.deed, names, _SHOWN)
        )
        for verdict in _ORDER
        for each in judged
        if (names := each.names.get(verdict))
    ]


def _deed(wording: Wording, deed: Deed, names: Sequence[str], by_name: int) -> str:
    """Return "turn on 4 lights", or with their names if they are few."""
    count = len(names)
    if count <= by_name:
        targets = wording.names(names)
    elif by_name == _SHOWN:
        targets = wording.names(
            (
                *names[: by_name - 1],
                wording.text("names_more", count=str(count - by_name + 1)),
            )
        )
    else:
        targets = wording.text(f"may_{deed.label}", count=str(count))
    tool = f"{deed.domain}.{deed.service}"
    verb = deed.verb or verb_of(tool, targets)
    return wording.text(f"activity_do_{verb}", tool=tool, targets=targets)

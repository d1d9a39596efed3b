"""What is asked for before Home Assistant is killed, and the policy it is asked under."""

from dataclasses import dataclass
from typing import Any, Final

FRONT: Final = "lock.front_door"
SHED: Final = "lock.shed"
LOCKS: Final = "lock.outside_locks"
GARAGE: Final = "cover.garage_door"
SCRIPT: Final = "script.let_guests_in"
FOUNTAIN: Final = "switch.fountain"
PUMP: Final = "switch.garden_pump"
KETTLE: Final = "switch.kettle"
FAN: Final = "fan.bedroom_fan"
LAMP: Final = "light.bedroom_lamp"

GARAGE_RULE: Final = f"""\
  - service: cover.open_cover
    name: garage
    target: {{entity_id: [{GARAGE}]}}
    approval: always
"""
PIN_NAME: Final = "cellar"
# By voice, with a PIN; in force when there is one of that name.
SPOKEN_RULE: Final = f"""\
  - service: lock.unlock
    name: spoken
    for: {{origin: [voice]}}
    target: {{entity_id: [{SHED}]}}
    approval: always
    pin: {PIN_NAME}
"""
POLICY: Final = f"""\
version: 1
allowed_services:
{GARAGE_RULE}\
  - service: lock.unlock
    name: doors
    for: {{origin: [chat]}}
    target: {{entity_id: [{FRONT}, {SHED}, {LOCKS}]}}
    approval: always
  - service: script.turn_on
    name: guests
    target: {{entity_id: [{SCRIPT}]}}
  - service: switch.turn_on
    approval: always
  - service: fan.turn_on
    approval: always
  - service: light.turn_on
    approval: always
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Something that somebody asks for: in words that only the model understands."""

    words: str
    service: str
    entity_id: str

    @property
    def done(self) -> str:
        """Return what the model says when it believes it has done it."""
        return f"The model ends with {self.words}."

    def call(self) -> dict[str, Any]:
        """Return the model's call."""
        return {
            "tool": self.service.replace(".", "__"),
            "input": {"entity_id": self.entity_id},
        }

    def rule(self) -> dict[str, Any]:
        """Return what the model does when it hears the words."""
        return {"when": self.words, "rounds": [[self.call()], self.done]}


DOOR: Final = Case(words="granny arrives", service="lock.unlock", entity_id=FRONT)
CASES: Final = {
    "door": DOOR,
    "changed question": Case(
        words="spade wanted", service="lock.unlock", entity_id=SHED
    ),
    "changed turn": Case(
        words="splashing please", service="switch.turn_on", entity_id=FOUNTAIN
    ),
    "swapped": Case(words="roses dry", service="switch.turn_on", entity_id=PUMP),
    "swapped too": Case(words="tea wanted", service="switch.turn_on", entity_id=KETTLE),
    "forged yes": Case(words="sweaty night", service="fan.turn_on", entity_id=FAN),
    "policy": Case(words="car returns", service="cover.open_cover", entity_id=GARAGE),
    "script": Case(words="party begins", service="script.turn_on", entity_id=SCRIPT),
    "members": Case(words="gardeners come", service="lock.unlock", entity_id=LOCKS),
    "refused": Case(words="book open", service="light.turn_on", entity_id=LAMP),
}

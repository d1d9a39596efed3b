"""What a house is made of, as plain values."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """A floor; `aliases` are its names in other languages."""

    name: str
    level: int
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """A room or the garden; `floor` is the floor's name."""

    name: str
    floor: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One entity of the house.

    `value` is the state it starts with: "on" for a light, 21.5 for a sensor.
    `device` is the device's name; a thing without one is a device by itself.
    `exposed` says whether it is shared with Assist.
    """

    entity_id: str
    name: str
    area: str
    aliases: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    device: str | None = None
    device_class: str | None = None
    unit: str | None = None
    value: str | float | None = None
    colour: bool = False
    exposed: bool = True

    @property
    def domain(self) -> str:
        """The entity's domain."""
        return self.entity_id.split(".", 1)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A group helper, made through Home Assistant's own flow.

    `hide_members` is that flow's choice: hidden members are not exposed.
    """

    entity_id: str
    name: str
    members: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    hide_members: bool = False

    @property
    def domain(self) -> str:
        """The kind of the group, which is the domain of its entity."""
        return self.entity_id.split(".", 1)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A scene, script or automation from configuration.yaml, and how to share it."""

    entity_id: str
    exposed: bool
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A whole house."""

    floors: tuple[Floor, ...]
    areas: tuple[Area, ...]
    labels: tuple[str, ...]
    things: tuple[Thing, ...]
    groups: tuple[Group, ...] = ()
    saved: tuple[Saved, ...] = ()

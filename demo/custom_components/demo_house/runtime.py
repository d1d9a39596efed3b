"""What the platforms of the demo house share."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from homeassistant.config_entries import ConfigEntry

from .effects import EffectLog
from .model import Plan, Thing

if TYPE_CHECKING:
    from .assist_satellite import HouseSatellite

type DemoHouseConfigEntry = ConfigEntry[House]


@dataclass(slots=True, kw_only=True)
class House:
    """A built house; `satellite` is there once its platform is set up."""

    plan: Plan
    effects: EffectLog
    satellite: HouseSatellite | None = field(default=None)

    def things(self, domain: str) -> list[Thing]:
        """Return the things of a domain, in the plan's order."""
        return [thing for thing in self.plan.things if thing.domain == domain]

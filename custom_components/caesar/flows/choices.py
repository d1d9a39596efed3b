"""The choices of the set-up: who thinks, and which policy to start from."""

from pathlib import Path

from homeassistant.core import HomeAssistant
from homeassistant.helpers.selector import (
    AreaSelector,
    AreaSelectorConfig,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import probatio

from ..const import (
    CONF_CHILDRENS_ROOMS,
    CONF_POLICY,
    CONF_PROVIDER,
    DATA_FOLDER,
    POLICY_FILE,
    ProviderKind,
    StarterPolicy,
)

# The answer that asks for the starters of the second page.
MORE = "more"
# What most houses need, and what is for a few.
_MAIN = (StarterPolicy.EVERYDAY, StarterPolicy.FAMILY, StarterPolicy.READ_ONLY)
_OTHERS = tuple(policy for policy in StarterPolicy if policy not in _MAIN)

# Where the policy lies, as a person would look for it: below the configuration folder.
POLICY_SHOWN_PATH = f"{DATA_FOLDER}/{POLICY_FILE}"


def _policy_schema(options: list[str], translations: str) -> probatio.Schema:
    return probatio.Schema(
        {
            probatio.Required(CONF_POLICY, default=options[0]): SelectSelector(
                SelectSelectorConfig(
                    options=options,
                    mode=SelectSelectorMode.LIST,
                    translation_key=translations,
                )
            )
        }
    )


POLICY_SCHEMA = _policy_schema(
    [*(policy.value for policy in _MAIN), MORE], "starter_policy"
)
POLICY_MORE_SCHEMA = _policy_schema(
    [policy.value for policy in _OTHERS], "starter_policy_more"
)

FAMILY_SCHEMA = probatio.Schema(
    {
        probatio.Optional(CONF_CHILDRENS_ROOMS, default=list): AreaSelector(
            AreaSelectorConfig(multiple=True)
        )
    }
)

# A script that answers the policy step by its field's name is not wrong to do so
# where the question turns out not to arise.
POLICY_KEPT_SCHEMA = probatio.Schema({}, extra=probatio.REMOVE_EXTRA)


def provider_schema(default: str) -> probatio.Schema:
    """Return the form that asks who thinks; `default` is a ProviderKind's value."""
    return probatio.Schema(
        {
            probatio.Required(CONF_PROVIDER, default=str(default)): SelectSelector(
                SelectSelectorConfig(
                    options=[kind.value for kind in ProviderKind],
                    mode=SelectSelectorMode.LIST,
                    translation_key="provider",
                )
            )
        }
    )


async def has_policy_file(hass: HomeAssistant) -> bool:
    """Return whether the house has a policy already, whatever is in it."""
    path = Path(hass.config.path(DATA_FOLDER, POLICY_FILE))
    return await hass.async_add_executor_job(path.exists)

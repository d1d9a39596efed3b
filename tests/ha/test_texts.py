"""What the forms and actions say: nothing on the screen is a bare key."""

from collections.abc import Iterator
import json
from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers import service as service_helper
from homeassistant.helpers.selector import SelectSelector
from homeassistant.util.yaml import load_yaml_dict
import probatio
import pytest

from custom_components.caesar import flows
from custom_components.caesar.flows.account import (
    ACCOUNT_SCHEMA,
    BAD_ADDRESS,
    ERRORS,
    NEEDS_HTTPS,
    NO_MODELS,
    SERVER_ERRORS,
    model_schema,
    server_schema,
)
from custom_components.caesar.flows.agent import NAME_ONLY, with_model
from custom_components.caesar.flows.choices import (
    FAMILY_SCHEMA,
    POLICY_KEPT_SCHEMA,
    POLICY_MORE_SCHEMA,
    POLICY_SCHEMA,
    provider_schema,
)
from custom_components.caesar.flows.pipelines import assistants_schema

ROOT = Path(flows.__file__).parents[1]
WHO = provider_schema("builtin")
STEPS = {
    "config": {
        "user": WHO,
        "reconfigure": WHO,
        "anthropic": ACCOUNT_SCHEMA,
        "openai_compatible": server_schema("openai_compatible"),
        "ollama": server_schema("ollama"),
        "model": model_schema(()),
        "reauth_confirm": ACCOUNT_SCHEMA,
        "reauth_server": ACCOUNT_SCHEMA,
        "policy": POLICY_SCHEMA,
        "policy_more": POLICY_MORE_SCHEMA,
        "policy_kept": POLICY_KEPT_SCHEMA,
        "family": FAMILY_SCHEMA,
        "assistants": assistants_schema((), ()),
    },
    "config_subentries": {"agent": with_model(()), "agent_builtin": NAME_ONLY},
}


def texts(language: str) -> dict[str, Any]:
    """Return a language's texts."""
    file = ROOT / "translations" / f"{language}.json"
    loaded: dict[str, Any] = json.loads(file.read_text())
    return loaded


def fields(schema: probatio.Schema) -> Iterator[tuple[str | None, str, Any]]:
    """Yield section, name and validator of each field."""
    for field, kind in schema.schema.items():
        if hasattr(kind, "options"):
            for inner, inner_kind in kind.schema.schema.items():
                yield field.schema, inner.schema, inner_kind
        else:
            yield None, field.schema, kind


@pytest.mark.parametrize("language", ["en", "de"])
def test_forms(language: str) -> None:
    """Each step, section, field, option and error has its words."""
    said = texts(language)
    for kind, steps in STEPS.items():
        place = said[kind] if kind == "config" else said[kind]["conversation"]
        for step, schema in steps.items():
            words = place["step"][step]
            assert words["title"]
            assert words["description"]
            for section, name, selector in fields(schema):
                where = words["sections"][section] if section else words
                if section:
                    assert where["name"]
                assert where["data"][name]
                assert where["data_description"][name]
                if isinstance(selector, SelectSelector) and (
                    key := selector.config.get("translation_key")
                ):
                    offered = set(selector.config["options"])
                    assert offered == set(said["selector"][key]["options"])
    shown = {error for _, error in (*ERRORS.values(), *SERVER_ERRORS.values())}
    shown |= {"sdk_missing", "sdk_failed", "model_empty", "prices_incomplete"}
    shown |= {BAD_ADDRESS, NEEDS_HTTPS, NO_MODELS}
    assert shown == set(said["config"]["error"])


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_page_of_a_form_has_a_title(language: str) -> None:
    """Without one Home Assistant shows the integration's name, on every page alike."""
    known = texts(language)
    parts = {"config": known["config"], "options": known["options"]}
    parts |= known["config_subentries"]
    without = [
        f"{part}.{name}"
        for part, flow in parts.items()
        for name, step in flow["step"].items()
        if not step.get("title")
    ]
    assert without == []


async def test_actions(hass: HomeAssistant) -> None:
    """Home Assistant takes the actions' description; each field has its words."""
    described = await hass.async_add_executor_job(
        load_yaml_dict, str(ROOT / "services.yaml")
    )
    service_helper._SERVICES_SCHEMA(described)
    icons = json.loads((ROOT / "icons.json").read_text())["services"]
    assert set(icons) == set(described)
    for language in ("en", "de"):
        said = texts(language)["services"]
        assert set(said) == set(described)
        for action, description in described.items():
            assert said[action]["name"]
            assert said[action]["description"]
            offered = (description or {}).get("fields", {})
            assert set(said[action].get("fields", {})) == set(offered)

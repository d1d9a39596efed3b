"""The options' dialog of a person, over HTTP as the frontend takes it."""

from dataclasses import dataclass
import json
from pathlib import Path
import sqlite3
from typing import Any, Final

from custom_components.caesar.adapters.policy_file import PolicyFile
from tests.fakes.loop_guard import loop_guard
from tests.ha.house import CaesarHouse
from tests.ha.test_hostile import call

URL: Final = "/api/config/config_entries/options/flow"
STARTERS: Final = Path("custom_components/caesar/starters")
EVERYDAY: Final = (STARTERS / "everyday.yaml").read_text()
NOTHING: Final = "version: 1\nallowed_services: []\n"
LIGHT: Final = "light.kitchen_light"


@dataclass(slots=True, kw_only=True)
class Options:
    """The options dialog of one person."""

    house: CaesarHouse
    client: Any
    shown: dict[str, Any]

    async def menu(self, step: str) -> dict[str, Any]:
        """Open the options and choose a line of the menu."""
        self.shown = await self._post(URL, {"handler": self.house.entry.entry_id})
        assert (self.shown["type"], self.shown["step_id"]) == ("menu", "init")
        assert step in self.shown["menu_options"]
        return await self.send(next_step_id=step)

    async def send(self, **fields: Any) -> dict[str, Any]:
        """Send a form; return what comes next."""
        self.shown = await self._post(f"{URL}/{self.shown['flow_id']}", fields)
        return self.shown

    async def _post(self, url: str, data: dict[str, Any]) -> dict[str, Any]:
        with loop_guard():
            response = await self.client.post(url, json=data)
            assert response.status == 200, await response.text()
            shown: dict[str, Any] = await response.json()
        await self.house.hass.async_block_till_done()
        return shown

    @property
    def placeholders(self) -> dict[str, str]:
        """Return what fills the texts in."""
        found: dict[str, str] = self.shown["description_placeholders"]
        return found

    def field(self, name: str) -> dict[str, Any]:
        """Return a field of the form that is shown."""
        return next(each for each in self.shown["data_schema"] if each["name"] == name)

    def fields(self) -> list[str]:
        """Return the names of the form's fields."""
        return [each["name"] for each in self.shown["data_schema"]]

    def options_of(self, name: str) -> list[str]:
        """Return what can be chosen in a field."""
        options = self.field(name)["selector"]["select"]["options"]
        return [each["value"] if isinstance(each, dict) else each for each in options]

    def rows(self) -> dict[str, str]:
        """Return how the rows of the form stand."""
        return {
            each["name"]: each["default"]
            for each in self.shown["data_schema"]
            if "default" in each
        }


def file_of(options: Options) -> PolicyFile:
    """Return the policy file."""
    policy_file: PolicyFile = options.house.entry.runtime_data.policy_file
    return policy_file


async def on_disk(options: Options) -> str:
    """Return the file's text."""
    path = Path(options.house.hass.config.path("caesar", "policy.yaml"))
    return (await options.house.hass.async_add_executor_job(path.read_bytes)).decode()


async def change_by_hand(options: Options, text: str) -> None:
    """Change the file behind CAESAR's back."""
    path = Path(options.house.hass.config.path("caesar", "policy.yaml"))
    await options.house.hass.async_add_executor_job(path.write_text, text)


async def loaded_rows(options: Options) -> list[dict[str, Any]]:
    """Return what the trail says of policies that came into force."""

    def read() -> list[dict[str, Any]]:
        uri = f"file:{options.house.database}?mode=ro"
        with sqlite3.connect(uri, uri=True) as db:
            rows = db.execute(
                "SELECT payload FROM audit_log WHERE event_type = 'policy.loaded'"
                " ORDER BY id"
            ).fetchall()
        db.close()
        return [json.loads(payload) for (payload,) in rows]

    return await options.house.hass.async_add_executor_job(read)


async def verdict(options: Options, service: str, entity_id: str, **data: Any) -> str:
    """Have a model ask for something as the admin; return the code of what came."""
    name, arguments = call(service, {"entity_id": entity_id}, **data)
    report = await options.house.obey(name, arguments)
    error = report.outcomes[-1].error
    return error.code.value if error else "done"

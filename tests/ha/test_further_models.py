"""Further models: added in the UI, asked when the first one fails, and their repairs."""

import json
from pathlib import Path
import sqlite3
from typing import Any

from homeassistant.auth.models import User
from homeassistant.components.repairs import DOMAIN as REPAIRS
from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    SOURCE_USER,
    ConfigEntry,
    ConfigEntryState,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.caesar.adapters import model_issues
from custom_components.caesar.adapters.model_issues import ModelWatch
from custom_components.caesar.adapters.words import HouseWords
from custom_components.caesar.brain.loop import Finish, TurnResult
from custom_components.caesar.brain.provider import ErrorKind, ProviderError
from custom_components.caesar.const import DOMAIN, SUBENTRY_CONVERSATION, SUBENTRY_MODEL
from custom_components.caesar.flows.model_repairs import ModelKeyFlow
from custom_components.caesar.repairs import async_create_fix_flow
from custom_components.caesar.runtime_brains import house_title
from custom_components.caesar.turn import ToolOutcome
from tests.fakes.chat_completions_api import KEY, FakeChatApi
from tests.fakes.messages_script import Answer, Failure, Steps, Text
from tests.fakes.ollama_api import FakeOllama
from tests.fakes.parts import GateUnderTest
from tests.ha.model_servers import ask, chat, home_assistant, ollama, set_up

__all__ = ["chat", "home_assistant", "ollama"]


async def add(hass: HomeAssistant, entry: ConfigEntry) -> Any:
    """Begin to add a further model."""
    return await hass.config_entries.subentries.async_init(
        (entry.entry_id, SUBENTRY_MODEL), context={"source": SOURCE_USER}
    )


async def change(hass: HomeAssistant, entry: ConfigEntry, kind: str, key: str) -> Any:
    """Begin to change a subentry."""
    return await hass.config_entries.subentries.async_init(
        (entry.entry_id, kind),
        context={"source": SOURCE_RECONFIGURE, "subentry_id": key},
    )


async def answer(hass: HomeAssistant, shown: Any, **fields: Any) -> Any:
    """Send a form and return what comes next, with everything settled."""
    result = await hass.config_entries.subentries.async_configure(
        shown["flow_id"], fields
    )
    await hass.async_block_till_done()
    return result


async def further(hass: HomeAssistant, entry: ConfigEntry, server: FakeChatApi) -> str:
    """Add a server's model through the forms; return its id."""
    shown = await answer(hass, await add(hass, entry), next_step_id="openai_compatible")
    shown = await answer(hass, shown, url=server.url, api_key=server.key)
    await answer(hass, shown, model=server.model, name="Helper")
    (model,) = entry.get_subentries_of_type(SUBENTRY_MODEL)
    return model.subentry_id


def chosen(entry: ConfigEntry) -> dict[str, Any]:
    """Return the data of the first agent."""
    (agent,) = entry.get_subentries_of_type(SUBENTRY_CONVERSATION)
    return dict(agent.data)


async def choose(hass: HomeAssistant, entry: ConfigEntry, **section: Any) -> Any:
    """Choose further models in the agent's form; return what comes of it."""
    (agent,) = entry.get_subentries_of_type(SUBENTRY_CONVERSATION)
    shown = await change(hass, entry, SUBENTRY_CONVERSATION, agent.subentry_id)
    data = agent.data
    return await answer(
        hass,
        shown,
        name=agent.title,
        brain="builtin_first",
        model=data["model"],
        prompt="",
        persona={"persona_name": "", "persona_tone": "plain"},
        limits={"max_iterations": 5, "max_tokens": 1024},
        further_models=section,
    )


async def test_forms(
    hass: HomeAssistant, chat: FakeChatApi, ollama: FakeOllama
) -> None:
    """A model is tried, named and changed; an agent has those that it was given."""
    entry = await set_up(hass, ollama)
    shown = await answer(hass, await add(hass, entry), next_step_id="openai_compatible")
    wrong = await answer(hass, shown, url=chat.url, api_key="sk-wrong")
    assert wrong["errors"] == {"api_key": "server_auth"}
    shown = await answer(hass, wrong, url=chat.url, api_key=KEY)
    wrong = await answer(hass, shown, model=" ")
    assert wrong["errors"] == {"model": "model_empty"}
    await answer(hass, wrong, model=chat.model)
    (model,) = entry.get_subentries_of_type(SUBENTRY_MODEL)
    assert model.title == chat.model
    kept = {
        "provider": "openai_compatible",
        "url": chat.url,
        "api_key": KEY,
        "model": chat.model,
    }
    assert dict(model.data) == kept

    shown = await change(hass, entry, SUBENTRY_MODEL, model.subentry_id)
    assert KEY not in str(shown)
    other = await answer(hass, shown, url="http://localhost:9/v1")
    assert other["errors"], "the key isn't sent to another server"
    shown = await answer(hass, other, url=chat.url)
    await answer(hass, shown, model="another-model", name=" Helper ", patience=7)
    model = entry.subentries[model.subentry_id]
    assert model.title == "Helper"
    assert model.data == {**kept, "model": "another-model", "patience": 7}

    again = await answer(hass, await add(hass, entry), next_step_id="ollama")
    again = await answer(hass, again, url=ollama.url)
    taken = await answer(hass, again, model=ollama.model.name, name="helper")
    assert taken["errors"] == {"name": "name_taken"}

    done = await choose(hass, entry, chain=[model.subentry_id], patience=9)
    assert done["reason"] == "reconfigure_successful"
    assert chosen(entry)["chain"] == [model.subentry_id]
    assert chosen(entry)["patience"] == 9
    runtime = entry.runtime_data
    links = next(iter(runtime.assistants.values()))._providers
    assert [(each.key, each.patience_s) for each in links] == [
        ("builtin", 15),
        ("own", 9),
        (model.subentry_id, 7),
    ]
    await choose(hass, entry)
    assert not {"chain", "patience"} & chosen(entry).keys()


async def test_no_further_model_without_a_first(hass: HomeAssistant) -> None:
    """It would never be asked."""
    entry = MockConfigEntry(
        domain=DOMAIN, data={"provider": "builtin", "starter_policy": "everyday"}
    )
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    assert (await add(hass, entry))["reason"] == "no_first_model"


async def test_it_takes_over_and_its_troubles_are_told(
    hass: HomeAssistant,
    hass_admin_user: User,
    chat: FakeChatApi,
    ollama: FakeOllama,
) -> None:
    """The next answers, the trail says so; a repair leads to the form of its key."""
    assert await async_setup_component(hass, REPAIRS, {})
    entry = await set_up(hass, ollama)
    key = await further(hass, entry, chat)
    await choose(hass, entry, chain=[key])
    assert entry.state is ConfigEntryState.LOADED
    ollama.script = Steps(Failure(status=500), Answer(blocks=[Text(text="Mine.")]))
    chat.script = Steps(*[Answer(blocks=[Text(text="Hers.")])] * 2)
    said = [await ask(hass, hass_admin_user) for _ in range(2)]
    assert [each["answer"] for each in said] == ["Hers.", "Hers."]
    # The second turn didn't wait for it again.
    assert len(ollama.rounds) == 1
    summaries = await hass.async_add_executor_job(_summaries, hass)
    assert [each["provider"] for each in summaries] == ["openai_compatible"] * 2
    assert [
        (one["provider"], one["error"], one["rested"])
        for each in summaries
        for one in each["fallbacks"]
    ] == [("ollama", "unavailable", False), ("ollama", "unavailable", True)]

    chat.key = "sk-new"
    said.append(await ask(hass, hass_admin_user))
    # The first one rests, but a person who waits is better off with a try of one.
    assert said[-1]["answer"].startswith("Helper no longer accepts its key.")
    issue = ir.async_get(hass).async_get_issue(DOMAIN, f"{model_issues.KEY}_{key}")
    assert issue is not None
    assert issue.is_fixable
    assert issue.translation_placeholders == {"name": "Helper"}
    flow = await async_create_fix_flow(hass, issue.issue_id, issue.data)
    assert isinstance(flow, ModelKeyFlow)
    flow.hass, flow.issue_id = hass, issue.issue_id
    menu = await flow.async_step_init()
    assert menu["menu_options"] == ["open", "ignore"]
    opened = await flow.async_step_open()
    assert opened["reason"] == "goes_on"
    (form,) = hass.config_entries.subentries.async_progress()
    assert form["step_id"] == "openai_compatible"
    shown = await answer(hass, form, url=chat.url, api_key="sk-new")
    await answer(hass, shown, model=chat.model, name="Helper")
    assert ir.async_get(hass).async_get_issue(DOMAIN, issue.issue_id) is None
    assert entry.subentries[key].data["api_key"] == "sk-new"


def _summaries(hass: HomeAssistant) -> list[dict[str, Any]]:
    path = Path(hass.config.path("caesar", "caesar.db"))
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    rows = db.execute(
        "SELECT payload FROM audit_log WHERE event_type = 'chat.completed' ORDER BY id"
    ).fetchall()
    db.close()
    return [json.loads(payload) for (payload,) in rows]


async def test_repairs_come_and_go(hass: HomeAssistant) -> None:
    """One for each model and kind, gone at the next answer; ignored ones stay so."""
    registry = ir.async_get(hass)
    asked: list[int] = []
    own = ModelWatch(hass, "own", "Claude", lambda: asked.append(1))
    helper = ModelWatch(hass, "h1", "Hel*per*")
    for watch in (own, helper):
        for kind in ErrorKind:
            watch.failed(ProviderError(kind))
    assert {issue_id for _, issue_id in registry.issues} == {
        "model_quota_own",
        "model_quota_h1",
        "model_key_h1",
    }
    assert asked == [1]
    own.answered()
    ir.async_ignore_issue(hass, DOMAIN, "model_quota_h1", True)
    helper.answered()
    assert {issue_id for _, issue_id in registry.issues} == {"model_quota_h1"}
    model_issues.async_unavailable(hass, "h1", "Helper")
    model_issues.async_start_afresh(hass)
    assert {issue_id for _, issue_id in registry.issues} == {"model_quota_h1"}


@pytest.mark.parametrize(
    ("language", "done", "named", "unnamed"),
    [
        ("en", "CAESAR turned on Lamp. Then", "Helper ", "The model "),
        ("de", "CAESAR hat Lamp eingeschaltet. Danach", "Helper ", "Das Modell "),
    ],
)
async def test_words(
    hass: HomeAssistant, language: str, done: str, named: str, unnamed: str
) -> None:
    """Each cause is said short, of whom, with what was done before it."""
    hass.states.async_set("light.lamp", "on", {"friendly_name": "Lamp"})

    async def nobody(*_: object) -> str:
        raise AssertionError

    words = HouseWords(hass, nobody)
    turn = GateUnderTest().turn()
    turn.language = language
    did = ToolOutcome(
        request_id="1", tool="light.turn_on", target=("light.lamp",), executed=True
    )
    heard: set[str] = set()
    for kind in ErrorKind:
        result = TurnResult(text="", finish=Finish.PROVIDER_ERROR, error=kind)
        plain = await words.for_result(turn, "go", result)
        assert plain.startswith(unnamed)
        assert len(plain) < 160
        heard.add(plain)
        result = TurnResult(
            text="",
            finish=Finish.PROVIDER_ERROR,
            error=kind,
            brain="Helper",
            outcomes=(did,),
        )
        after = await words.for_result(turn, "go", result)
        assert after.startswith(done)
        assert after.endswith(plain.replace(unnamed, named, 1))
    assert len(heard) == len(ErrorKind)
    for finish in (Finish.TEXT, Finish.CAP, Finish.TIMEOUT, Finish.QUOTA):
        result = TurnResult(text="", finish=finish, outcomes=(did,))
        assert (await words.for_result(turn, "go", result)).startswith(done[:20])
    inside = TurnResult(
        text="",
        finish=Finish.PROVIDER_ERROR,
        error=ErrorKind.UNAVAILABLE,
        provider="builtin",
    )
    assert "CAESAR" in await words.for_result(turn, "go", inside)


@pytest.mark.parametrize(
    ("data", "title"),
    [
        ({"provider": "anthropic"}, "Claude"),
        ({"provider": "ollama"}, "Ollama"),
        ({"provider": "builtin"}, ""),
        (
            {"provider": "openai_compatible", "url": "https://api.openai.com/v1"},
            "OpenAI",
        ),
        ({"provider": "openai_compatible", "url": "http://box:8080/v1"}, ""),
    ],
)
def test_what_people_call_it(data: dict[str, Any], title: str) -> None:
    """A server without a name that people know is the model."""
    assert house_title(data) == title

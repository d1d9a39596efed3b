"""What a person sees: CAESAR is set up by clicks, then asked in Assist."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
import re
import sqlite3

import aiohttp
from playwright.async_api import expect
import pytest

from house.client import Client, Site
from house.moving_in import AGENT, build_house, give_assist_to_caesar
from house.onboarding import OWNER, PASSWORD, owner as owner_of, until_running, until_up
from house.process import home_assistant
from house.seed import free_port, prepare
from tests.fakes.messages_api import KEY, FakeMessagesApi
from tests.fakes.messages_script import Rules

from .browser import Window, window

pytestmark = pytest.mark.usefixtures("socket_enabled")

# Of all that Home Assistant writes into its log only these may be warnings, and what
# aiohttp says by itself when a browser reloads while it is being written to.
HARMLESS = re.compile(r"custom integration|Skipping pip")
GONE = (
    "ClientConnectionResetError exception in shielded future",
    "Task exception was never retrieved",
)
RESET = "aiohttp.client_exceptions.ClientConnectionResetError: "
WITTY = {
    "rules": [
        {"when": "Witz", "rounds": ["Warum hat das Licht frei? Es ist ausgegangen."]}
    ]
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """A running Home Assistant without CAESAR, and a browser that is logged in."""

    owner: Client
    window: Window
    folder: Path

    async def state(self, entity_id: str) -> str:
        """Return the state of an entity, as Home Assistant has it."""
        answer = await self.owner.request("GET", f"/api/states/{entity_id}")
        return str(answer["state"])

    async def recorded(self, event_type: str) -> None:
        """Wait until the recorder has written an event of this type.

        A page of Activity that is opened before the first one of a type is written
        makes the recorder believe, until it restarts, that there is no such type.
        """
        uri = f"file:{self.folder / 'home-assistant_v2.db'}?mode=ro"
        async with asyncio.timeout(30):
            while True:
                with closing(sqlite3.connect(uri, uri=True)) as db:
                    found = db.execute(
                        "SELECT 1 FROM event_types WHERE event_type = ?", (event_type,)
                    ).fetchone()
                if found:
                    return
                await asyncio.sleep(0.2)


@asynccontextmanager
async def home(
    folder: Path,
    language: str,
    model_url: str | None = None,
    harmless: re.Pattern[str] = HARMLESS,
) -> AsyncIterator[Home]:
    """Start the demo house and open it; nothing may have gone wrong at the end.

    `harmless` are the warnings that the test itself asks for.
    """
    port = free_port()
    prepare(folder, port, None)
    async with AsyncExitStack() as stack:
        process = await stack.enter_async_context(home_assistant(folder, model_url))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        site = Site(session=session, base=f"http://127.0.0.1:{port}")
        await until_up(site, process)
        owner = await owner_of(site)
        await until_running(owner, process)
        await build_house(owner, None)
        opened = await stack.enter_async_context(window(site.base, language))
        await opened.log_in(OWNER, PASSWORD)
        yield Home(owner=owner, window=opened, folder=folder)
        assert opened.outside == []
        assert opened.errors == []
    assert complaints((folder / "home-assistant.log").read_text(), harmless) == []


def complaints(log: str, harmless: re.Pattern[str] = HARMLESS) -> list[str]:
    """Return the warnings and errors of a log, with their tracebacks."""
    entries = re.split(r"^(?=\d{4}-\d\d-\d\d )", log, flags=re.MULTILINE)
    loud = [entry for entry in entries if re.search(" (WARNING|ERROR) ", entry)]
    return [
        entry
        for entry in loud
        if not harmless.search(entry) and not browser_left(entry)
    ]


def browser_left(entry: str) -> bool:
    """Return whether nothing but aiohttp met the end of a connection."""
    files = re.findall(r'File "([^"]+)"', entry)
    return (
        any(words in entry for words in GONE)
        and entry.splitlines()[-1].startswith(RESET)
        and bool(files)
        and all("/aiohttp/" in file for file in files)
    )


@pytest.mark.parametrize("gone", GONE)
def test_what_is_a_complaint(gone: str) -> None:
    """A browser that leaves is none; the same from any code of a component is one."""
    notice = (
        "2026-11-30 21:35:22.494 WARNING (S) [loader] We found a custom integration\n"
    )
    left = (
        f"2026-11-30 21:35:34.979 ERROR (M) [homeassistant] Error doing job: {gone}\n"
    )
    inside = 'Traceback\n  File "/x/aiohttp/_websocket/writer.py", line 247, in w\n'
    end = f"{RESET}Cannot write to closing transport\n"
    assert complaints(notice + left + inside + end) == []
    ours = 'Traceback\n  File "/x/caesar/gate.py", line 1, in w\n'
    for entry in (ours + end, inside + ours + end, inside + "ValueError\n", end):
        assert complaints(left + entry) == [left + entry]


async def begin(window: Window, add: str) -> None:
    """Find CAESAR among the integrations; its first form is open then."""
    await window.go("/config/integrations/dashboard")
    await window.page.get_by_text(add).last.click()
    dialog = window.page.locator("dialog-add-integration")
    await dialog.locator("input:visible").first.wait_for()
    await window.page.keyboard.type("CAESAR")
    found = dialog.get_by_text("CAESAR", exact=True).first
    await found.wait_for()
    await window.shoot("01-add-integration")
    await found.click()


async def sees(window: Window, *texts: str) -> None:
    """Wait until the open form shows all of this."""
    for text in texts:
        await expect(window.flow.get_by_text(text).first).to_be_visible()


async def press(window: Window, name: str) -> None:
    """Press a button of the open form."""
    await window.flow.get_by_role("button", name=name).last.click()


async def open_assist(window: Window) -> None:
    """Open the conversation, as the key a does."""
    await window.go("/home/overview")
    await expect(
        window.page.locator("hui-view, home-assistant-main").first
    ).to_be_visible()
    await window.page.keyboard.press("a")
    await greeted(window)


async def greeted(window: Window) -> None:
    """Wait until the conversation is open and has said its first words."""
    await window.assist.locator("input").first.wait_for()
    await window.assist.locator(".message.hass").first.wait_for()


async def ask(window: Window, text: str, answer: str) -> None:
    """Say something, and wait for an answer that holds these words."""
    answers = window.assist.locator(".message.hass")
    before = await answers.count()
    field = window.assist.locator("input").first
    await field.fill(text)
    await field.press("Enter")
    words = answers.nth(before).locator("ha-markdown").last.get_by_text(answer)
    await expect(words.last).to_be_visible()
    # At once: an answer that is still being rendered is replaced while one waits.
    await words.last.evaluate("(each) => each.scrollIntoView()")


async def test_english(tmp_path: Path) -> None:
    """Built-in brain, everyday policy: three screens, and one can talk."""
    async with home(tmp_path, "en-US") as house:
        shown = house.window
        await begin(shown, "Add integration")
        await sees(
            shown, "Who thinks?", "Built-in: quick, private", "Claude by Anthropic"
        )
        await shown.shoot("02-who-thinks")
        await press(shown, "Next")
        await sees(shown, "What may CAESAR do?", "Everyday", "Read only", "Never:")
        await shown.shoot("03-policy")
        await press(shown, "Next")
        await sees(shown, "Which voice assistants go through CAESAR?")
        await press(shown, "Submit")
        await sees(shown, "CAESAR is ready")
        await shown.shoot("04-ready")
        await press(shown, "Skip and finish")

        await shown.go("/config/integrations/integration/caesar")
        await expect(shown.page.get_by_role("button", name="Add agent")).to_be_visible()
        await shown.shoot("05-entry")
        await shown.page.get_by_role("button", name="Add agent").click()
        await sees(shown, "This CAESAR has no model")
        await shown.shoot("06-add-agent")

        await talk(house)

        await house.recorded("caesar_approval_decided")
        await shown.go("/logbook")
        for said in (
            "CAESAR turned on Kitchen light",
            "CAESAR asks whether it may unlock Front door",
            "CAESAR unlocked Front door",
        ):
            await expect(shown.page.get_by_text(said).first).to_be_visible()
        await shown.shoot("08-activity")

        await shown.go("/config/integrations/integration/caesar")
        await shown.page.get_by_role("button", name="Configure").first.click()
        await sees(shown, "CAESAR's options", "Recently refused", "PINs for voice")
        await shown.shoot("09-options")
        await shown.flow.get_by_text("What CAESAR may do", exact=True).click()
        await sees(shown, "Garage doors, gates and doors", "Scenes and scripts")
        await shown.shoot("10-form")
        await shown.page.keyboard.press("Escape")


async def talk(house: Home) -> None:
    """Switch a light, be asked first, ask why, and have it forgotten."""
    shown = house.window
    await open_assist(shown)
    assert await house.state("light.kitchen_light") == "off"
    await ask(shown, "turn on the kitchen light", "Turned on")
    assert await house.state("light.kitchen_light") == "on"
    await ask(shown, "unlock the front door", "Shall I unlock Front door")
    assert await house.state("lock.front_door") == "locked"
    await ask(shown, "which lights are on?", "Kitchen light")
    # Only the very next message counts.
    await ask(shown, "yes", "I didn't understand that")
    assert await house.state("lock.front_door") == "locked"
    await ask(shown, "unlock the front door", "Shall I unlock Front door")
    await ask(shown, "yes", "Unlocking")
    assert await house.state("lock.front_door") == "unlocked"
    await shown.shoot("07-assist")
    await ask(shown, "why did you do that", "You said yes to it.")
    await ask(shown, "forget this conversation", "I've forgotten this")
    await shown.shoot("11-forgotten")
    await ask(shown, "turn it off again", "I didn't understand that")


async def test_german(tmp_path: Path) -> None:
    """Claude with a wrong key first, then a good one; then an agent is changed."""
    async with (
        FakeMessagesApi(Rules(WITTY)) as model,
        home(tmp_path, "de-DE", model.url) as house,
    ):
        shown = house.window
        await begin(shown, "Integration hinzufügen")
        await sees(shown, "Wer denkt?", "Eingebaut: schnell, privat")
        await shown.flow.get_by_text("Claude von Anthropic").click()
        await shown.shoot("02-who-thinks")
        await press(shown, "Weiter")
        await sees(shown, "Dein Schlüssel für Claude", "Anthropic-Konsole")
        key = shown.flow.locator("input[type=password]")
        await key.fill("sk-wrong")
        await press(shown, "Weiter")
        await sees(shown, "Anthropic nimmt diesen Schlüssel nicht an.")
        await shown.shoot("03-wrong-key")
        await key.fill(KEY)
        await press(shown, "Weiter")
        await sees(shown, "Was darf CAESAR?", "Alltag", "Nur lesen")
        await shown.shoot("04-policy")
        await press(shown, "Weiter")
        await sees(shown, "Welche Sprachassistenten laufen über CAESAR?")
        await press(shown, "OK")
        await sees(shown, "CAESAR ist bereit")
        await shown.shoot("05-ready")
        await press(shown, "Überspringen und fertigstellen")

        await shown.go("/config/integrations/integration/caesar")
        await shown.page.get_by_role("button", name="Agent hinzufügen").click()
        await sees(shown, "Wer antwortet", "Anweisungen", "Persönlichkeit", "Grenzen")
        for section in ("Persönlichkeit", "Grenzen"):
            await shown.flow.get_by_text(section, exact=True).click()
        await sees(shown, "Alles Feinere gehört", "Runden je Frage")
        await shown.shoot("06-add-agent")
        await shown.flow.locator("input").first.fill("Butler")
        await press(shown, "OK")
        await expect(shown.page.get_by_text("Butler").first).to_be_visible()
        await shown.shoot("07-two-agents")

        await give_assist_to_caesar(house.owner)
        async with house.owner.socket() as socket:
            listed = await socket.command("assist_pipeline/pipeline/list")
            (german,) = [
                pipeline["id"]
                for pipeline in listed["pipelines"]
                if (pipeline["conversation_engine"], pipeline["language"])
                == (AGENT, "de")
            ]
            await socket.command(
                "assist_pipeline/pipeline/set_preferred", pipeline_id=german
            )
        await open_assist(shown)
        await ask(shown, "Mach das Küchenlicht an", "eingeschaltet")
        assert await house.state("light.kitchen_light") == "on"
        await ask(shown, "Schließ die Haustür auf", "aufschließen")
        assert await house.state("lock.front_door") == "locked"
        await ask(shown, "Erzähl mir einen Witz", "Es ist ausgegangen.")
        await shown.shoot("08-assist")

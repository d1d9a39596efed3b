"""What a person sees when tools are added: workers, web search, calendars."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
import re

from playwright.async_api import expect
import pytest

from custom_components.caesar.legion.keys import Identity
from house.calendar_seed import seed
from tests.fakes.servers import running_servers
from tests.ha.workers.hosts import Host, changed
from tests.ha.workers_flow.peers import DICE, PRINTER

from .browser import Window
from .test_browser import HARMLESS, Home, begin, home, press, sees

pytestmark = pytest.mark.usefixtures("socket_enabled")

# The worker says something else than before, on purpose.
EXPECTED = re.compile(f"{HARMLESS.pattern}|The worker shed is refused")
SENSOR = "binary_sensor.shed_connection"
KEY = re.compile(r"U[A-Z2-7]{55}")
HOSTILE = changed(
    DICE,
    name="weather",
    title="Weather ![x](http://192.0.2.1/x.png)",
    description="Says <b>what</b> [you](http://192.0.2.1) want.\n# Heading",
    sentences={"en": ("what is the weather in {place}", "{q}"), "de": ("{q}",)},
)


async def set_up(window: Window, add: str, *pages: tuple[str, str]) -> None:
    """Add CAESAR with what is proposed: of each page its title and its button."""
    await begin(window, add)
    for title, button in pages:
        await sees(window, title)
        await press(window, button)
    await window.go("/config/integrations/integration/caesar")


async def open_form(window: Window, name: str) -> None:
    """Press the button of CAESAR's entry that adds something."""
    await window.page.get_by_role("button", name=name).click()


async def house_key(window: Window) -> str:
    """Return the key of the house as the form shows it."""
    shown = window.flow.locator("code").filter(has_text=KEY).first
    await expect(shown).to_be_visible()
    return (await shown.inner_text()).strip()


async def field(window: Window, number: int, value: str) -> None:
    """Fill in a field of the open form, counted from 0."""
    await window.flow.locator("input:visible").nth(number).fill(value)


async def test_english(tmp_path: Path) -> None:
    """A worker by address and key; then SearXNG, which has to be allowed JSON first."""
    (tmp_path / "home").mkdir()
    async with home(tmp_path / "home", "en-US", harmless=EXPECTED) as house:
        shown = house.window
        await set_up(
            shown,
            "Add integration",
            ("Who thinks?", "Next"),
            ("What may CAESAR do?", "Next"),
            ("Which voice assistants go through CAESAR?", "Submit"),
            ("CAESAR is ready", "Skip and finish"),
        )
        await shown.shoot("20-entry")

        await open_form(shown, "Add worker")
        await sees(shown, "CAESAR_LEGION__HA_PUBLIC_KEY", "192.168.1.20:8765")
        worker = Host(await house_key(shown))
        await worker.start(DICE, HOSTILE)
        try:
            await field(shown, 0, f"127.0.0.1:{worker.port}")
            await field(shown, 1, worker.key[:-2] + "AA")
            await press(shown, "Next")
            await sees(shown, "This is not a complete key")
            await shown.shoot("21-worker-wrong-key")
            await field(shown, 1, worker.key)
            await press(shown, "Next")
            await sees(shown, "What the worker brings", "only looks, changes nothing")
            await sees(shown, "[you](http://192.0.2.1)", "will not listen for")
            assert await shown.flow.locator("a[href*='192.0.2.1'], img").count() == 0
            await shown.shoot("22-worker-tools")
            await press(shown, "Next")
            await sees(shown, "May the tools be used?", "approval: always")
            await shown.flow.get_by_text("Ask: whoever may approve").click()
            await shown.shoot("23-worker-rule")
            await press(shown, "Submit")
            await expect(shown.page.get_by_text("shed").first).to_be_visible()
            policy = (house.folder / "caesar" / "policy.yaml").read_text()
            assert "- tool: dice\n    approval: always\n" in policy
        finally:
            await worker.stop()

        # It comes back with other words.
        loaded = changed(DICE, description="Rolls loaded dice.")
        await worker.start(loaded, HOSTILE, PRINTER, version="1.1")
        try:
            await add_search(shown, tmp_path)
            await mend_worker(house)
        finally:
            await worker.stop()


async def add_search(shown: Window, folder: Path) -> None:
    """Add SearXNG, which has to be allowed JSON first."""
    with running_servers(folder / "refusing", "--no-json") as refusing:
        await shown.go("/config/integrations/integration/caesar")
        await open_form(shown, "Add web search")
        await sees(shown, "Who searches the web", "a server of your own, no key")
        await shown.shoot("24-search")
        await shown.flow.get_by_text("SearXNG: a server of your own").click()
        await field(shown, 0, refusing.search)
        await press(shown, "Submit")
        await sees(shown, "doesn't answer in JSON")
        await shown.shoot("25-search-no-json")
    with running_servers(folder / "servers") as servers:
        await field(shown, 0, servers.search)
        await press(shown, "Submit")
        await expect(shown.page.get_by_text("SearXNG").first).to_be_visible()
        await shown.go("/config/integrations/integration/caesar")
        await shown.shoot("26-entry")


async def serves(house: Home, tool: str) -> None:
    """Wait until the worker of this test can be asked for a tool."""
    async with asyncio.timeout(90):
        while True:
            answer = await house.owner.request("GET", f"/api/states/{SENSOR}")
            if tool in answer["attributes"].get("tools", ()):
                return
            await asyncio.sleep(0.2)


async def is_told(house: Home, kind: str) -> None:
    """Wait until a repair of a kind is there; a hello that got lost is said again."""
    async with asyncio.timeout(90), house.owner.socket() as socket:
        while True:
            told = await socket.command("repairs/list_issues")
            if kind in {issue["translation_key"] for issue in told["issues"]}:
                return
            await asyncio.sleep(0.2)


async def mend_worker(house: Home) -> None:
    """Look at what a worker says otherwise, confirm it, and look at what is new."""
    shown = house.window
    # The next hello would be up to 30 s away.
    entries = "/api/config/config_entries/entry"
    entry = (await house.owner.request("GET", f"{entries}?domain=caesar"))[0][
        "entry_id"
    ]
    await house.owner.request("POST", f"{entries}/{entry}/reload")
    await is_told(house, "worker_changed")
    await shown.go("/config/repairs")
    await shown.page.get_by_text("A worker's tools have changed").first.click()
    await sees(shown, "Rolls loaded dice.", "I know of this change")
    await shown.shoot("27-worker-changed")
    await shown.flow.get_by_text("I know of this change").click()
    await serves(house, "dice")
    await is_told(house, "worker_more")
    await shown.go("/config/repairs")
    await shown.page.get_by_text("A worker offers more tools").first.click()
    await sees(shown, "offers tools that you haven't added")
    await shown.shoot("28-worker-more")
    await shown.flow.get_by_text("Look at them").click()
    await sees(shown, "Change the worker", "A worker with a new key is a new worker")
    await shown.shoot("29-worker-change")
    await press(shown, "Next")
    await sees(shown, "What the worker brings", "Printer")
    await shown.flow.get_by_text("Printer (printer)", exact=True).click()
    await shown.shoot("30-worker-more-tools")
    await press(shown, "Submit")
    await serves(house, "printer")


async def test_german(tmp_path: Path) -> None:
    """A calendar with a wrong password first, then the right one."""
    (tmp_path / "home").mkdir()
    async with home(tmp_path / "home", "de-DE") as house:
        shown = house.window
        await set_up(
            shown,
            "Integration hinzufügen",
            ("Wer denkt?", "Weiter"),
            ("Was darf CAESAR?", "Weiter"),
            ("Welche Sprachassistenten laufen über CAESAR?", "OK"),
            ("CAESAR ist bereit", "Überspringen und fertigstellen"),
        )
        await open_form(shown, "Worker hinzufügen")
        await sees(shown, "Gib ihm zuerst den Schlüssel deines Hauses")
        await shown.shoot("20-worker")
        await field(shown, 0, "127.0.0.1:1")
        await field(shown, 1, Identity.generate().public_key)
        await press(shown, "Weiter")
        await sees(shown, "Dort antwortet niemand.")
        await shown.shoot("21-worker-nobody")
        await shown.page.keyboard.press("Escape")

        with running_servers(tmp_path / "servers") as servers:
            await seed(
                servers.calendar,
                servers.username,
                servers.password,
                datetime.now(UTC),
                "de",
            )
            await shown.go("/config/integrations/integration/caesar")
            await open_form(shown, "Kalender hinzufügen")
            await sees(shown, "Wo ist dein Kalender?", "iCloud: Apple Account")
            await shown.shoot("22-calendar")
            await shown.flow.get_by_text("iCloud: Apple Account").click()
            await sees(shown, "app-spezifisches", "Apple Account")
            await shown.shoot("23-icloud")
            await shown.page.keyboard.press("Escape")
            await shown.go("/config/integrations/integration/caesar")
            await open_form(shown, "Kalender hinzufügen")
            await shown.flow.get_by_text("Ein anderer CalDAV-Server").click()
            await field(shown, 0, servers.calendar)
            await field(shown, 1, servers.username)
            await field(shown, 2, "falsch")
            await press(shown, "Weiter")
            await sees(shown, "Der Server nimmt Benutzername oder Passwort nicht an.")
            await shown.shoot("24-calendar-password")
            await field(shown, 2, servers.password)
            await press(shown, "Weiter")
            await sees(shown, "Welche Kalender?", "Familie")
            await shown.shoot("25-calendars")
            await press(shown, "OK")
            await expect(shown.page.get_by_text("127.0.0.1").first).to_be_visible()

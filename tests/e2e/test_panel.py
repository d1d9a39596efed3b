"""CAESAR's page in the sidebar, as an admin sees and uses it in Home Assistant."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from playwright.async_api import Locator, ViewportSize, expect
import pytest

from house.errors import HouseError
from house.moving_in import set_up_caesar
from house.options import Brain, BrainKind

from .accessibility import serious_faults
from .browser import Window
from .test_browser import Home, home

pytestmark = pytest.mark.usefixtures("socket_enabled")

# What a stranger may call a device: shown, and never anything but shown.
HOSTILE = '<img src="http://192.0.2.1/x.png"><b>![x](http://192.0.2.1/y.png)'
TABS = {
    "en": ("Waiting", "What happened", "Refused", "Policy", "Workers and brains"),
    "de": ("Wartet", "Was geschah", "Abgelehnt", "Richtlinie", "Worker und Gehirne"),
}
DESK: Final[ViewportSize] = {"width": 1280, "height": 900}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}


@asynccontextmanager
async def panel(
    folder: Path, language: str, tool: str, thermostat: str
) -> AsyncIterator[Home]:
    """Start a house in which something happened already, and open the page.

    `tool` is one that there isn't, `thermostat` what the one in the bedroom is called.
    """
    folder.mkdir()
    async with home(folder, language) as house:
        await set_up_caesar(
            house.owner, Brain(kind=BrainKind.BUILTIN, where="", model=""), "everyday"
        )
        async with house.owner.socket() as socket:
            await socket.command(
                "config/entity_registry/update",
                entity_id="climate.bedroom_thermostat",
                name=thermostat,
            )
        await house.owner.action("caesar.ask", {"text": "turn on the kitchen light"})
        await house.owner.action("caesar.ask", {"text": "turn on the path light"})
        await call(
            house,
            "climate.set_temperature",
            {"entity_id": "climate.bedroom_thermostat", "temperature": 35},
        )
        await call(house, tool, {})
        await call(house, "lock.unlock", {"entity_id": "lock.front_door"})
        await house.window.go("/caesar")
        yield house


async def call(house: Home, tool: str, arguments: dict[str, object]) -> None:
    """Call a tool as the owner, whatever comes of it."""
    try:
        await house.owner.action(
            "caesar.call_tool", {"tool": tool, "arguments": arguments}
        )
    except HouseError:
        assert "." not in tool or tool == HOSTILE


async def test_english(tmp_path: Path) -> None:
    """A yes, a refusal made a rule, a fault at its line, an undo: by clicks alone."""
    async with panel(
        tmp_path / "home", "en-US", "bin_days", "Bedroom thermostat"
    ) as house:
        shown = house.window
        policy = house.folder / "caesar" / "policy.yaml"
        before = policy.read_text()

        await expect(
            shown.page.get_by_text("Shall I unlock Front door")
        ).to_be_visible()
        await shown.shoot("64-panel-waiting")
        await press(shown, "Yes, do it")
        await expect(shown.page.get_by_text("Nothing waits for you.")).to_be_visible()
        await happened(shown)
        await house.recorded("caesar_approval_decided")
        await from_activity(shown)
        assert await house.state("lock.front_door") == "unlocked"
        await rule_in_three_clicks(shown, policy, before)
        await shared(shown)
        await edited(shown, policy)


async def happened(shown: Window) -> None:
    """Look through what happened, and go from a line to its rule."""
    await tab(shown, "What happened").click()
    rows = shown.page.locator("caesar-trail details")
    unlocked = rows.filter(has_text="unlock Front door").first
    await expect(unlocked).to_contain_text("done")
    await unlocked.locator("summary").click()
    await shown.shoot("65-panel-happened")
    await shown.page.get_by_label("Only what was refused").check()
    await expect(rows.filter(has_text="turn on Kitchen light")).to_have_count(0)
    await shown.page.get_by_label("Only what was refused").uncheck()
    await shown.page.get_by_label("Tool").fill("light")
    await expect(rows).to_have_count(2)


async def from_activity(shown: Window) -> None:
    """Go from Home Assistant's Activity to a rule: the page, its tab, the rule."""
    await shown.go("/logbook")
    await expect(shown.page.get_by_text("unlocked Front door").first).to_be_visible()
    await shown.page.locator("ha-sidebar").get_by_text("CAESAR", exact=True).click()
    await tab(shown, "What happened").click()
    row = shown.page.locator("caesar-trail .row").filter(has_text="unlock Front door")
    await row.first.get_by_role("button", name="lock.unlock").click()
    await expect(tab(shown, "Policy")).to_have_attribute("aria-selected", "true")
    await expect(shown.page.locator(".cm-activeLine").first).to_contain_text("lock")


async def shared(shown: Window) -> None:
    """Share what was asked for, once it is said what that means."""
    await tab(shown, "Refused").click()
    hidden = shown.page.locator("caesar-refused section").filter(
        has_text="light.path_light"
    )
    await hidden.get_by_role("button", name="Share it with Assist").click()
    await expect(hidden).to_contain_text("and their models may see it")
    await shown.shoot("63-panel-share")
    await hidden.get_by_role("button", name="Share it", exact=True).click()
    await expect(shown.page.get_by_text("Path light is shared.")).to_be_visible()
    await expect(hidden).to_have_count(0)


async def rule_in_three_clicks(shown: Window, policy: Path, before: str) -> None:
    """Make a rule of a refusal; all other lines of the file stay as they are."""
    await tab(shown, "Refused").click()
    refusal = shown.page.locator("caesar-refused section").filter(
        has_text="Bedroom thermostat"
    )
    await expect(refusal.first).to_be_visible()
    await refusal.first.get_by_role("button", name="Always ask").click()
    await expect(refusal.first.locator("pre")).to_contain_text(
        "climate.set_temperature"
    )
    await shown.shoot("61-panel-rule")
    await press(shown, "Save")
    await expect(shown.page.get_by_text("The rule is in force.")).to_be_visible()
    after = policy.read_text().splitlines(keepends=True)
    kept = iter(after)
    assert all(line in kept for line in before.splitlines(keepends=True))
    assert len(after) > len(before.splitlines())


async def edited(shown: Window, policy: Path) -> None:
    """Type a mistake, see it at its line, mend it, save, and take it back."""
    ruled = policy.read_text()
    await tab(shown, "Policy").click()
    content = shown.page.locator("ha-code-editor .cm-content")
    await content.click()
    await shown.page.keyboard.press("Control+End")
    # No faster than people type: the editor mixes up letters that come at once after
    # a jump.
    await shown.page.keyboard.type("allowed_servces: []\n", delay=30)
    fault = shown.page.locator(".failure li").first
    await expect(fault).to_contain_text("allowed_servces")
    await expect(fault.get_by_role("button")).to_contain_text(
        f"Line {len(ruled.splitlines()) + 1}"
    )
    await expect(button(shown, "Save")).to_be_disabled()
    await shown.shoot("62-panel-fault")
    await press(shown, "Drop my changes")
    await expect(fault).to_have_count(0)
    assert policy.read_text() == ruled

    await press(shown, "Try it on the last week")
    await expect(shown.page.get_by_text("would have been decided")).to_be_visible()
    await shown.page.get_by_label("Service or tool").fill("lock.unlock")
    await shown.page.get_by_label("Values, as JSON").fill(
        '{"entity_id": "lock.front_door"}'
    )
    await press(shown, "Tell me")
    await expect(shown.page.locator("form").get_by_text("asks first")).to_be_visible()
    await press(shown, "Take the last change back")
    await expect(shown.page.get_by_text("is taken back")).to_be_visible()
    assert policy.read_text() != ruled


async def test_german_on_every_screen(tmp_path: Path) -> None:
    """Light and dark, desk and phone, each without a serious fault for anybody."""
    async with panel(tmp_path / "home", "de-DE", HOSTILE, HOSTILE) as house:
        shown = house.window
        faults: dict[str, list[str]] = {}
        seen: set[str] = set()
        for look, size in (("light", DESK), ("dark", DESK), ("phone", PHONE)):
            await shown.page.emulate_media(
                color_scheme="dark" if look == "dark" else "light"
            )
            await shown.page.set_viewport_size(size)
            for number, name in enumerate(TABS["de"]):
                await tab(shown, name).click()
                view = shown.page.locator("caesar-panel main > *")
                await expect(
                    view.locator("section, details, form").first
                ).to_be_visible()
                await shown.shoot(f"60-panel-{number}-{look}")
                if await view.get_by_text("<img src=").count():
                    seen.add(f"{name}, {look}")
                made = shown.page.locator("caesar-panel img, caesar-panel b")
                assert await made.count() == 0
                if found := await serious_faults(shown.page, "caesar-panel"):
                    faults[f"{name}, {look}"] = found
                wide = await shown.page.evaluate(
                    "document.documentElement.scrollWidth - window.innerWidth"
                )
                assert wide <= 0, f"{name} is {wide} pixels too wide"
        assert faults == {}
        assert len(seen) == 2 * 3, "what happened and what was refused, each look"

        # By keyboard alone.
        await tab(shown, "Wartet").click()
        await shown.page.keyboard.press("ArrowRight")
        await expect(tab(shown, "Was geschah")).to_be_focused()


def tab(window: Window, name: str) -> Locator:
    """Return the button of a tab."""
    return window.page.get_by_role("tab", name=name)


def button(window: Window, name: str) -> Locator:
    """Return a button of the page."""
    return window.page.locator("caesar-panel").get_by_role("button", name=name)


async def press(window: Window, name: str) -> None:
    """Press a button of the page."""
    await button(window, name).first.click()

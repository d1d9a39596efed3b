"""A headless Chromium in front of a Home Assistant on this machine."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
import shutil
from typing import Final

from playwright.async_api import Error, Locator, Page, Request, async_playwright, expect

SHOTS = Path(__file__).parents[2] / ".cache" / "shots"
PATIENCE_MS = 20_000
# No name and no address but this machine's can be reached.
ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
# An address for examples (RFC 5737), which nobody has.
ELSEWHERE: Final = "http://192.0.2.1/"
# Other integrations' icons, which Home Assistant would ask the internet for. They are
# blocked, not answered: a route takes the page's cache away, and each page then three
# times as long.
ICONS: Final = (
    {
        "urlPattern": "http://127.0.0.1:*/api/brands/integration/caesar/*",
        "block": False,
    },
    {"urlPattern": "http://127.0.0.1:*/api/brands/*", "block": True},
)


@dataclass(slots=True)
class Window:
    """A page, its language, and what went wrong in it."""

    page: Page
    base: str
    language: str
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    async def go(self, path: str) -> None:
        """Open a page of Home Assistant and wait for its frame."""
        await self.page.goto(self.base + path)
        await self.page.locator("ha-sidebar").wait_for()

    async def log_in(self, username: str, password: str) -> None:
        """Log in by the form."""
        await self.page.goto(self.base)
        await self.page.locator("input[name=username]").fill(username)
        await self.page.locator("input[name=password]").fill(password)
        await self.page.keyboard.press("Enter")
        await self.page.locator("ha-sidebar").wait_for()

    async def shoot(self, name: str) -> None:
        """Keep a screenshot, once nothing moves any more."""
        await self.page.evaluate(
            "Promise.allSettled(document.getAnimations().map(a => a.finished))"
        )
        SHOTS.mkdir(parents=True, exist_ok=True)
        await self.page.screenshot(path=SHOTS / f"{self.language}-{name}.png")

    def note(self, error: Error) -> None:
        """Remember an error of the page's own code."""
        # What the frontend throws into the void when a page of its is left.
        if str(error) != "disconnected":
            self.errors.append(str(error))

    @property
    def flow(self) -> Locator:
        """The dialog of a config flow."""
        return self.page.locator("dialog-data-entry-flow")

    @property
    def assist(self) -> Locator:
        """The conversation in the Assist dialog."""
        return self.page.locator("ha-assist-chat")


@asynccontextmanager
async def window(base: str, language: str) -> AsyncIterator[Window]:
    """Open a browser of a person who speaks `language`, such as "de-DE"."""
    chromium = shutil.which("chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium, args=ARGUMENTS
        )
        context = await browser.new_context(
            viewport={"width": 1280, "height": 900},
            locale=language,
            reduced_motion="reduce",
            # A service worker's requests could not be seen here.
            service_workers="block",
        )
        page = await context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        opened = Window(page=page, base=base, language=language[:2])
        (SHOTS / f"{opened.language}-failed.png").unlink(missing_ok=True)

        def look(request: Request) -> None:
            if not request.url.startswith((base, "data:", "blob:")):
                opened.outside.append(request.url)

        context.on("request", look)
        devtools = await context.new_cdp_session(page)
        await devtools.send("Network.enable")
        await devtools.send("Network.setBlockedURLs", {"urlPatterns": ICONS})
        # Who sees nothing would find nothing.
        await page.evaluate(f"fetch('{ELSEWHERE}', {{mode: 'no-cors'}}).catch(() => 0)")
        assert opened.outside == [ELSEWHERE]
        opened.outside.clear()
        page.on("pageerror", lambda error: opened.note(error))
        try:
            yield opened
        except BaseException:
            await opened.shoot("failed")
            raise
        finally:
            await browser.close()

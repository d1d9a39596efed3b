"""The page's code alone in a browser, over a Home Assistant that a test makes up."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
import shutil
from typing import Final

from playwright.async_api import Page, Route, async_playwright

ROOT: Final = Path(__file__).parents[2]
BUILT: Final = ROOT / "custom_components/caesar/panel/www/caesar-panel.js"
# For a test: `opened` opens the page over a Home Assistant that answers commands so.
OPENED: Final = """
const opened = (answer) => {
  const panel = document.createElement("caesar-panel");
  panel.hass = {
    language: "en", user: {id: "u"},
    localize: () => "", loadBackendTranslation: async () => undefined,
    connection: {
      sendMessagePromise: answer,
      subscribeMessage: async () => async () => undefined,
    },
  };
  document.body.append(panel);
  return panel;
};
const until = async (found) => {
  for (;;) {
    const value = found();
    if (value) return value;
    await new Promise((done) => requestAnimationFrame(done));
  }
};
"""


@asynccontextmanager
async def bare_page() -> AsyncIterator[tuple[Page, list[str]]]:
    """Open the page's code alone; also give what it asks the network for."""
    asked: list[str] = []

    async def serve(route: Route) -> None:
        asked.append(route.request.url)
        await route.fulfill(body="<body></body>", content_type="text/html")

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-dev-shm-usage"],
        )
        page = await browser.new_page()
        await page.route("**/*", serve)
        await page.goto("http://127.0.0.1:9/caesar")
        asked.clear()
        await page.add_script_tag(content=BUILT.read_text(), type="module")
        await page.add_script_tag(content=OPENED)
        try:
            yield page, asked
        finally:
            await browser.close()

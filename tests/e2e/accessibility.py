"""Asks axe-core, the standard checker of accessibility, about a part of a page."""

from pathlib import Path
from typing import Final

from playwright.async_api import Page

AXE: Final = (
    Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
)
_RUN: Final = """
async (name) => {
  const roots = [document];
  let part = null;
  for (const root of roots) {
    part ??= root.querySelector(name);
    for (const each of root.querySelectorAll("*")) {
      if (each.shadowRoot) roots.push(each.shadowRoot);
    }
  }
  // The editor is Home Assistant's: its colours and its scrolling are not ours.
  const ours = (each, node) =>
    !node.target.flat().join(" ").includes("ha-code-editor") ||
    !["color-contrast", "scrollable-region-focusable"].includes(each.id);
  const found = await axe.run(part, {resultTypes: ["violations"]});
  return found.violations
    .filter((each) => ["serious", "critical"].includes(each.impact))
    .map((each) => ({...each, nodes: each.nodes.filter((node) => ours(each, node))}))
    .filter((each) => each.nodes.length > 0)
    .map((each) => `${each.id}: ${each.nodes.map((node) => node.target.flat().join(" ")
      + " " + node.failureSummary).join("; ")}`);
}
"""


async def serious_faults(page: Page, part: str) -> list[str]:
    """Return the serious and critical faults of the first element of a name.

    Home Assistant's pages stand in shadow trees, where axe looks for no selector.
    """
    if not await page.evaluate("'axe' in window"):
        await page.add_script_tag(path=AXE)
    found: list[str] = await page.evaluate(_RUN, part)
    return found

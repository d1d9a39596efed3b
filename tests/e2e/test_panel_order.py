"""What the page shows belongs to what stands in its fields, and says how it ended."""

import asyncio
from typing import Any, Final

import pytest

from .bare_panel import bare_page

pytestmark = pytest.mark.usefixtures("socket_enabled")

ROW: Final[dict[str, Any]] = {
    **dict.fromkeys(("decision_id", "who", "agent", "tool", "arguments", "why"), ""),
    "action": "turn on Kitchen light",
    "seq": 1,
    "when": "2026-12-01T00:00:00Z",
    "verdict": "go",
    "result": "ok",
    "entities": [],
    "touched": [],
    "rule": None,
}
POLICY: Final = {
    "text": "version: 1",
    "revision": "1",
    "in_force": True,
    "denies_all": False,
    "can_undo": False,
}
# Chooses another filter while an answer to the one before is on its way.
OVERTAKEN: Final = """
async ([row, page]) => {
  const waiting = {};
  const rows = (action, top, count) => Array.from({length: count}, (_, at) =>
    ({...row, seq: top - at, when: "2026-12-01T00:00:00Z", action}));
  const panel = opened(async (message) => {
    if (message.type === "caesar/waiting") return [];
    if (message.type === "caesar/house") return {agents: [], workers: [], people: []};
    const name = message.before ? "older" : message.tool ?? "all";
    return new Promise((done) => { waiting[name] = done; });
  });
  (await until(() => panel.renderRoot.querySelector("#tab-trail"))).click();
  (await until(() => waiting.all))(rows("all", 2 * page, page));
  const view = panel.renderRoot.querySelector("main > *");
  await until(() => view.rows.length === page);
  await until(() => {
    window.scrollTo(0, document.documentElement.scrollHeight);
    return waiting.older;
  });
  view.filter = {tool: "light"};
  await until(() => waiting.light);
  view.filter = {tool: "lock"};
  (await until(() => waiting.lock))(rows("lock", 9, 2));
  await until(() => view.rows.length === 2);
  waiting.light(rows("light", 9, 3));
  waiting.older(rows("all", page, page));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return view.rows.map((each) => each.action);
}
"""


async def test_an_answer_to_an_earlier_filter_is_not_shown() -> None:
    """Answers come in any order; what is shown is what is filtered for."""
    async with bare_page() as (page, _):
        async with asyncio.timeout(30):
            shown = await page.evaluate(OVERTAKEN, [ROW, 200])
    assert shown == ["lock", "lock"]


# Lets many calls happen at once while the page is open and scrolled on.
MANY_AT_ONCE: Final = """
async ([row, page, known, added]) => {
  document.body.replaceChildren();
  let top = known;
  const panel = opened(async (message) => {
    if (message.type === "caesar/house") return {agents: [], workers: [], people: []};
    if (message.type !== "caesar/trail") return [];
    const from = message.before ? message.before - 1 : top;
    const count = Math.max(Math.min(message.limit, from), 0);
    return Array.from({length: count}, (_, at) => ({...row, seq: from - at}));
  });
  (await until(() => panel.renderRoot.querySelector("#tab-trail"))).click();
  const view = await until(() => panel.renderRoot.querySelector("caesar-trail"));
  await until(() => view.rows.length === page);
  await view.more();
  top += added;
  view.changed("trail");
  await until(() => view.rows[0].seq === top);
  while (!view.whole) await view.more();
  return view.rows.map((each) => each.seq);
}
"""


async def test_many_new_rows_leave_no_gap() -> None:
    """However many come between two looks, each row is there once, in its order."""
    async with bare_page() as (page, _):
        for added in (1, 199, 200, 450, 3000):
            async with asyncio.timeout(30):
                shown = await page.evaluate(MANY_AT_ONCE, [ROW, 200, 700, added])
            assert shown == list(range(700 + added, 0, -1)), added


# Types on while an answer to what stood there before is on its way.
TYPED_ON: Final = """
async (policy) => {
  const checks = {};
  const panel = opened(async (message) => {
    if (message.type === "caesar/waiting") return [];
    if (message.type === "caesar/house") return {agents: [], workers: [], people: []};
    if (message.type === "caesar/policy") return policy;
    if (message.text === policy.text) return {problems: [], lints: []};
    return new Promise((done) => { checks[message.text] = done; });
  });
  (await until(() => panel.renderRoot.querySelector("#tab-policy"))).click();
  const view = await until(() => panel.renderRoot.querySelector("caesar-policy"));
  const area = await until(() => view.renderRoot.querySelector("textarea"));
  for (const text of ["bad", "good"]) {
    area.value = text;
    area.dispatchEvent(new Event("input"));
    await until(() => checks[text]);
  }
  checks.good({problems: [], lints: []});
  checks.bad({problems: [{line: 1, column: 1, path: "", message: "bad"}], lints: []});
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return [view.text, view.problems];
}
"""


async def test_faults_of_an_earlier_text_are_not_shown() -> None:
    """What is told is of what stands there; the good text can be saved."""
    async with bare_page() as (page, _):
        async with asyncio.timeout(30):
            text, problems = await page.evaluate(TYPED_ON, POLICY)
    assert (text, problems) == ("good", [])


# Looks at the mark of one row.
MARK: Final = """
async (row) => {
  const panel = opened(async (message) =>
    message.type === "caesar/house" ? {agents: [], workers: [], people: []}
      : message.type === "caesar/trail" ? [row] : []);
  (await until(() => panel.renderRoot.querySelector("#tab-trail"))).click();
  const view = await until(() => panel.renderRoot.querySelector("caesar-trail"));
  return (await until(() => view.renderRoot.querySelector(".mark"))).textContent;
}
"""


@pytest.mark.parametrize(
    ("result", "mark"), [("ok", "done"), ("timeout", "failed (timeout)")]
)
async def test_how_a_call_ended(result: str, mark: str) -> None:
    """A code of the trail is no word for people; it stands beside one."""
    async with bare_page() as (page, _):
        async with asyncio.timeout(30):
            assert await page.evaluate(MARK, {**ROW, "result": result}) == mark

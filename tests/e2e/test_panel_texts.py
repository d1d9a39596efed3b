"""Whatever stands in any field of the page's data is text, and nothing else.

The page is opened without Home Assistant, over answers in which every text is hostile.
"""

from typing import Any, Final

import pytest

from .bare_panel import bare_page

pytestmark = pytest.mark.usefixtures("socket_enabled")

HOSTILE: Final = (
    '"\'><img src="http://192.0.2.1/a.png" onerror="window.hit=1">'
    "<script>window.hit=1</script><b onclick=x>![b](http://192.0.2.1/b.png)"
    "[c](javascript:window.hit=1)</b><iframe src=http://192.0.2.1></iframe>"
    "<!--${window.hit=1}{{7*7}}\u202e"
)
ROW: Final[dict[str, Any]] = {
    **dict.fromkeys(
        [
            "decision_id",
            "who",
            "origin",
            "agent",
            "tool",
            "action",
            "arguments",
            "verdict",
            "worker",
            "why",
            "rule",
            "approved_by",
        ],
        HOSTILE,
    ),
    "seq": 7,
    "when": HOSTILE,
    "user_id": HOSTILE,
    "satellite_id": HOSTILE,
    "entities": [HOSTILE],
    "touched": [HOSTILE],
    "result": HOSTILE,
    "line": 1,
    "line_now": True,
}
PROBLEM: Final = {"line": 1, "column": 1, "path": HOSTILE, "message": HOSTILE}
ANSWERS: Final[dict[str, Any]] = {
    "caesar/waiting": [
        {
            "approval_id": HOSTILE,
            "text": HOSTILE,
            "tool": HOSTILE,
            "entities": [HOSTILE],
            "created_at": HOSTILE,
            "expires_at": HOSTILE,
        }
    ],
    "caesar/trail": [
        ROW,
        {**ROW, "seq": 6, "line_now": False},
        {**ROW, "seq": 5, "verdict": "go", "line": None},
    ],
    "caesar/refused": [
        {
            "seq": 3,
            "when": HOSTILE,
            "count": 2,
            "grants": ["ask", HOSTILE],
            "once": True,
            **dict.fromkeys(("action", "who", "why", "note"), HOSTILE),
        }
    ],
    "caesar/unshared": [{"entity_id": HOSTILE, "name": HOSTILE, "count": 2}],
    "caesar/refused/rule": {
        "text": f"a\n{HOSTILE}\nb",
        "before": "a\nb",
        "revision": HOSTILE,
        "note": HOSTILE,
    },
    "caesar/policy": {
        "text": HOSTILE,
        "revision": HOSTILE,
        "in_force": False,
        "denies_all": False,
        "can_undo": True,
    },
    "caesar/policy/check": {"problems": [], "lints": [PROBLEM]},
    "caesar/policy/simulate": {
        "days": 7,
        "calls": 1,
        "changed_count": 1,
        "changed": [
            {
                "seq": 1,
                "tool": HOSTILE,
                "entities": [HOSTILE],
                "before": HOSTILE,
                "after": HOSTILE,
                "line": 1,
            }
        ],
        "unknown": 1,
        "complete": True,
    },
    "caesar/explain": {
        "verdict": HOSTILE,
        "reason": HOSTILE,
        "tool": HOSTILE,
        "rule": HOSTILE,
        "line": 1,
    },
    "caesar/house": {
        "agents": [
            {
                "title": HOSTILE,
                "brains": [HOSTILE],
                "used": {"tokens": 1, "calls": 1, "cost": None, "currency": HOSTILE},
            },
            {
                "title": HOSTILE,
                "brains": [HOSTILE],
                "used": {"tokens": 1, "calls": 1, "cost": 1.5, "currency": "EUR"},
            },
        ],
        "workers": [
            {
                "online": False,
                "tools": [HOSTILE],
                "changed": [HOSTILE],
                "more": [HOSTILE],
                "refused": {HOSTILE: HOSTILE},
                "last_seen": HOSTILE,
                **dict.fromkeys(("name", "url", "version", "error"), HOSTILE),
            }
        ],
        "people": [{"user_id": HOSTILE, "name": HOSTILE}],
    },
}
# How many of these texts each tab shows at least, at its fullest.
LEAST: Final = {
    "caesar-waiting": 1,
    "caesar-trail": 20,
    "caesar-refused": 6,
    "caesar-policy": 5,
    "caesar-house": 9,
}
# Presses everything that can be pressed, in every tab, and counts what is no text.
DRIVE: Final = """
async ([answers, hostile]) => {
  window.alert = window.confirm = window.prompt = () => { window.hit = 1; };
  const asked = [];
  const panel = opened(async (message) => {
    asked.push(message.type);
    if (["caesar/answer", "caesar/refused/once", "caesar/policy/save",
         "caesar/policy/undo"].includes(message.type)) {
      throw {message: hostile, translation_domain: hostile, translation_key: hostile};
    }
    return structuredClone(answers[message.type]);
  });
  const settle = () => new Promise((done) => setTimeout(done, 150));
  const roots = () => {
    const found = [panel.shadowRoot];
    for (const root of found) {
      for (const each of root.querySelectorAll("*")) {
        if (each.shadowRoot) found.push(each.shadowRoot);
      }
    }
    return found;
  };
  const every = (selector) => roots().flatMap((root) => [...root.querySelectorAll(selector)]);
  const foreign = [], seen = {};
  const look = () => {
    foreign.push(...every("img, b, script, iframe, object, embed, [onclick], [onerror], "
      + "a:not([href='/config/voice-assistants/expose'])")
      .map((each) => each.outerHTML));
    for (const each of every("main > *")) {
      const count = each.shadowRoot.textContent.split("onerror").length - 1;
      seen[each.localName] = Math.max(seen[each.localName] ?? 0, count);
    }
  };
  await settle();
  for (const tab of every("[role=tab]")) {
    tab.click();
    await settle();
    for (const each of every("details")) each.open = true;
    for (const each of every("input[name=tool]")) each.value = hostile;
    await settle();
    look();
    for (const each of every("main > *").flatMap(
      (view) => [...view.shadowRoot.querySelectorAll("button:not(.link)")])) {
      if (!each.isConnected || each.disabled) continue;
      each.click();
      await settle();
      look();
    }
  }
  return {foreign, seen, asked: [...new Set(asked)].sort(), hit: window.hit ?? null};
}
"""


async def test_nothing_of_it_is_markup() -> None:
    """No element, no request, nothing run; and all of it was shown."""
    async with bare_page() as (page, requests):
        found = await page.evaluate(DRIVE, [ANSWERS, HOSTILE])
    assert found["hit"] is None
    assert found["foreign"] == []
    assert requests == []
    # Each command was asked, so each of the answers above has been shown.
    assert set(ANSWERS) <= set(found["asked"])
    assert found["seen"].keys() == LEAST.keys()
    for view, least in LEAST.items():
        assert found["seen"][view] >= least, view


# Scrolls down for as long as there is more, as fast as the page can follow.
SCROLL: Final = """
async ([row, total]) => {
  const panel = opened(async (message) => {
    if (message.type === "caesar/waiting") return [];
    if (message.type === "caesar/house") return {agents: [], workers: [], people: []};
    const top = message.before ?? total + 1;
    const count = Math.min(message.limit, top - 1);
    return Array.from({length: count}, (_, at) => ({...row, seq: top - 1 - at,
      when: "2026-12-01T00:00:00Z", action: `call ${top - 1 - at}`}));
  });
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (let at = 0; at < 20; at += 1) await frame();
  panel.renderRoot.querySelector("#tab-trail").click();
  for (let at = 0; at < 20; at += 1) await frame();
  const view = panel.renderRoot.querySelector("main > *");
  let most = 0;
  for (let at = 0; at < 4000 && !view.textAtEnd; at += 1) {
    window.scrollTo(0, document.documentElement.scrollHeight);
    await frame();
    most = Math.max(most, view.renderRoot.querySelectorAll("*").length);
    view.textAtEnd = view.whole &&
      [...view.renderRoot.querySelectorAll("details")].some(
        (each) => /call 1(?![0-9])/.test(each.textContent));
  }
  return {end: view.textAtEnd, rows: view.rows.length, most};
}
"""


async def test_a_long_trail_is_scrolled_to_its_end() -> None:
    """The page holds what is in sight, however much there is (100,000 by hand)."""
    async with bare_page() as (page, _):
        found = await page.evaluate(SCROLL, [ROW, 5_000])
    assert found["end"]
    assert found["rows"] == 5_000
    assert found["most"] < 3_000

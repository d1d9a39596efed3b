"""`input:` of tools: bounded fields, hosts, and what may show in a result."""

from typing import Final

import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.decision import ResultFilter
from custom_components.caesar.policy.hosts import allows_host, normal_entry, normal_host
from custom_components.caesar.policy.loader import PolicyError

from .house import tool
from .people import ADULT, KITCHEN, ask, load, word

SEARCH: Final = "allowed_tools: [{tool: web_search, input: {domain_allowlist: [%s]}}]"


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("example.org", "example.org"),
        ("EXAMPLE.org.", "example.org"),
        (" en.wikipedia.org ", "en.wikipedia.org"),
        ("münchen.de", "xn--mnchen-3ya.de"),
        ("192.0.2.7", "192.0.2.7"),
        ("a-b.example", "a-b.example"),
        ("localhost", None),
        ("https://example.org", None),
        ("example.org/path", None),
        ("example.org:443", None),
        ("user@example.org", None),
        ("exa mple.org", None),
        ("-a.example", None),
        (".example.org", None),
        ("example..org", None),
        ("*.example.org", None),
        ("[2001:db8::1]", None),
        ("ex\nample.org", None),
        ("", None),
        ("a." * 130 + "example", None),
        ("\ud800.example", None),
    ],
)
def test_normal_host(text: str, host: str | None) -> None:
    """One spelling of a host; what is more than a host is none."""
    assert normal_host(text) == host


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("Example.org", "example.org"),
        ("*.Example.org", "*.example.org"),
        ("*.org", None),
        ("*", None),
        ("*.*.org", None),
        ("a.*.org", None),
        ("=example.org", None),
        ("*.192.0.2.7", None),
    ],
)
def test_normal_entry(text: str, entry: str | None) -> None:
    """A host, or the subdomains of one."""
    assert normal_entry(text) == entry


@pytest.mark.parametrize(
    ("entry", "yes", "no"),
    [
        (
            "example.org",
            ["example.org", "EXAMPLE.ORG."],
            ["www.example.org", "badexample.org", "example.org.evil.example", "org"],
        ),
        (
            "*.example.org",
            ["www.example.org", "a.b.example.org"],
            ["example.org", "badexample.org", "www.example.org.evil.example"],
        ),
        ("192.0.2.7", ["192.0.2.7"], ["192.0.2.70", "a.192.0.2.7"]),
    ],
)
def test_allows_host(entry: str, yes: list[str], no: list[str]) -> None:
    """A bare host is that host only, a star stands for subdomains only."""
    assert [host for host in yes if not allows_host([entry], host)] == []
    assert [host for host in no if allows_host([entry], host)] == []


@pytest.mark.parametrize(
    ("domain", "answer"),
    [
        ("en.wikipedia.org", "allow"),
        ("EN.Wikipedia.org.", "allow"),
        ("de.wikipedia.org", "domain_not_allowed"),
        ("wikipedia.org", "domain_not_allowed"),
        ("https://en.wikipedia.org", "domain_not_allowed"),
        ("en.wikipedia.org@evil.example", "domain_not_allowed"),
        (["en.wikipedia.org"], "domain_not_allowed"),
        (None, "domain_not_allowed"),
        ("", "domain_not_allowed"),
    ],
)
def test_host_of_a_call(domain: Json, answer: str) -> None:
    """A call that names a host must name an allowed one."""
    decision = ask(SEARCH % "en.wikipedia.org", tool("web_search", domain=domain))
    assert word(decision) == answer
    if answer != "allow":
        assert decision.reason.values["host"] == str(domain)


def test_result_shows_the_hosts_of_all_rules_that_ask_no_more() -> None:
    """Their union; a rule without a list shows everything (SPEC 3.6)."""
    policy = load(
        """
allowed_tools:
  - {tool: web_search, input: {domain_allowlist: [a.example, "*.b.example"]}}
  - {tool: web_search, input: {domain_allowlist: [A.example, c.example]}}
  - {tool: web_search, input: {domain_allowlist: [d.example]}, approval: always}
  - {tool: web_search, input: {domain_allowlist: [e.example]}, for: {area: kitchen}}
"""
    )
    call = tool("web_search", query="x")
    known = ("a.example", "*.b.example", "c.example")
    assert ask(policy, call).result_filter == ResultFilter(domain_allowlist=known)
    assert ask(policy, call, KITCHEN).result_filter == ResultFilter(
        domain_allowlist=(*known, "e.example")
    )
    named = ask(policy, tool("web_search", domain="d.example"))
    assert word(named) == "ask"
    assert named.result_filter == ResultFilter(domain_allowlist=("d.example",))
    bare = load((SEARCH % "a.example").replace("]}}]", "]}}, web_search]"))
    assert ask(bare, call).result_filter is None
    pinned = load(
        """
allowed_tools:
  - {tool: web_search, approval: always, input: {domain_allowlist: [a.example]}}
  - {tool: web_search, approval: always, pin: front,
     input: {domain_allowlist: [b.example]}}
"""
    )
    assert ask(pinned, call).result_filter == ResultFilter(
        domain_allowlist=("a.example",)
    )


@pytest.mark.parametrize(
    ("hosts", "words"),
    [
        ("", "leave the key out"),
        ("5", "a text"),
        ("localhost", "not the name of a host"),
        ('"https://a.example"', "no scheme"),
        ("a.example/x", "not the name of a host"),
        ('"*.example"', "not the name of a host"),
        ('"*"', "not the name of a host"),
        ('"=a.example"', "not the name of a host"),
        ('""', "empty"),
    ],
)
def test_bad_hosts(hosts: str, words: str) -> None:
    """What is more or less than a host is an error."""
    with pytest.raises(PolicyError) as caught:
        load(SEARCH % hosts)
    assert words in str(caught.value.problems[0])


def test_list_of_hosts_must_be_a_list() -> None:
    """A mere text would be easy to take for a part of a name."""
    with pytest.raises(PolicyError):
        load(
            "allowed_tools: [{tool: web_search, input: {domain_allowlist: a.example}}]"
        )


@pytest.mark.parametrize(
    ("block", "given", "answer"),
    [
        ("limit: {max: 50}", {"limit": 50}, "allow"),
        ("limit: {max: 50}", {"limit": 51}, "input_not_allowed"),
        ("limit: {max: 50}", {"limit": "5"}, "input_not_allowed"),
        ("limit: {max: 50}", {"limit": True}, "input_not_allowed"),
        ("limit: {max: 50}", {}, "input_not_allowed"),
        ("limit: {max: 50}", {"limit": []}, "input_not_allowed"),
        ("limit: {max: 50}", {"limit": 5, "days": 900}, "allow"),
        ("calendar_names: [home, work]", {"calendar_names": ["home"]}, "allow"),
        ("calendar_names: [home, work]", {"calendar_names": "work"}, "allow"),
        (
            "calendar_names: [home, work]",
            {"calendar_names": ["home", "other"]},
            "input_not_allowed",
        ),
        ("calendar_names: [home, work]", {"calendar_names": []}, "input_not_allowed"),
        ("calendar_names: home", {"calendar_names": None}, "input_not_allowed"),
        ("limt: {max: 50}", {"limit": 5}, "input_not_allowed"),
        ("domain_allowlist: [a.example]", {}, "input_not_allowed"),
    ],
)
def test_fields(block: str, given: dict[str, Json], answer: str) -> None:
    """A bounded field must be given and lie inside; an unknown key allows nothing."""
    policy = f"allowed_tools: [{{tool: calendar_read, input: {{{block}}}}}]"
    assert word(ask(policy, tool("calendar_read", **given), ADULT)) == answer


@pytest.mark.parametrize(
    ("block", "given", "answer"),
    [
        ("line: [7, 12]", {"line": 7}, "ask"),
        ("line: [7, 12]", {"line": 8}, "input_not_allowed"),
        ("line: [7, 12]", {}, "input_not_allowed"),
        ("line: {max: 20}, stop: Market", {"line": 7, "stop": "Market"}, "ask"),
        (
            "line: {max: 20}, stop: Market",
            {"line": 7, "stop": "Port"},
            "input_not_allowed",
        ),
        ("domain_allowlist: [a.example]", {"line": 7}, "ask"),
        (
            "domain_allowlist: [a.example]",
            {"domain": "b.example"},
            "domain_not_allowed",
        ),
    ],
)
def test_fields_of_a_workers_tool(
    block: str, given: dict[str, Json], answer: str
) -> None:
    """Any field of a tool that only its worker knows can be bounded, and its hosts."""
    policy = f"allowed_tools: [{{tool: bus_times, input: {{{block}}}}}]"
    assert word(ask(policy, tool("bus_times", **given), ADULT)) == answer


@pytest.mark.parametrize("key", ["area_id", "domain", "entity_id"])
def test_what_bounds_reads_of_the_house_bounds_no_worker(key: str) -> None:
    """Else a read under a wrong name would leave the real one open to everything."""
    with pytest.raises(PolicyError, match="get_state"):
        load(f"allowed_tools: [{{tool: bus_times, input: {{{key}: [x]}}}}]")

"""Text edits: every other line stays byte for byte, and what comes out loads."""

from pathlib import Path

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.caesar.policy.edit import (
    Edit,
    Entry,
    UneditableText,
    add_entry,
    entry_numbers,
    remove_entry,
    render,
    replace_entry,
)
from custom_components.caesar.policy.loader import load_policy

STARTERS = Path("custom_components/caesar/starters")
KITCHEN: Entry = {
    "service": "light.turn_on",
    "target": {"entity_id": ["light.kitchen"]},
    "data": {"effect": ["on", "10:30", "Über: #1"], "brightness": {"max": 20}},
}
COMMENTED = """# mine
version: 1   # one

allowed_services:
  # lights
  - light.turn_on    # all of them
  - service: light.turn_off
    target:
      entity_id:
        - light.kitchen   # the kitchen
        - light.hall
    # what follows is for the doors

allowed_tools: []  # none
# the end
"""


def rest(edit: Edit) -> list[str]:
    """Return the lines of a text without the new ones."""
    lines = edit.text.splitlines(keepends=True)
    del lines[edit.first_line - 1 : edit.first_line - 1 + len(edit.lines)]
    return lines


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("path", sorted(STARTERS.glob("*.yaml")), ids=lambda p: p.stem)
def test_adding_leaves_the_starters_as_they_are(path: Path, end: str) -> None:
    """One rule more, all other lines byte-equal, and it loads."""
    text = path.read_text().replace("\n", end)
    before = load_policy(text)
    edit = add_entry(text, "allowed_services", KITCHEN, "from a no")
    after = load_policy(edit.text)
    kept = rest(edit)
    if before.counts["allowed_services"]:
        assert kept == text.splitlines(keepends=True)
    else:
        # The empty list opens; its line is the only one that changes.
        opened = [line.replace(": []", ":") for line in text.splitlines(keepends=True)]
        assert set(opened) <= {
            line.replace(": []", ":") for line in edit.text.splitlines(True)
        }
    assert after.counts["allowed_services"] == before.counts["allowed_services"] + 1
    assert edit.lines[0].strip() in ("# from a no", "allowed_services:", "")


def test_adding_comes_after_the_last_entry_and_before_its_comment() -> None:
    """Where a person would have written it."""
    edit = add_entry(COMMENTED, "allowed_services", "switch.turn_on")
    assert rest(edit) == COMMENTED.splitlines(keepends=True)
    assert edit.first_line == 12
    assert edit.lines == ("  - switch.turn_on",)
    load_policy(edit.text)


def test_an_empty_list_opens() -> None:
    """Its comment stays with its key."""
    edit = add_entry(COMMENTED, "allowed_tools", {"tool": "calculator", "name": "sums"})
    assert "allowed_tools:  # none\n  - tool: calculator\n    name: sums\n" in edit.text
    assert edit.lines == ("  - tool: calculator", "    name: sums")
    load_policy(edit.text)


def test_a_missing_list_is_made() -> None:
    """At the end, also of a file without a last line end."""
    edit = add_entry("version: 1", "allowed_services", "light.turn_on")
    assert edit.text == "version: 1\n\nallowed_services:\n  - light.turn_on\n"
    load_policy(edit.text)


def test_a_list_in_one_line_gets_one_more() -> None:
    """In its own style."""
    text = "version: 1\nallowed_services: [light.turn_on]  # few\n"
    edit = add_entry(text, "allowed_services", KITCHEN)
    assert edit.text.startswith("version: 1\nallowed_services: [light.turn_on, {serv")
    assert edit.text.endswith("}]  # few\n")
    assert load_policy(edit.text).counts["allowed_services"] == 2


def test_replacing_touches_the_entry_only() -> None:
    """Comments before and after stay."""
    edit = replace_entry(COMMENTED, "allowed_services", 1, "light.turn_off")
    lines = COMMENTED.splitlines(keepends=True)
    assert rest(edit) == [*lines[:6], *lines[11:]]
    assert edit.lines == ("  - light.turn_off",)
    load_policy(edit.text)


def test_removing_leaves_the_others() -> None:
    """The first of two; then the last, which leaves an empty list."""
    first = remove_entry(COMMENTED, "allowed_services", 0)
    lines = COMMENTED.splitlines(keepends=True)
    assert first.text.splitlines(keepends=True) == [*lines[:5], *lines[6:]]
    both = remove_entry(first.text, "allowed_services", 0)
    assert "allowed_services: []\n  # lights\n" in both.text
    assert load_policy(both.text).counts["allowed_services"] == 0


def test_entries_are_found_by_their_line() -> None:
    """As the rules of a loaded policy know it."""
    assert entry_numbers(COMMENTED, "allowed_services") == {6: 0, 7: 1}
    assert entry_numbers(COMMENTED, "nothing") == {}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("{version: 1}", "allowed_services"),
        ("- a", "allowed_services"),
        ("version: 1\nallowed_services: 5\n", "allowed_services"),
        ("version: 1\nallowed_services: [\n]\n", "allowed_services"),
        ("version: [1\n", "allowed_services"),
    ],
)
def test_what_can_not_be_edited_is_refused(text: str, key: str) -> None:
    """And says where."""
    with pytest.raises(UneditableText) as caught:
        add_entry(text, key, "light.turn_on")
    assert caught.value.problem
    assert caught.value.line >= 1


def test_an_entry_that_is_not_there_is_refused() -> None:
    """Nothing else is removed in its place."""
    for number in (-1, 2):
        with pytest.raises(UneditableText):
            remove_entry(COMMENTED, "allowed_services", number)
    with pytest.raises(UneditableText):
        remove_entry("version: 1\n", "allowed_services", 0)
    with pytest.raises(UneditableText):
        replace_entry("allowed_services: [a.b]\n", "allowed_services", 0, "c.d")


def test_doubtful_words_are_quoted() -> None:
    """What YAML would read as something else stays a text."""
    [line] = render("light.turn_on")
    assert line == "  - light.turn_on"
    for word in ("on", "no", "10:30", "2026-01-01", "1", "a: b", "a #b", "", "*x", "ä"):
        assert f'"{word}"' in render({"name": word})[0]


def test_after_an_entry() -> None:
    """In the middle of a list, before the next one's comment."""
    edit = add_entry(COMMENTED, "allowed_services", "switch.turn_on", after=0)
    assert rest(edit) == COMMENTED.splitlines(keepends=True)
    assert edit.first_line == 7


PIECES = st.lists(
    st.sampled_from(
        [
            "  - light.turn_on",
            "  - light.turn_off   # why",
            "  - service: switch.turn_on\n    data: {x: [1, 2]}",
            "  - service: siren.turn_on\n    name: |\n      long\n\n",
            "  - service: cover.open_cover\n    target:\n      area_id:\n        - hall",
            "  - {service: lock.lock,\n     approval: always}",
            "  # a remark",
            "",
        ]
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=150, deadline=None)
@given(pieces=PIECES, end=st.sampled_from(["\n", "\r\n"]), data=st.data())
def test_any_edit_leaves_the_other_lines(
    pieces: list[str], end: str, data: st.DataObject
) -> None:
    """Whatever stands around the entry, byte for byte."""
    body = "\n".join(["version: 1", "allowed_services:", *pieces, "# end", ""])
    text = body.replace("\n", end)
    numbers = entry_numbers(text, "allowed_services")
    if not numbers:
        return
    lines = text.splitlines(keepends=True)
    number = data.draw(st.sampled_from(sorted(numbers.values())))
    after = data.draw(st.sampled_from([None, number]))
    added = add_entry(text, "allowed_services", KITCHEN, "why", after=after)
    assert rest(added) == lines
    replaced = replace_entry(text, "allowed_services", number, KITCHEN)
    gone = len(lines) - len(rest(replaced))
    first = replaced.first_line - 1
    assert rest(replaced) == [*lines[:first], *lines[first + gone :]]
    # What is gone is the entry: its own lines, and no remark or entry beside it.
    own = "".join(lines[first : first + gone])
    assert own.lstrip().startswith("- ")
    assert own.count("  - ") - own.count("        - ") == 1
    assert "# a remark" not in own
    if len(numbers) > 1:
        removed = remove_entry(text, "allowed_services", number)
        assert removed.text.splitlines(keepends=True) == rest(replaced)

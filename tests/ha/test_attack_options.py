"""What an owner is shown before saving is all that is written."""

from custom_components.caesar.flows.steps import MAX_LINES, lines_changed
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.edit import add_entry

BEFORE = "version: 1\nallowed_services:\n  - light.turn_on\n"


def test_a_long_line_is_shown_to_its_end() -> None:
    """A hostile model names many entities, the one it wants last."""
    ids: list[Json] = [f"switch.a_lamp_that_nobody_minds_{n:02}" for n in range(12)]
    entry: dict[str, Json] = {
        "service": "switch.turn_on",
        "target": {"entity_id": [*ids, "switch.zz_garage_motor"]},
    }
    edit = add_entry(BEFORE, "allowed_services", entry)
    shown = lines_changed(BEFORE, edit.text)
    assert "switch.zz_garage_motor]}" in shown.replace("\n  ", "")
    assert all(len(line) <= 170 for line in shown.splitlines())
    # What continues a line can't be taken for one of its own.
    rows = [line for line in shown.splitlines() if not line.startswith("```")]
    assert [row[0] for row in rows[:2]] == ["+", "+"]
    assert all(row.startswith("  ") for row in rows[2:])


def test_what_does_not_fit_is_counted() -> None:
    """Not even one endless line hides that there is more."""
    after = f"{BEFORE}# {'x' * 200_000}\n"
    shown = lines_changed(BEFORE, after)
    assert len(shown.splitlines()) <= MAX_LINES + 4
    assert "…" in shown

"""What of a result goes on to a brain."""

from hypothesis import given, strategies as st

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.result import MAX_RESULT_BYTES, clamp_result, size_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: (
        st.lists(inner, max_size=20)
        | st.dictionaries(st.text(max_size=20), inner, max_size=10)
    ),
    max_leaves=100,
)


@given(JSON, st.integers(min_value=100, max_value=2_000))
def test_never_larger_than_the_limit(data: Json, limit: int) -> None:
    """Whatever it is, it fits (G-1)."""
    clamped, truncated = clamp_result(data, limit)
    if truncated:
        assert size_of(clamped) <= limit
        assert isinstance(clamped, dict)
        assert clamped["total_bytes"] == size_of(data)
    else:
        assert clamped == data


def test_the_longest_list_loses_its_tail() -> None:
    """What remains is whole items."""
    data: Json = {"entities": [{"n": number} for number in range(5_000)], "count": 5000}
    clamped, truncated = clamp_result(data)
    assert truncated
    assert size_of(clamped) <= MAX_RESULT_BYTES
    assert isinstance(clamped, dict)
    kept = clamped["entities"]
    assert isinstance(kept, list)
    assert kept == [{"n": number} for number in range(len(kept))]
    assert len(kept) > 500
    assert clamped["count"] == 5000


def test_a_list_whose_items_do_not_fit_becomes_text() -> None:
    """One huge item is cut on a character's boundary."""
    clamped, truncated = clamp_result({"entities": ["ä" * 10_000]}, 200)
    assert truncated
    assert size_of(clamped) <= 200
    assert isinstance(clamped, dict)
    assert str(clamped["text"]).startswith('{"entities":["ää')

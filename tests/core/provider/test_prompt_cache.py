"""The benches' count of what a vendor's cache keeps: by the rules it publishes."""

from typing import Any

from benches.turn_parts.cache import PromptCache, before_the_conversation, tokens

MARK = {"cache_control": {"type": "ephemeral"}}


def body(*said: str, system: str = "s" * 4_000, tool: str = "t" * 4_000) -> Any:
    """Return a request whose tools and system prompt are marked."""
    return {
        "tools": [{"name": tool, **MARK}],
        "system": [{"type": "text", "text": system, **MARK}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": text}]}
            for text in said
        ],
    }


def test_the_second_request_reads_what_the_first_wrote() -> None:
    """All tokens are counted once: new, written or read."""
    cache = PromptCache(1_024)
    first, second = cache.ask(body("a")), cache.ask(body("another"))
    assert first.read == 0
    assert first.written > 2_000
    assert second.read == first.written
    assert second.written == 0
    assert second.sent == tokens(body("another")) == second.new + second.read
    assert before_the_conversation(body("a")) == before_the_conversation(body("b"))


def test_a_changed_prefix_is_read_up_to_the_last_mark_before_the_change() -> None:
    """Of another system prompt the tools are still kept; of other tools nothing is."""
    cache = PromptCache(900)
    whole = cache.ask(body("a")).written
    other = cache.ask(body("a", system="x" * 4_000))
    assert 900 < other.read < whole
    assert other.written > 900
    assert cache.ask(body("a", tool="x" * 4_000)).read == 0


def test_a_short_prefix_is_not_kept() -> None:
    """Nothing is said of that: it is just billed as new."""
    cache = PromptCache(4_096)
    for _ in range(2):
        bill = cache.ask(body("a"))
        assert (bill.read, bill.written) == (0, 0)
        assert bill.new == bill.sent


def test_nothing_is_written_without_a_mark_nor_read_from_far_back() -> None:
    """A mark looks back twenty blocks, no further."""
    cache = PromptCache(100)
    plain = {"messages": body("a" * 2_000)["messages"]}
    assert cache.ask(plain).written == 0
    assert cache.ask(plain).read == 0
    blocks = [{"type": "text", "text": f"{n}" * 500} for n in range(23)]

    def marked(count: int) -> Any:
        content = [*blocks[: count - 1], {**blocks[count - 1], **MARK}]
        return {"messages": [{"role": "user", "content": content}]}

    cache.ask(marked(2))
    assert cache.ask(marked(22)).read > 0
    fresh = PromptCache(100)
    fresh.ask(marked(2))
    assert fresh.ask(marked(23)).read == 0

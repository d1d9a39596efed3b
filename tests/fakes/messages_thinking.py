"""What Anthropic's Messages API refuses of thinking, effort and caching.

Source: the "Extended thinking", "Adaptive thinking", "Effort" and "Prompt caching" pages
of Anthropic's documentation; the words for a model that can't, as the API answered in
2026 (anthropics/claude-code#52811, elizaOS/eliza#16175).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .messages_script import Body

_THOUGHTS = ("thinking", "redacted_thinking")
_EFFORTS = ("low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """How a model thinks: the types that it takes, and whether it knows an effort."""

    thinking: frozenset[str] = frozenset({"disabled", "enabled", "adaptive"})
    effort: bool = True


WITH_BUDGET = Abilities(thinking=frozenset({"disabled", "enabled"}), effort=False)
ADAPTIVE = Abilities(thinking=frozenset({"disabled", "adaptive"}))
ALWAYS = Abilities(thinking=frozenset({"adaptive"}))


def problems(body: Body, model: Abilities) -> Iterator[str]:
    """Yield what is wrong with how a request asks a model to think."""
    thinking = body.get("thinking") or {"type": "disabled"}
    kind = thinking["type"]
    if kind not in model.thinking:
        if kind == "adaptive":
            yield "adaptive thinking is not supported on this model"
        yield (
            f'"thinking.type.{kind}" is not supported for this model. Use '
            '"thinking.type.adaptive" and "output_config.effort" to control thinking '
            "behavior."
        )
    effort = body.get("output_config", {}).get("effort")
    if effort is not None and not model.effort:
        yield "This model does not support the effort parameter"
    if effort not in (None, *_EFFORTS):
        yield "output_config.effort: Input should be 'low', 'medium' or 'high'"
    if kind == "enabled":
        yield from _budget_problems(thinking, body)
    yield from _cache_problems(body)


def _budget_problems(thinking: Body, body: Body) -> Iterator[str]:
    """Yield what is wrong with a budget, and with a call that was made without it."""
    budget = thinking.get("budget_tokens", 0)
    if budget < 1024:
        yield "thinking.enabled.budget_tokens: Input should be at least 1024"
    if budget >= body["max_tokens"]:
        yield "`max_tokens` must be greater than `thinking.budget_tokens`"
    messages = body["messages"]
    last = messages[-1]["content"] if messages else []
    blocks = last if isinstance(last, list) else []
    answers_call = any(block["type"] == "tool_result" for block in blocks)
    if answers_call and messages[-2]["content"][0]["type"] not in _THOUGHTS:
        yield (
            f"messages.{len(messages) - 2}.content.0.type: Expected `thinking` "
            "or `redacted_thinking`, but found `tool_use`."
        )


def _cache_problems(body: Body) -> Iterator[str]:
    """Yield what is wrong with the marks behind what is to be kept."""
    said = [message["content"] for message in body["messages"]]
    blocks = [
        block for content in said if isinstance(content, list) for block in content
    ]
    marked = [*body.get("tools", ()), *body.get("system", ()), *blocks]
    times = [_ttl(block) for block in marked if "cache_control" in block]
    if times != sorted(times):
        yield "a ttl='1h' cache_control block must not come after a ttl='5m' block"
    for block in blocks:
        if block["type"] in _THOUGHTS and "cache_control" in block:
            yield "thinking blocks can't be marked with cache_control"
        if block["type"] == "thinking" and not block.get("signature"):
            yield "messages.content.thinking.signature: Field required"


def _ttl(block: Any) -> str:
    return str(block["cache_control"].get("ttl", "5m"))

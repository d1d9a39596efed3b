"""Feeds a turn into Home Assistant's ChatLog, whose tools it never lets run.

Calls are marked external, so that Home Assistant doesn't start them by itself; what
ran went through the gate.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from homeassistant.components import conversation
from homeassistant.components.conversation.chat_log import (
    AssistantContentDeltaDict,
    ToolResultContentDeltaDict,
)
from homeassistant.helpers import llm

from ..brain.loop import BrokenOff, LoopEvent, RoundStarted
from ..brain.provider import TextDelta
from ..brain.reply import Display
from ..brain.speech import Speech, spoken
from ..result import plain
from ..turn import ToolOutcome, ToolRequest
from .asking import AnswerHeard
from .report import TurnReport

type Delta = AssistantContentDeltaDict | ToolResultContentDeltaDict


async def async_feed(
    chat_log: conversation.ChatLog,
    agent_id: str,
    events: AsyncIterator[LoopEvent | AnswerHeard | TurnReport],
    *,
    stream_text: bool,
    shown: bool | None = None,
    broken_off: str = "…",
) -> TurnReport:
    """Put the turn into the log as it happens and return its report.

    `broken_off` marks an answer that another brain begins anew.

    Without `stream_text` it comes cleaned, sentence by sentence: a satellite begins to
    speak before the answer is whole. `shown` says that there is a screen, where there
    may be one for clean text too.
    """
    on_screen = stream_text if shown is None else shown
    feed = _Feed(chat_log, stream_text, on_screen, broken_off)
    async for _ in chat_log.async_add_delta_content_stream(
        agent_id, feed.deltas(events)
    ):
        pass
    assert feed.report is not None  # a turn always ends in words
    if feed.left:
        chat_log.async_add_assistant_content_without_tools(
            conversation.AssistantContent(agent_id=agent_id, content=feed.left)
        )
    return feed.report


def had_last_word(chat_log: conversation.ChatLog, agent_id: str) -> bool:
    """Return whether what was said before this message was said by that agent.

    True too if nothing is left of it: Home Assistant forgets after some minutes.
    """
    for content in reversed(chat_log.content):
        if isinstance(content, conversation.AssistantContent):
            return content.agent_id == agent_id
    return True


class _Feed:
    """Turns loop events into the deltas that ChatLog reads."""

    def __init__(
        self,
        chat_log: conversation.ChatLog,
        stream_text: bool,
        shown: bool,
        broken_off: str,
    ) -> None:
        self._chat_log = chat_log
        self._broken_off = broken_off
        self._stream_text = stream_text
        self._shown = shown
        self._display = Display()
        self._speech = Speech()
        self._open = False
        self._said = ""
        self._names: dict[str, str] = {}
        self._done = True
        self.left = ""
        self.report: TurnReport | None = None

    async def deltas(
        self, events: AsyncIterator[LoopEvent | AnswerHeard | TurnReport]
    ) -> AsyncIterator[Delta]:
        async for event in events:
            match event:
                case AnswerHeard():
                    _cover_answer(self._chat_log, event.cover)
                case RoundStarted():
                    self._done = True
                    self._open, self._said = False, ""
                    self._display, self._speech = Display(), Speech()
                case BrokenOff() if self._said:
                    # A browser appends the next message to this one until the end.
                    yield self._assistant(content=f"\n\n{self._broken_off}\n\n")
                case TextDelta() if self._stream_text:
                    if text := self._display.feed(event.text):
                        yield self._assistant(content=str(plain(text)))
                case TextDelta() if not self._done:
                    # Said while a call waits for somebody: not a model's words.
                    if text := spoken(event.text):
                        yield self._assistant(content=f"{text} ")
                case TextDelta():
                    if text := self._speech.feed(str(plain(event.text))):
                        yield self._assistant(content=text)
                case ToolRequest():
                    self._done = False
                    name = self._names[event.id] = str(plain(event.name))
                    yield self._assistant(
                        tool_calls=[
                            llm.ToolInput(
                                tool_name=name,
                                tool_args=_arguments(event),
                                id=event.id,
                                external=True,
                            )
                        ]
                    )
                case ToolOutcome():
                    self._done = True
                    self._open, self._said = False, ""
                    yield _result(event, self._names.get(event.request_id, event.tool))
                case TurnReport():
                    self.report = event
                    for delta in self._last_words(event):
                        yield delta
                case _:
                    pass

    def _assistant(
        self,
        *,
        content: str | None = None,
        tool_calls: list[llm.ToolInput] | None = None,
    ) -> Delta:
        delta: AssistantContentDeltaDict = {}
        if not self._open:
            delta["role"] = "assistant"
            self._open = True
        if content is not None:
            delta["content"] = content
            self._said += content
        if tool_calls is not None:
            delta["tool_calls"] = tool_calls
        return delta

    def _last_words(self, report: TurnReport) -> list[Delta]:
        """Return what of the answer hasn't been said yet."""
        if not self._stream_text:
            return self._last_clean(report)
        deltas = []
        if rest := str(plain(self._display.rest())):
            deltas.append(self._assistant(content=rest))
        if report.failed:
            # The response is an error, which a browser shows by itself.
            self.left = report.closing or report.shown
            return deltas
        if unsaid := self._unsaid(report):
            self._open = self._open and unsaid != report.shown
            deltas.append(self._assistant(content=unsaid))
        return deltas

    def _last_clean(self, report: TurnReport) -> list[Delta]:
        """Return what of an answer in clean text hasn't been said yet."""
        if self._shown and report.failed:
            # As in `_last_words`.
            self.left = spoken(report.closing) or report.spoken
            rest = self._speech.rest()
            return [self._assistant(content=rest)] if rest else []
        said, whole = self._said.strip(), report.spoken
        if not whole.startswith(said):
            return [self._assistant(content=f" {whole}")]
        unsaid = whole.removeprefix(said)
        if said and not unsaid.strip():
            return []
        if said != self._said:
            unsaid = unsaid.lstrip()
        return [self._assistant(content=unsaid)]

    def _unsaid(self, report: TurnReport) -> str:
        said = self._said.strip()
        if said == report.shown.strip():
            return ""
        return report.shown.removeprefix(said)


def _cover_answer(chat_log: conversation.ChatLog, cover: str) -> None:
    """Put something else in the place of an answer, before anybody reads the log."""
    for index, content in reversed([*enumerate(chat_log.content)]):
        if isinstance(content, conversation.UserContent):
            chat_log.content[index] = replace(content, content=cover)
            return


def _arguments(request: ToolRequest) -> dict[str, Any]:
    """Return a call's arguments as the log can be sent to a browser."""
    try:
        arguments = plain(request.arguments)
    except RecursionError:
        return {}
    return arguments if isinstance(arguments, dict) else {}


def _result(outcome: ToolOutcome, name: str) -> Delta:
    if outcome.error is None:
        data = outcome.data if isinstance(outcome.data, dict) else {}
    else:
        data = {
            "error": outcome.error.message,
            "code": outcome.error.code.value,
            "retryable": outcome.error.retryable,
        }
    return {
        "role": "tool_result",
        "tool_call_id": outcome.request_id,
        "tool_name": name,
        "result": llm.ToolResult(data=data, error=outcome.error is not None),
    }

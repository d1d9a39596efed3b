"""Files on the wire of each vendor, wherever in a conversation they stand."""

from typing import Any

import pytest

from custom_components.caesar.brain.provider import (
    AssistantMessage,
    Attachment,
    Message,
    ToolResultMessage,
    UserMessage,
)
from custom_components.caesar.providers import (
    anthropic_messages,
    attachments,
    ollama_messages,
    openai_compat_messages,
)
from custom_components.caesar.turn import ToolOutcome, ToolRequest

PICTURE = Attachment(media_type="image/png", data=b"\x89PNG", name="door.png")
BILL = Attachment(media_type="application/pdf", data=b"%PDF-", name="")
TALK: tuple[Message, ...] = (
    UserMessage(text=" ", attachments=(PICTURE,)),
    AssistantMessage(requests=(ToolRequest(id="c1", name="look", arguments={}),)),
    ToolResultMessage(outcome=ToolOutcome(request_id="c1", tool="look", data=1)),
    UserMessage(text="And this?", attachments=(BILL,)),
)


def _kinds(message: dict[str, Any]) -> tuple[str, Any]:
    content = message.get("content")
    if isinstance(content, list):
        content = [part["type"] for part in content]
    return message["role"], content


def test_anthropic() -> None:
    """Results come first, then files, then words."""
    wire = anthropic_messages.build_messages(TALK)
    assert [_kinds(message) for message in wire] == [
        ("user", ["image"]),
        ("assistant", ["tool_use"]),
        ("user", ["tool_result", "document", "text"]),
    ]
    assert wire[0]["content"][0]["source"] == {
        "type": "base64",
        "media_type": "image/png",
        "data": "iVBORw==",
    }


def test_openai() -> None:
    """A message without files stays a text: many servers know nothing else."""
    wire = openai_compat_messages.build_messages((*TALK, UserMessage(text="Well?")))
    assert [_kinds(message) for message in wire] == [
        ("user", ["image_url"]),
        ("assistant", None),
        ("tool", "1"),
        ("user", ["file", "text"]),
    ]
    assert wire[0]["content"][0]["image_url"]["url"] == "data:image/png;base64,iVBORw=="
    assert wire[3]["content"][0]["file"] == {
        "filename": "document.pdf",
        "file_data": "data:application/pdf;base64,JVBERi0=",
    }
    [plain] = openai_compat_messages.build_messages([UserMessage(text="Well?")])
    assert plain == {"role": "user", "content": "Well?"}


def test_ollama() -> None:
    """Bytes, never a text: the SDK would read a file of that name."""
    [said] = ollama_messages.build_messages((), TALK[:1])
    assert said == {"role": "user", "content": "", "images": [b"\x89PNG"]}
    [plain] = ollama_messages.build_messages((), [UserMessage(text="Well?")])
    assert plain == {"role": "user", "content": "Well?"}


@pytest.mark.parametrize(
    "limits", [attachments.ANTHROPIC, attachments.OPENAI, attachments.OLLAMA]
)
def test_limits(limits: dict[str, int]) -> None:
    """No file is longer on the wire than what every vendor takes."""
    assert {"image/png", "image/jpeg"} <= set(limits)
    images = [most for kind, most in limits.items() if kind.startswith("image/")]
    assert all(most <= 4 * 1024 * 1024 for most in limits.values())
    assert limits is not attachments.ANTHROPIC or max(images) * 4 / 3 <= 5 * 1024 * 1024

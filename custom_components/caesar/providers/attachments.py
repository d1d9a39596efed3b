"""What may go with a person's words to a model, and how each vendor writes it. Pure.

Source: the "Vision" and "PDF support" pages of Anthropic's API documentation, the
"Images and vision" and "File inputs" pages of OpenAI's, and "Vision" of Ollama's.
"""

import asyncio
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from ..brain.provider import Attachment, CompletionRequest, UserMessage
from .wire import Wire, clean

PDF: Final = "application/pdf"
_MIB: Final = 1024 * 1024
# A request is written out as JSON on Home Assistant's event loop, 4 ms a MiB; so our
# own limits lie below what OpenAI and Ollama take.
_MOST: Final = 4 * _MIB
_IMAGES: Final = ("image/gif", "image/jpeg", "image/png", "image/webp")

# The most bytes of one file by its type. Anthropic's 5 MiB are those of its base64.
ANTHROPIC: Final[Mapping[str, int]] = {
    **dict.fromkeys(_IMAGES, 5 * _MIB // 4 * 3),
    PDF: _MOST,
}
OPENAI: Final[Mapping[str, int]] = {**dict.fromkeys(_IMAGES, _MOST), PDF: _MOST}
OLLAMA: Final[Mapping[str, int]] = dict.fromkeys(("image/jpeg", "image/png"), _MOST)


def anthropic_block(file: Attachment) -> Wire:
    """Return a file as a block of Anthropic's Messages API."""
    kind = "document" if file.media_type == PDF else "image"
    source = {"type": "base64", "media_type": file.media_type, "data": _base64(file)}
    return {"type": kind, "source": source}


def openai_part(file: Attachment) -> Wire:
    """Return a file as a part of a message of the Chat Completions API."""
    url = f"data:{file.media_type};base64,{_base64(file)}"
    if file.media_type == PDF:
        name = clean(file.name) or "document.pdf"
        return {"type": "file", "file": {"filename": name, "file_data": url}}
    return {"type": "image_url", "image_url": {"url": url}}


def are_in(request: CompletionRequest) -> bool:
    """Return whether a file goes with any words of a round."""
    return any(_files(request))


async def written[T](request: CompletionRequest, write: Callable[[], T]) -> T:
    """Return what `write` makes of a round; with files, off the event loop."""
    if are_in(request):
        return await asyncio.to_thread(write)
    return write()


def _files(request: CompletionRequest) -> Iterable[Attachment]:
    for message in request.messages:
        if isinstance(message, UserMessage):
            yield from message.attachments


def _base64(file: Attachment) -> str:
    return b64encode(file.data).decode()

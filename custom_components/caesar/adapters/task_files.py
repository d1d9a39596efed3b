"""The files that go with a task: what they are, and whether a model takes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
import stat
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ..brain.provider import Attachment
from ..const import DOMAIN
from ..wording import one_line

MOST_FILES: Final = 10
_MIB: Final = 1024 * 1024
# All files of a task together, in bytes.
MOST_BYTES: Final = 8 * _MIB

# What a file is says its beginning; its name and the type that came with it are guesses.
_BEGINNINGS: Final = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFile:
    """A file where Home Assistant has put it; `title` is what a person calls it."""

    path: Path
    title: str


def task_error(key: str, **placeholders: str) -> HomeAssistantError:
    """Return the translated error of that key."""
    return HomeAssistantError(
        translation_domain=DOMAIN,
        translation_key=key,
        translation_placeholders={
            name: one_line(text)[:200] for name, text in placeholders.items()
        },
    )


async def async_read_files(
    hass: HomeAssistant, files: Sequence[TaskFile], limits: Mapping[str, int]
) -> tuple[Attachment, ...]:
    """Return the files as a model takes them, read in the executor.

    `limits` are the most bytes of one file by its media type. Raises
    HomeAssistantError, translated.
    """
    if not files:
        return ()
    if not limits:
        raise task_error("task_no_files")
    if len(files) > MOST_FILES:
        raise task_error("task_too_many_files", most=str(MOST_FILES))
    return await hass.async_add_executor_job(_read_all, files, limits)


def _read_all(
    files: Sequence[TaskFile], limits: Mapping[str, int]
) -> tuple[Attachment, ...]:
    read: list[Attachment] = []
    for file in files:
        read.append(_read(file, limits))
        if sum(len(each.data) for each in read) > MOST_BYTES:
            raise task_error("task_files_too_large", most=_mib(MOST_BYTES))
    return tuple(read)


def _read(file: TaskFile, limits: Mapping[str, int]) -> Attachment:
    """Return one file; never more of it is read than any model takes."""
    most = max(limits.values())
    try:
        # What isn't a regular file may never end, or never begin.
        if not stat.S_ISREG(file.path.stat().st_mode):
            raise task_error("task_file_unreadable", file=file.title)
        with file.path.open("rb") as opened:
            data = opened.read(most + 1)
    except OSError as err:
        raise task_error("task_file_unreadable", file=file.title) from err
    media_type = _type_of(data)
    if media_type not in limits:
        kinds = sorted(kind.rpartition("/")[2].upper() for kind in limits)
        raise task_error("task_file_type", file=file.title, types=", ".join(kinds))
    if len(data) > limits[media_type]:
        raise task_error(
            "task_file_too_large", file=file.title, most=_mib(limits[media_type])
        )
    return Attachment(media_type=media_type, data=data, name=file.path.name)


def _type_of(data: bytes) -> str:
    """Return what a file is by its beginning; empty for what no model takes."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _BEGINNINGS if data.startswith(start)), "")


def _mib(size: int) -> str:
    return f"{size / _MIB:.3g}"

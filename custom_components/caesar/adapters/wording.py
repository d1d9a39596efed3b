"""The sentences for people, for adapters; they live in `caesar/wording.py`."""

from ..wording import Wording, async_wording, reason_text

__all__ = ["Wording", "async_wording", "reason_text"]

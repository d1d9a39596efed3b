"""The one canonical JSON that is hashed, signed and compared."""

from collections.abc import Mapping, Sequence
import hashlib
import json

type Json = str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None


def canonical_json(value: Json) -> str:
    """Return `value` as JSON with sorted keys and no spaces.

    Raises ValueError for NaN and infinities and TypeError for what JSON lacks, so
    that two different values can never share a text.
    """
    return json.dumps(
        value,
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
        allow_nan=False,
    )


def sha256_json(value: Json) -> str:
    """Return the SHA-256 of the canonical JSON of `value`, as hexadecimal text."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()

"""Files that go with words: counted like words, and kept nowhere."""

import pytest

from custom_components.caesar.brain.codec import CodecError, decode, encode
from custom_components.caesar.brain.meter import metered
from custom_components.caesar.brain.provider import Attachment, Usage, UserMessage
from tests.core.provider.rounds import request

PICTURE = Attachment(media_type="image/png", data=b"secret", name="door.png")


def test_no_checkpoint_keeps_one() -> None:
    """A turn with a file can't be parked, so it never waits on disk; its bytes hide."""
    with pytest.raises(CodecError, match="Attachment can't be kept"):
        encode(UserMessage(text="Look", attachments=(PICTURE,)))
    plain = UserMessage(text="Look")
    assert decode(encode(plain)) == plain
    assert "secret" not in repr(PICTURE)


def test_a_file_is_no_free_ride() -> None:
    """A server that reports no tokens is billed for the files too."""
    said = UserMessage(text="Look", attachments=(PICTURE, PICTURE))
    words = metered(Usage(), request(UserMessage(text="Look")), "A door.")
    files = metered(Usage(), request(said), "A door.")
    assert files.input_tokens - words.input_tokens == 3200
    assert files.output_tokens == words.output_tokens

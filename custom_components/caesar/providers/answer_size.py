"""How much an answer may hold, and how many tokens it may claim. Pure."""

from typing import Final

from ..brain.provider import ErrorKind, ProviderError

# More than any answer: a server that never stops must not fill the memory.
MOST_CHARACTERS: Final = 200_000
MOST_PARTS: Final = 64
_MOST_TOKENS: Final = 1_000_000_000


class AnswerSize:
    """Counts the characters and the parts of one answer; a call is a part."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._characters = 0
        self._parts = 0

    def add(self, *texts: str, parts: int = 0) -> None:
        """Count what came. Raises ProviderError for an answer without an end."""
        self._characters += sum(map(len, texts))
        self._parts += parts
        if self._characters > MOST_CHARACTERS or self._parts > MOST_PARTS:
            raise ProviderError(ErrorKind.CUT, "The answer is endless")


def tokens(claimed: object) -> int:
    """Return a count that can be added up and kept, whatever the server claims."""
    return min(max(claimed, 0), _MOST_TOKENS) if isinstance(claimed, int) else 0

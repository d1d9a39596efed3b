"""Why a bundled tool can't do something, in the languages that CAESAR speaks."""

from dataclasses import dataclass

from ..worker import TaskError


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """A value that is another word in each language."""

    en: str
    de: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorWords:
    """An error in words: templates that hold the same values in braces.

    `code` and `retryable` are those of the `TaskError`.
    """

    code: str
    en: str
    de: str
    retryable: bool = False

    def error(self, **values: str | int | Both) -> TaskError:
        """Return the error with its values filled in."""
        english = {
            name: value.en if isinstance(value, Both) else value
            for name, value in values.items()
        }
        german = {
            name: value.de if isinstance(value, Both) else value
            for name, value in values.items()
        }
        return TaskError(
            self.en.format_map(english),
            code=self.code,
            retryable=self.retryable,
            texts={"de": self.de.format_map(german)},
        )

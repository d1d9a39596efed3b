"""Who makes vectors, from the environment."""

from typing import Final

from yarl import URL

from ...environment import Environment, SettingsError
from .embedders import Embedder, OllamaEmbedder, OpenAiEmbedder, TableEmbedder

KINDS: Final = ("words", "wordllama", "ollama", "openai")


def read(environment: Environment) -> Embedder | None:
    """Return who makes vectors; None for words alone.

    Raises SettingsError, ImportError if the package of a local table is missing.
    """
    section = environment.section("recall")
    kind = (section.text("EMBEDDER") or "words").lower()
    url, model, key = section.text("URL"), section.text("MODEL"), section.secret("KEY")
    if kind not in KINDS:
        raise SettingsError(
            f"{section.variable('EMBEDDER')} must be one of {', '.join(KINDS)}."
        )
    if kind == "words":
        return None
    if kind == "wordllama":
        return TableEmbedder()
    for name, value in (("URL", url), ("MODEL", model)):
        if not value:
            raise SettingsError(f"{section.variable(name)} is missing.")
    base = URL(url or "")
    if base.scheme not in ("http", "https") or not base.host:
        raise SettingsError(
            f"{section.variable('URL')} must be an address like http://192.168.1.5:11434."
        )
    if key is not None and not (key.isascii() and key.isprintable()):
        raise SettingsError(f"{section.variable('KEY')} is no key: copy it again.")
    if kind == "ollama":
        return OllamaEmbedder(base, model or "", key)
    return OpenAiEmbedder(base, model or "", key)

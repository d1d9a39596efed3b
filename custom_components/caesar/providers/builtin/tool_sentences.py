"""Sentences of tools: which are heard, and what they ask of their tool.

They come from workers. Each is read within bounds and held against the everyday
sentences of its language: one that would hear these is not heard at all. Home
Assistant's sentences and CAESAR's own come first in any case.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
import re
from typing import Final

from ...legion.canonical import Json
from ...legion.spec import ToolSpec
from ...policy.impact import READ_TOOLS
from .everyday import EVERYDAY
from .sentences import without_fillers
from .templates import (
    Spelling,
    TemplateError,
    Trouble,
    Wildcard,
    plain,
    said,
    spell_out,
)
from .tool_inputs import Property, read_property, required

MAX_SENTENCES: Final = 32
MAX_ALL_SPELLINGS: Final = 1000
MAX_WORDS: Final = 60
# What a hostile tool can cost: ways to put its wildcards, steps of its patterns.
_MAX_WAYS: Final = 16
_STEPS_OF_A_TURN: Final = 3_000_000
_STEPS_OF_READING: Final = 20_000_000
# Said as often as "what is", and rarely thought of by who writes a template.
_SHORT_IS: Final = re.compile(r"^(how|what|when|where|who)(?:['’]?s)\b", re.IGNORECASE)
_END_MARKS: Final = " \t\r\n.!?…,;:"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceProblem:
    """Why a sentence of a tool is not heard.

    `key` names a text of the translations' `exceptions`, `values` fill it; `sentence`
    is the template itself, empty if all of a language are meant.
    """

    sentence: str
    key: str
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolHeard:
    """A tool's sentence that was said: the arguments are checked property by property."""

    tool: ToolSpec
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """A spelling that is listened for; `words` are its fixed ones."""

    spelling: Spelling
    words: frozenset[str]
    inputs: Mapping[str, Property]


@dataclass(slots=True)
class _Budget:
    """How many steps may still be taken to check values."""

    left: int


@dataclass(frozen=True, slots=True)
class _Word:
    """A word as it is compared, and where it stands in the text."""

    plain: str
    start: int
    end: int


@dataclass(slots=True)
class _Known:
    """The sentences of one tool, by base language."""

    spec: ToolSpec
    sentences: dict[str, tuple[_Sentence, ...]] = field(default_factory=dict)


class ToolSentences:
    """Hears the sentences of the tools that exist at the moment of each turn.

    Sync and free of Home Assistant, for use in an executor; one call at a time.
    """

    def __init__(self) -> None:
        """Know no tools yet."""
        self._known: dict[str, _Known] = {}

    def prepare(self, tools: Iterable[ToolSpec], language: str) -> None:
        """Read the sentences of `tools` now, so that the first `find` need not."""
        for known in self._follow(tools):
            self._sentences(known, _base(language))

    def find(
        self, tools: Iterable[ToolSpec], text: str, language: str
    ) -> ToolHeard | None:
        """Return the one of `tools` whose sentence fits `text` best, None if none does.

        CAESAR's own tools come first: no other can take their words. Then, more fixed
        words fit better.
        """
        base, text = _base(language), text.strip(_END_MARKS)
        known, budget = self._follow(tools), _Budget(_STEPS_OF_A_TURN)
        texts = (text, _SHORT_IS.sub(r"\1 is", text)) if base == "en" else (text,)
        found = (self._best(known, each, base, budget) for each in dict.fromkeys(texts))
        return next((each for each in found if each is not None), None)

    def _best(
        self, tools: Iterable[_Known], text: str, base: str, budget: _Budget
    ) -> ToolHeard | None:
        words = tuple(_split(text))
        if len(words) > MAX_WORDS:
            return None
        found: list[tuple[bool, int, str, ToolHeard]] = []
        for known in tools:
            for sentence in self._sentences(known, base):
                arguments = _match(sentence, text, words, base, budget)
                if arguments is not None:
                    heard = ToolHeard(tool=known.spec, arguments=arguments)
                    name = known.spec.name
                    found.append(
                        (name not in READ_TOOLS, -len(sentence.words), name, heard)
                    )
                    break
        return min(found, key=lambda each: each[:3])[3] if found else None

    def _follow(self, tools: Iterable[ToolSpec]) -> Iterable[_Known]:
        """Return what is known of these tools; what has gone is forgotten."""
        now = {spec.name: spec for spec in tools}
        known = {
            name: old
            if (old := self._known.get(name)) and old.spec == spec
            else _Known(spec)
            for name, spec in now.items()
        }
        self._known = known
        return list(known.values())

    def _sentences(self, known: _Known, base: str) -> tuple[_Sentence, ...]:
        if base not in known.sentences:
            known.sentences[base], _ = _read(known.spec, base)
        return known.sentences[base]


def sentence_problems(spec: ToolSpec, language: str) -> tuple[SentenceProblem, ...]:
    """Return which of a tool's sentences of a language are not heard, and why.

    Takes up to a tenth of a second: for an executor.
    """
    return _read(spec, _base(language))[1]


def heard_sentences(spec: ToolSpec, language: str) -> tuple[str, ...]:
    """Return the templates of a language that are heard, as they are written."""
    refused = {problem.sentence for problem in sentence_problems(spec, language)}
    if "" in refused:
        return ()
    return tuple(
        each for each in _templates(spec, _base(language)) if each not in refused
    )


def _read(
    spec: ToolSpec, base: str
) -> tuple[tuple[_Sentence, ...], tuple[SentenceProblem, ...]]:
    """Return what is listened for, those with the most fixed words first."""
    templates = _templates(spec, base)
    if len(templates) > MAX_SENTENCES:
        limit = {"limit": str(MAX_SENTENCES)}
        return (), (_problem("", TemplateError(Trouble.TOO_MANY, **limit)),)
    found: list[_Sentence] = []
    problems = []
    budget = _Budget(_STEPS_OF_READING)
    for template in templates:
        try:
            room = MAX_ALL_SPELLINGS - len(found)
            sentences = _sentences_of(spec.input_schema, template, room)
            _check_everyday(sentences, base, budget)
        except TemplateError as err:
            problems.append(_problem(template, err))
        else:
            found += sentences
    found.sort(key=lambda sentence: -len(sentence.words))
    return tuple(found), tuple(problems)


def _templates(spec: ToolSpec, base: str) -> tuple[str, ...]:
    """Return a tool's templates of a language, those of "de-CH" for "de" too."""
    return tuple(
        dict.fromkeys(
            template
            for tag, templates in spec.sentences.items()
            if _base(tag) == base
            for template in templates
        )
    )


def _sentences_of(
    schema: Mapping[str, Json], template: str, room: int
) -> list[_Sentence]:
    """Return the ways to say a template, at most `room`. Raises TemplateError."""
    inputs: dict[str, Property] = {}
    sentences = []
    must = required(schema)
    for spelling in spell_out(template):
        names = {part.name for part in spelling if isinstance(part, Wildcard)}
        for name in names - inputs.keys():
            inputs[name] = read_property(schema, name)
        if lacks := must - names:
            raise TemplateError(Trouble.REQUIRED, property=", ".join(sorted(lacks)))
        fixed = frozenset(part for part in spelling if isinstance(part, str))
        sentences.append(_Sentence(spelling=spelling, words=fixed, inputs=inputs))
    if len(sentences) > room:
        raise TemplateError(Trouble.TOO_LARGE, limit=str(MAX_ALL_SPELLINGS))
    return sentences


def _check_everyday(sentences: Sequence[_Sentence], base: str, budget: _Budget) -> None:
    """Refuse what would hear a sentence that people say to their house.

    Raises TemplateError.
    """
    everyday = EVERYDAY.get(base, ())
    for text in dict.fromkeys(
        (*everyday, *(without_fillers(e, base) for e in everyday))
    ):
        words = tuple(_split(text))
        for sentence in sentences:
            heard = _match(sentence, text, words, base, budget)
            if budget.left < 0:
                raise TemplateError(Trouble.TOO_LARGE, limit=str(MAX_ALL_SPELLINGS))
            if heard is not None:
                raise TemplateError(
                    Trouble.EVERYDAY, words=said(sentence.spelling), everyday=text
                )


def _problem(template: str, err: TemplateError) -> SentenceProblem:
    return SentenceProblem(
        sentence=template, key=f"sentence_{err.trouble.value}", values=err.values
    )


def _match(
    sentence: _Sentence,
    text: str,
    words: Sequence[_Word],
    base: str,
    budget: _Budget,
) -> dict[str, Json] | None:
    """Return the arguments that a text means by a sentence, None if it is another."""
    if not sentence.words.issubset(word.plain for word in words):
        return None
    for places in islice(_places(sentence.spelling, words, 0), _MAX_WAYS):
        arguments: dict[str, Json] = {}
        for name, (first, last) in places.items():
            words_ = text[words[first].start : words[last].end].rstrip(_END_MARKS)
            budget.left -= sentence.inputs[name].cost(words_)
            if budget.left < 0:
                return None
            if (value := sentence.inputs[name].value(words_, base)) is None:
                break
            arguments[name] = value
        else:
            return arguments
    return None


def _places(
    spelling: Sequence[str | Wildcard], words: Sequence[_Word], at: int
) -> Iterator[dict[str, tuple[int, int]]]:
    """Yield the ways to lay a spelling over the words from `at` to the end.

    Each says which words, first and last, a wildcard takes; short ones come first.
    """
    for index, part in enumerate(spelling):
        if isinstance(part, Wildcard):
            rest = spelling[index + 1 :]
            if not rest:
                if at < len(words):
                    yield {part.name: (at, len(words) - 1)}
                return
            for end in range(at, len(words) - len(rest)):
                if words[end + 1].plain == rest[0]:
                    for places in _places(rest, words, end + 1):
                        yield {part.name: (at, end), **places}
            return
        if at >= len(words) or words[at].plain != part:
            return
        at += 1
    if at == len(words):
        yield {}


def _split(text: str) -> Iterator[_Word]:
    """Yield the words of a text with their places."""
    at = 0
    for each in text.split():
        start = text.index(each, at)
        at = start + len(each)
        yield _Word(plain(each), start, at)


def _base(language: str) -> str:
    return language.partition("-")[0].casefold()

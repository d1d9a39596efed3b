"""What a worker says of itself, for a person to read: text only, never markup."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
import json
from typing import Final

from homeassistant.helpers.selector import SelectOptionDict

from ..adapters.worker_pins import HARMLESS, IN_READ_ONLY
from ..legion.canonical import Json
from ..legion.spec import Annotations, ToolSpec
from ..legion.spec_json import spec_as_json
from ..providers.builtin.tool_sentences import sentence_problems
from ..wording import Wording, one_line, plain
from .steps import MAX_LINE, lines_changed

# No question of its own: it is confirmed with `read_only`.
_NOT_ASKED: Final = "idempotent"
_JOIN: Final = "."


def claims(annotations: Annotations) -> tuple[str, ...]:
    """Return the harmless properties that a tool claims, each as one question."""
    said = asdict(annotations)
    return tuple(
        name
        for name, value in HARMLESS.items()
        if said[name] is value
        and name != _NOT_ASKED
        and not (name in IN_READ_ONLY and annotations.read_only)
    )


def claim_options(
    wording: Wording, specs: Sequence[ToolSpec]
) -> list[SelectOptionDict]:
    """Return all that can be confirmed of these tools, one line each."""
    return [
        SelectOptionDict(
            value=f"{spec.name}{_JOIN}{name}",
            label=f"{one_line(spec.title)}: {wording.text(f'worker_claim_{name}')}",
        )
        for spec in specs
        for name in claims(spec.annotations)
    ]


def confirmed(
    chosen: Collection[str], specs: Sequence[ToolSpec]
) -> dict[str, list[str]]:
    """Return the names of annotations that were confirmed, by tool."""
    found: dict[str, list[str]] = {}
    for spec in specs:
        names = [
            name
            for name in claims(spec.annotations)
            if f"{spec.name}{_JOIN}{name}" in chosen
        ]
        if "read_only" in names:
            said = asdict(spec.annotations)
            names += [name for name in IN_READ_ONLY if said[name] is HARMLESS[name]]
        found[spec.name] = names
    return found


def chosen_again(
    kept: Mapping[str, Collection[str]], specs: Sequence[ToolSpec]
) -> list[str]:
    """Return what was confirmed before, as the form holds it."""
    return [
        f"{spec.name}{_JOIN}{name}"
        for spec in specs
        for name in claims(spec.annotations)
        if name in kept.get(spec.name, ())
    ]


def described(
    wording: Wording,
    specs: Sequence[ToolSpec],
    notes: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return what these tools are, a paragraph each; `notes` are said of one tool."""
    return "\n\n".join(
        "\n".join(_tool(wording, spec, (notes or {}).get(spec.name, ())))
        for spec in specs
    )


def _tool(wording: Wording, spec: ToolSpec, notes: Sequence[str]) -> list[str]:
    rows = [f"**{plain(spec.title)}** (`{spec.name}`): {plain(spec.description)}", ""]
    rows += [f"- {_annotations(wording, spec.annotations)}"]
    rows += [
        "- "
        + wording.text(
            "worker_sentences",
            language=language,
            sentences=", ".join(f"“{plain(each)}”" for each in templates),
        )
        for language, templates in sorted(spec.sentences.items())
        if templates
    ]
    rows += [f"- ⚠️ {plain(note)}" for note in notes]
    return [*rows, "", _input(spec)]


def _input(spec: ToolSpec) -> str:
    """Return the schema of a tool's input as a block: a model reads every word of it."""
    text = json.dumps(spec.input_schema, sort_keys=True, ensure_ascii=False)
    # Joiners may be there, which could hide what else is.
    seen = "".join(sign if sign.isprintable() else " " for sign in text)
    lines = [seen[at : at + MAX_LINE] for at in range(0, len(seen), MAX_LINE)]
    # A fence in it must not end the block.
    return "\n".join(["```", *(line.replace("```", "'''") for line in lines), "```"])


def _annotations(wording: Wording, own: Annotations) -> str:
    if own.read_only:
        does = "worker_says_reads"
    else:
        does = "worker_says_destroys" if own.destructive else "worker_says_changes"
    said = [
        does,
        "worker_says_outside" if own.open_world else "worker_says_inside",
        "worker_says_private" if own.private_data else "worker_says_not_private",
        "worker_says_untrusted" if own.untrusted_result else "worker_says_trusted",
    ]
    return wording.text(
        "worker_says", what="; ".join(wording.text(key) for key in said)
    )


def sentence_notes(wording: Wording, specs: Sequence[ToolSpec]) -> dict[str, list[str]]:
    """Return by tool which of its sentences are not heard, and why.

    Takes up to a tenth of a second for each language: for an executor.
    """
    return {
        spec.name: [
            wording.text(
                "worker_note_sentence" if problem.sentence else "worker_note_sentences",
                sentence=problem.sentence,
                language=language,
                why=wording.text(problem.key, **problem.values),
            )
            for language in spec.sentences
            for problem in sentence_problems(spec, language)
        ]
        for spec in specs
    }


def difference(old: ToolSpec | None, new: ToolSpec | None) -> str:
    """Return what is different between two specifications, as a block of lines."""
    return lines_changed(_text(old), _text(new))


def _text(spec: ToolSpec | None) -> str:
    """Return a specification as lines that differ only where it does.

    A long text is one line each: its line ends would hide where it begins.
    """
    if spec is None:
        return ""
    said: Json = spec_as_json(spec)
    return json.dumps(said, indent=2, sort_keys=True, ensure_ascii=False)

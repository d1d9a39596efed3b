"""Slips of an owner's pen, made on purpose."""

from collections.abc import Iterator
from random import Random

from custom_components.caesar.policy.yaml_tree import Block, Listing, Node

type Place = tuple[int, int, str]


def places(node: Node | None) -> Iterator[Place]:
    """Yield line, column and text of every key, and of every word that is a value."""
    match node:
        case Block(entries=entries):
            for key, child in entries:
                yield key.line, key.column, str(key.value)
                yield from places(child)
        case Listing(items=items):
            for item in items:
                yield from places(item)
        case None:
            return
        case _:
            if isinstance(node.value, str):
                yield node.line, node.column, node.value


def misspelt(word: str, dice: Random) -> str:
    """Return a word with a slip in it."""
    at = dice.randrange(len(word))
    return dice.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + dice.choice("abcxyz_") + word[at + 1 :],
            word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
            word + "s",
            word.upper(),
            word.replace("_", "-"),
        ]
    )


def replaced(text: str, place: Place, new: str) -> str:
    """Return the text with one of its words replaced."""
    line, column, old = place
    lines = text.splitlines()
    chosen = lines[line - 1]
    start = column - 1
    # A quoted word begins with its quote.
    start += chosen[start] == '"'
    assert chosen[start : start + len(old)] == old
    lines[line - 1] = chosen[:start] + new + chosen[start + len(old) :]
    return "\n".join(lines)

"""Works an expression out while reading it; nothing of it ever reaches Python's own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from ..error_words import Both
from . import arithmetic, refusals
from .arithmetic import FUNCTIONS, Number
from .tokens import Kind, Token, tokens

MAX_LENGTH: Final = 256
MAX_DEPTH: Final = 50
_STARTS: Final = frozenset({Kind.NUMBER, Kind.FUNCTION, Kind.OPEN})


def evaluate(text: str, *, comma: bool = False) -> Number:
    """Return what an expression comes to.

    `comma` says that its language writes decimals with a comma. Percentages are of what
    they follow "of" or are added to: 249 + 19% is 249 * 1.19. Raises TaskError, in words
    that name what is wrong.
    """
    if len(text) > MAX_LENGTH:
        raise refusals.TOO_LONG.error(what=refusals.EXPRESSION, most=MAX_LENGTH)
    try:
        return arithmetic.final(_Parser(tokens(text, comma=comma)).whole())
    except OverflowError:
        arithmetic.too_large()
    except (ArithmeticError, ValueError):
        raise refusals.NO_ANSWER.error() from None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Term:
    # `percent`: written as a percentage, so that what it is added to can be its base.
    value: Number
    percent: bool = False


class _Parser:
    """A recursive descent over tokens, no deeper than MAX_DEPTH."""

    def __init__(self, found: list[Token]) -> None:
        self._found = found
        self._at = 0
        self._depth = 0

    def whole(self) -> Number:
        if self._next().kind is Kind.END:
            raise refusals.NOTHING.error()
        value = self._sum()
        if self._next().kind is not Kind.END:
            raise refusals.UNEXPECTED.error(text=self._next().text[:40])
        return value

    def _next(self) -> Token:
        return self._found[self._at]

    def _take(self) -> Token:
        token = self._next()
        self._at += 1
        return token

    def _operator(self, *texts: str) -> str | None:
        if self._next().kind is Kind.OPERATOR and self._next().text in texts:
            return self._take().text
        return None

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise refusals.TOO_DEEP.error(most=MAX_DEPTH)
        yield
        self._depth -= 1

    def _sum(self) -> Number:
        value = self._product().value
        while (sign := self._operator("+", "-")) is not None:
            term = self._product()
            change = term.value
            if term.percent:
                change = arithmetic.multiply(value, change)
            act = arithmetic.add if sign == "+" else arithmetic.subtract
            value = act(value, change)
        return value

    def _product(self) -> _Term:
        term = self._signed()
        while True:
            if self._next().kind is Kind.OF:
                self._take()
                act = arithmetic.multiply
            elif (sign := self._operator("*", "/", "//", "mod")) is not None:
                act = _PRODUCTS[sign]
            elif self._next().text == "%":
                self._take()
                act = arithmetic.modulo
            else:
                return term
            term = _Term(value=act(term.value, self._signed().value))

    def _signed(self) -> _Term:
        if (sign := self._operator("+", "-")) is None:
            return self._power()
        with self._deeper():
            term = self._signed()
        return _Term(value=-term.value, percent=term.percent) if sign == "-" else term

    def _power(self) -> _Term:
        term = self._percentage()
        if self._operator("**") is None:
            return term
        with self._deeper():
            exponent = self._signed()
        return _Term(value=arithmetic.power(term.value, exponent.value))

    def _percentage(self) -> _Term:
        value = self._operand()
        if not self._at_percent_sign():
            return _Term(value=value)
        self._take()
        return _Term(
            value=arithmetic.divide(_decimal(value), 100),
            percent=True,
        )

    def _at_percent_sign(self) -> bool:
        """Say whether a percentage ends here; before a value the sign is a remainder."""
        sign = self._next()
        if sign.kind is Kind.PERCENT:
            return True
        if sign.text != "%":
            return False
        after = self._found[self._at + 1]
        if after.kind is Kind.OPERATOR and after.text in ("+", "-") and not after.apart:
            raise refusals.PERCENT_OR_REST.error(text=after.text)
        return after.kind not in _STARTS

    def _operand(self) -> Number:
        token = self._take()
        if token.kind is Kind.NUMBER and token.value is not None:
            if self._next().kind in _STARTS:
                raise refusals.NO_OPERATOR.error(text=self._next().text[:40])
            return token.value
        if token.kind is Kind.OPEN:
            with self._deeper():
                value = self._sum()
            self._close()
            return value
        if token.kind is Kind.FUNCTION:
            with self._deeper():
                return self._function(token.text)
        if token.kind is Kind.END:
            raise refusals.NO_NUMBER_AT_END.error()
        raise refusals.NO_NUMBER_BEFORE.error(text=token.text)

    def _function(self, name: str) -> Number:
        if self._next().kind is Kind.OF:
            self._take()
        values: list[Number] = []
        if self._next().kind is Kind.OPEN:
            self._take()
            while self._next().kind is not Kind.CLOSE:
                values.append(self._sum())
                if self._next().kind is not Kind.COMMA:
                    break
                self._take()
            self._close()
        else:
            values.append(self._power().value)
        function, least, most = FUNCTIONS[name]
        if not least <= len(values) <= most:
            wanted = _count(least, most)
            raise refusals.VALUES.error(name=name, values=wanted, given=len(values))
        return arithmetic.checked(function(*values))

    def _close(self) -> None:
        if self._take().kind is not Kind.CLOSE:
            raise refusals.NOT_CLOSED.error()


_PRODUCTS: Final = {
    "*": arithmetic.multiply,
    "/": arithmetic.divide,
    "//": arithmetic.floor_divide,
    "mod": arithmetic.modulo,
}


def _decimal(value: Number) -> Number:
    return value if isinstance(value, float) else Fraction(value)


def _count(least: int, most: int) -> Both:
    """Return how many values a function takes."""
    if least == most:
        one = least == 1
        return Both(
            en=f"{least} {'value' if one else 'values'}",
            de=f"{least} {'Wert' if one else 'Werte'}",
        )
    return Both(en=f"{least} to {most} values", de=f"{least} bis {most} Werte")

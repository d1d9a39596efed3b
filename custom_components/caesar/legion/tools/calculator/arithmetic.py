"""Arithmetic that can't run away: sizes are checked before an operation runs.

Whole numbers stay whole, decimals and quotients are exact fractions; a float appears
only where no fraction could be right, as in a root or a sine.
"""

from collections.abc import Callable
from fractions import Fraction
import math
from typing import Final, Never, SupportsFloat

from . import refusals

type Number = int | Fraction | float

MAX_BITS: Final = 4096
MAX_DIGITS: Final = 1000
MAX_EXPONENT: Final = 10_000
MAX_PLACES: Final = 300
# Beyond this an ordinary decimal ends (IEEE 754 binary64); only whole numbers go on.
_DECIMAL_END: Final = 1 << 1024
_TOO_MANY_DIGITS: Final = 10**MAX_DIGITS


def too_large() -> Never:
    """Refuse a number that nobody could read."""
    raise refusals.RESULT_TOO_LARGE.error()


def checked(number: Number | complex) -> Number:
    """Return a number that is real, finite and small enough, or refuse it."""
    if isinstance(number, complex):
        raise refusals.NOT_REAL.error()
    if isinstance(number, float):
        if math.isinf(number):
            too_large()
        if math.isnan(number):
            raise refusals.NOT_A_NUMBER.error()
        return number
    _bits(number)
    if isinstance(number, Fraction) and abs(number) >= _DECIMAL_END:
        too_large()
    return number


def final(number: Number) -> Number:
    """Return a result that can be written down, or refuse it."""
    if isinstance(number, Fraction) and number.denominator == 1:
        return number.numerator
    if isinstance(number, int) and abs(number) >= _TOO_MANY_DIGITS:
        too_large()
    if isinstance(number, Fraction) and float(number) == 0:
        raise refusals.RESULT_TOO_SMALL.error()
    return number


def add(left: Number, right: Number) -> Number:
    """Return the sum."""
    if not (isinstance(left, float) or isinstance(right, float)):
        _room(_below(left) + _below(right))
    return checked(left + right)


def subtract(left: Number, right: Number) -> Number:
    """Return the difference."""
    return add(left, -right)


def multiply(left: Number, right: Number) -> Number:
    """Return the product."""
    if not (isinstance(left, float) or isinstance(right, float)):
        _room(_above(left) + _above(right))
        _room(_below(left) + _below(right))
    return checked(left * right)


def divide(left: Number, right: Number) -> Number:
    """Return the quotient; of whole numbers a whole one where it comes out even."""
    _not_zero(right)
    if isinstance(left, int) and isinstance(right, int):
        quotient = Fraction(left, right)
        return quotient.numerator if quotient.denominator == 1 else checked(quotient)
    if isinstance(left, float) or isinstance(right, float):
        return checked(left / right)
    return multiply(left, 1 / Fraction(right))


def floor_divide(left: Number, right: Number) -> Number:
    """Return the quotient without its fraction, rounded down."""
    _not_zero(right)
    return checked(left // right)


def modulo(left: Number, right: Number) -> Number:
    """Return the remainder, which has the sign of the divisor."""
    _not_zero(right)
    return checked(left % right)


def power(base: Number, exponent: Number) -> Number:
    """Return a power. The size is estimated first."""
    if not isinstance(exponent, float):
        _exponent(exponent)
    if base == 0 and exponent < 0:
        raise refusals.ZERO_TO_NEGATIVE.error()
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        return power(base, exponent.numerator)
    if isinstance(base, float) or not isinstance(exponent, int):
        return checked(float(base) ** float(exponent))
    growth = max(_growth(_numerator(base)), _growth(_denominator(base)))
    _room(growth * abs(exponent))
    if exponent >= 0:
        return checked(base**exponent)
    inverse = 1 / Fraction(base) ** -exponent
    whole = isinstance(base, int) and inverse.denominator == 1
    return inverse.numerator if whole else checked(inverse)


def power_of_three(base: Number, exponent: Number, divisor: Number) -> Number:
    """Return `base ** exponent % divisor`, never writing the power itself down."""
    if not (
        isinstance(base, int) and isinstance(exponent, int) and isinstance(divisor, int)
    ):
        raise refusals.POW_OF_THREE.error()
    _not_zero(divisor)
    _exponent(exponent)
    try:
        return pow(base, exponent, divisor)
    except ValueError:
        raise refusals.NO_INVERSE.error(base=base, divisor=divisor) from None


def rounded(number: Number, places: Number = 0) -> Number:
    """Return the nearest number with so many decimals; a half goes away from zero."""
    if not isinstance(places, int):
        raise refusals.ROUND_TO_WHOLE.error()
    if abs(places) > MAX_PLACES:
        raise refusals.ROUND_TO_MANY.error(most=MAX_PLACES)
    exact = Fraction(repr(number)) if isinstance(number, float) else Fraction(number)
    scale = Fraction(10) ** places
    nearest = math.floor(abs(exact) * scale + Fraction(1, 2))
    result = (nearest if exact >= 0 else -nearest) / scale
    return result.numerator if result.denominator == 1 else checked(result)


def square_root(number: Number) -> Number:
    """Return the root, exact where there is one."""
    if number < 0:
        raise refusals.ROOT_OF_NEGATIVE.error()
    if isinstance(number, float):
        return math.sqrt(number)
    above, below = math.isqrt(_numerator(number)), math.isqrt(_denominator(number))
    if Fraction(above, below) ** 2 == number:
        return above if below == 1 else Fraction(above, below)
    return math.sqrt(number)


def cube_root(number: Number) -> Number:
    """Return the real cube root, exact where it is a whole number."""
    root = math.cbrt(number)
    near = round(root)
    return near if not isinstance(number, float) and near**3 == number else root


def _real(function: Callable[[float], float]) -> Callable[[Number], Number]:
    def apply(number: Number) -> Number:
        return checked(function(float(number)))

    return apply


def _wave(function: Callable[[float], float]) -> Callable[[Number], Number]:
    # sin(pi) is 0 and tan(pi/2) has no value; a float of pi only comes near.
    def apply(number: Number) -> Number:
        result = function(float(number))
        if abs(result) > 1e15:
            raise refusals.NO_TANGENT.error()
        return 0 if abs(result) < 1e-15 and number else result

    return apply


def _logarithm(number: Number, base: Number | None = None) -> Number:
    if number <= 0 or (base is not None and base <= 0):
        raise refusals.NO_LOGARITHM.error()
    if base is None:
        return math.log(number)
    if base == 1:
        raise refusals.LOGARITHM_TO_ONE.error()
    return checked(math.log(number) / math.log(base))


def _positive(
    function: Callable[[int | SupportsFloat], float],
) -> Callable[[Number], Number]:
    def apply(number: Number) -> Number:
        if number <= 0:
            raise refusals.NO_LOGARITHM.error()
        return function(number)

    return apply


def _power(base: Number, exponent: Number, divisor: Number | None = None) -> Number:
    if divisor is None:
        return power(base, exponent)
    return power_of_three(base, exponent, divisor)


def _hypotenuse(*sides: Number) -> Number:
    return checked(math.hypot(*(float(side) for side in sides)))


# Each with how many values it takes, at least and at most.
FUNCTIONS: Final[dict[str, tuple[Callable[..., Number], int, int]]] = {
    "abs": (abs, 1, 1),
    "acos": (_real(math.acos), 1, 1),
    "asin": (_real(math.asin), 1, 1),
    "atan": (_real(math.atan), 1, 1),
    "atan2": (lambda y, x: math.atan2(float(y), float(x)), 2, 2),
    "cbrt": (cube_root, 1, 1),
    "ceil": (math.ceil, 1, 1),
    "cos": (_wave(math.cos), 1, 1),
    "exp": (_real(math.exp), 1, 1),
    "floor": (math.floor, 1, 1),
    "hypot": (_hypotenuse, 1, 32),
    "log": (_logarithm, 1, 2),
    "log10": (_positive(math.log10), 1, 1),
    "log2": (_positive(math.log2), 1, 1),
    "pow": (_power, 2, 3),
    "round": (rounded, 1, 2),
    "sin": (_wave(math.sin), 1, 1),
    "sqrt": (square_root, 1, 1),
    "tan": (_wave(math.tan), 1, 1),
}
CONSTANTS: Final[dict[str, float]] = {"e": math.e, "pi": math.pi, "tau": math.tau}


def _numerator(number: int | Fraction) -> int:
    return number if isinstance(number, int) else number.numerator


def _denominator(number: int | Fraction) -> int:
    return 1 if isinstance(number, int) else number.denominator


def _above(number: int | Fraction) -> int:
    return _numerator(number).bit_length()


def _below(number: int | Fraction) -> int:
    return _denominator(number).bit_length()


def _growth(number: int) -> int:
    # How many bits each factor adds to a power, rounded up: none if it is one.
    return (abs(number) - 1).bit_length() if number else 0


def _room(bits: int) -> None:
    if bits > MAX_BITS + 2:
        too_large()


def _bits(number: int | Fraction) -> None:
    if max(_above(number), _below(number)) > MAX_BITS:
        too_large()


def _exponent(exponent: int | Fraction) -> None:
    if not -MAX_EXPONENT <= exponent <= MAX_EXPONENT:
        raise refusals.EXPONENT.error(most=MAX_EXPONENT)


def _not_zero(number: Number) -> None:
    if number == 0:
        raise refusals.DIVIDED_BY_ZERO.error()

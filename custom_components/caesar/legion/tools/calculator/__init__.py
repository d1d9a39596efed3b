"""Arithmetic and units: bounded, exact, and without Python's own evaluation."""

from .offer import SPEC
from .worker import CalculatorWorker, create

__all__ = ["SPEC", "CalculatorWorker", "create"]

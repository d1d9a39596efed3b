"""Legion: tools, their specification and the protocol they speak.

This package imports nothing of the rest of CAESAR and nothing of Home Assistant,
because the same files run on hosts that have neither. What the author of a tool needs
can be had from here; the rest is loaded by those who use it.
"""

from .messages import Hints
from .spec import Annotations, ToolSpec
from .worker import Task, TaskError, Worker

__all__ = ["Annotations", "Hints", "Task", "TaskError", "ToolSpec", "Worker"]

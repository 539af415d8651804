"""Paddle's public functions and how they are called. A maker takes a `Context` and gives a call, or raises `NotNow`."""
from . import elementwise, indexing, linear, networks, reductions, shapes, vision  # noqa: F401
from .registry import MAKERS, Maker

__all__ = ["MAKERS", "Maker"]

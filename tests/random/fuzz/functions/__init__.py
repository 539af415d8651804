"""Paddle's public functions and how they are called. A maker takes a `Context` and gives a call, or raises `NotNow`."""
from . import along, boxes, elementwise, forms, graphs, indexing, layers, linear, matrices, networks, numbers, reductions, shapes, signals, vision, windows  # noqa: F401
from .registry import MAKERS, Maker

__all__ = ["MAKERS", "Maker"]

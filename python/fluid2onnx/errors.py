"""The errors that callers of this package can do something about."""
from typing import Optional


class Fluid2OnnxError(Exception):
    """Base of all errors below."""


class MissingPackageError(Fluid2OnnxError, ImportError):
    """A package or executable that the called function needs is not installed. The message says how to get it."""


class ModelError(Fluid2OnnxError, ValueError):
    """A model, or the inputs given for it, cannot be read or run."""


class ConversionError(Fluid2OnnxError, RuntimeError):
    """The executable refused a model.

    Attributes:
        code: stable and machine readable, such as "E_OPSET"; empty if the executable gave none.
        lowest_opset: the lowest opset at which the model converts, if there is one and the executable knows it.
        exit_status: of the executable; negative for a signal.
    """

    def __init__(self, message: str, code: str = "", lowest_opset: Optional[int] = None, exit_status: int = 1):
        super().__init__(message)
        self.code = code
        self.lowest_opset = lowest_opset
        self.exit_status = exit_status

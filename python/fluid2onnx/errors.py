"""The errors that callers of this package can do something about."""
from dataclasses import replace
from typing import List, Optional, Sequence

from .report import Problem


class Fluid2OnnxError(Exception):
    """Base of all errors below."""


class MissingPackageError(Fluid2OnnxError, ImportError):
    """A package or executable that the called function needs is not installed. The message has the install command."""


class ModelError(Fluid2OnnxError, ValueError):
    """A model, or the inputs given for it, cannot be read or run."""


class ConversionError(Fluid2OnnxError, RuntimeError):
    """A model, or what was asked for, was refused. The text is what the command line prints.

    Attributes:
        problems: all of them.
        code: of the first problem; stable and machine readable, such as "E_OPSET".
        operator: of the first problem: its type.
        place: of the first problem.
        hint: of the first problem; where it has none, for the whole model, such as "use --opset 10, which converts the whole model".
        lowest_opset: the lowest opset at which the model converts, if there is one.
        exit_status: of the command line: 1 cannot be converted, 2 wrong usage, 3 a file; negative for a signal.
    """

    def __init__(
        self,
        message: str,
        code: str = "",
        lowest_opset: Optional[int] = None,
        exit_status: int = 1,
        problems: Sequence[Problem] = (),
    ):
        super().__init__(message)
        first = problems[0] if problems else Problem(code, message)
        self.problems: List[Problem] = list(problems)
        self.code = code or first.code
        self.operator = first.operator
        self.place = first.place
        self.hint = first.hint or _last_hint(message)
        self.lowest_opset = lowest_opset
        self.exit_status = exit_status

    def about(self, path: str, name: str) -> "ConversionError":
        """The same error with another name for a file."""

        def renamed(text: Optional[str]) -> Optional[str]:
            return text and text.replace(path, name)

        problems = [replace(item, message=item.message.replace(path, name), place=renamed(item.place)) for item in self.problems]
        return ConversionError(str(self).replace(path, name), self.code, self.lowest_opset, self.exit_status, problems)


def _last_hint(text: str) -> Optional[str]:
    """For the whole model: it is the last line, not below one of the problems."""
    last = text.rpartition("\n")[2]
    return last[len("hint: ") :] if last.startswith("hint: ") else None

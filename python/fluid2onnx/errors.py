"""The exceptions of this package."""
from dataclasses import replace
from typing import List, Optional, Sequence

from .report import Problem


class Fluid2OnnxError(Exception):
    """The base class of all exceptions of this package."""


class MissingPackageError(Fluid2OnnxError, ImportError):
    """A package or executable that the called function needs is not installed. The message has the install command."""


class ModelError(Fluid2OnnxError, ValueError):
    """A model, or the inputs given for it, cannot be read or run."""


class ConversionError(Fluid2OnnxError, RuntimeError):
    """A model cannot be converted as requested. The text is the output of the command line.

    Attributes:
        problems: all problems.
        code: the stable error code of the first problem, such as "E_OPSET".
        operator: the operator type of the first problem.
        place: the location of the first problem.
        hint: the hint of the first problem, or else of the whole model, such as "use --opset 10, which converts the whole model".
        lowest_opset: the next newer opset at which the model converts, else the next older one, if there is one.
        exit_status: the exit code of the command line: 1 cannot be converted, 2 wrong usage, 3 a file; negative for a signal.
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

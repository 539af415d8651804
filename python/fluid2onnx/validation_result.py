"""The result of comparing a model with its conversion, and its text."""
from dataclasses import dataclass, field
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from .compare import Difference
from .inputs import Inputs


@dataclass
class Run:
    """One comparison: the inputs and the outputs of both models.

    Attributes:
        inputs: `inputs.arrays` by name, and `inputs.lod`, the offsets of sequences.
        outputs: the difference of each output.
        error: one line; empty if the outputs agree.
        expected: Paddle's outputs, by the names of the ONNX model's outputs.
    """

    inputs: Inputs
    outputs: List[Difference]
    error: str
    expected: Dict[str, np.ndarray] = field(default_factory=dict, repr=False)


@dataclass
class Validation:
    """The result of `validate`.

    Attributes:
        ok: True if the outputs agree.
        error: one line; empty if the outputs agree.
        outputs: the difference of each output, in the first run that differs, or else in the first run.
        inputs: the arrays of that run, by name.
        empty: outputs that have no elements in any run, so that nothing is compared.
        runs: one run for each choice of sizes.
        reference: the program that ONNX Runtime is compared with, such as "Paddle 2.6.2".
        divergence: the first operator whose result differs, as text.
        notes: further remarks.
    """

    runs: List[Run]
    reference: str
    divergence: str = ""
    notes: List[str] = field(default_factory=list)

    @property
    def reported(self) -> Run:
        return next((run for run in self.runs if run.error), self.runs[0])

    @property
    def outputs(self) -> List[Difference]:
        return self.reported.outputs

    @property
    def error(self) -> str:
        return self.reported.error

    @property
    def inputs(self) -> Dict[str, np.ndarray]:
        return self.reported.inputs.arrays

    @property
    def ok(self) -> bool:
        return not self.error

    @property
    def empty(self) -> List[str]:
        return [item.name for index, item in enumerate(self.runs[0].outputs) if all(_is_empty(run, index) for run in self.runs)]

    def table(self) -> str:
        """A table with a row per output, for each run."""
        rows = [("output", "dtype", "shape", "max abs", "max rel", "verdict")]
        heads: Dict[int, str] = {}
        for run in self.runs:
            heads[len(rows)] = run.inputs.shapes()
            rows += [_row(item) for item in run.outputs]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = []
        for index, row in enumerate(rows):
            if heads.get(index) and len(self.runs) > 1:
                lines.append(f"for {heads[index]}")
            lines.append("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        return "\n".join(lines)

    def text(self) -> str:
        """The table, the verdict, and where a difference begins."""
        lines = [self.table()]
        lines += [f"note: {note}" for note in self.notes]
        if self.ok and self.empty and len(self.empty) == len(self.runs[0].outputs):
            lines.append(f"nothing was compared with {self.reference}: the outputs have no elements")
        elif self.ok:
            lines.append(f"the outputs agree with {self.reference}" + (", but for those without elements" if self.empty else ""))
        else:
            lines.append(f"the outputs differ from {self.reference}: {self.error}")
        return "\n".join(lines + ([self.divergence] if self.divergence else []))

    def to_json(self) -> Dict[str, Any]:
        """For `--json`: the verdict, and of each run the inputs' shapes and an object per output."""
        return {
            "ok": self.ok,
            "error": self.error,
            "reference": self.reference,
            "empty": self.empty,
            "divergence": self.divergence.splitlines(),
            "notes": self.notes,
            **_run_json(self.reported),
            "runs": [{"error": run.error, **_run_json(run)} for run in self.runs],
        }


def _is_empty(run: Run, index: int) -> bool:
    return index < len(run.outputs) and run.outputs[index].ok and not run.outputs[index].size


def _row(item: Difference) -> "Tuple[str, str, str, str, str, str]":
    return (
        item.name,
        item.dtype if item.dtype == item.want_dtype else f"{item.dtype} not {item.want_dtype}",
        _shape(item.shape) if item.shape == item.want_shape else f"{_shape(item.shape)} not {_shape(item.want_shape)}",
        "-" if item.max_abs is None else f"{item.max_abs:.2e}",
        "-" if item.max_rel is None else f"{item.max_rel:.2e}",
        _verdict(item),
    )


def _verdict(item: Difference) -> str:
    details = [item.note] if item.note else []
    if item.ok:
        return "ok" + (f" ({item.note})" if details else "")
    details = ([f"{item.wrong}/{item.size}"] if item.wrong else []) + details
    return f"{item.of if item.verdict == 'values' else item.verdict} differ" + (f" ({', '.join(details)})" if details else "")


def _shape(shape: Sequence[int]) -> str:
    return "[" + ",".join(map(str, shape)) + "]"


def _run_json(run: Run) -> Dict[str, Any]:
    return {
        "inputs": {name: {"dtype": str(array.dtype), "shape": list(array.shape)} for name, array in run.inputs.arrays.items()},
        "lod": run.inputs.lod,
        "outputs": [
            {
                "name": item.name,
                "verdict": item.verdict,
                "dtype": item.dtype,
                "shape": list(item.shape),
                "paddle_dtype": item.want_dtype,
                "paddle_shape": list(item.want_shape),
                "max_abs": item.max_abs,
                "max_rel": item.max_rel,
                "wrong": item.wrong,
                "note": item.note,
                "size": item.size,
            }
            for item in run.outputs
        ],
    }

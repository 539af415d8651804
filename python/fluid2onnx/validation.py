"""Running a Paddle model and its ONNX conversion on the same inputs."""
import os
import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np

from . import onnx_model
from .compare import Difference, Tolerance, compare_all
from .convert import PathLike, convert
from .errors import ModelError

# Looser than for a single operator: errors add up over the layers of a model.
MODEL_RTOL, MODEL_ATOL = 1e-3, 1e-5


@dataclass
class Validation:
    """What `validate` found. `error` is one line, empty if the outputs agree."""

    outputs: List[Difference]
    error: str
    inputs: Dict[str, np.ndarray] = field(repr=False)

    @property
    def ok(self) -> bool:
        return not self.error

    def table(self) -> str:
        """A table with a row per output."""
        rows = [("output", "dtype", "shape", "max abs", "max rel", "verdict")]
        for item in self.outputs:
            rows.append((
                item.name,
                item.dtype if item.dtype == item.want_dtype else f"{item.dtype} not {item.want_dtype}",
                _shape(item.shape) if item.shape == item.want_shape else f"{_shape(item.shape)} not {_shape(item.want_shape)}",
                "-" if item.max_abs is None else f"{item.max_abs:.2e}",
                "-" if item.max_rel is None else f"{item.max_rel:.2e}",
                "ok" if item.ok else f"{item.verdict} differ" + (f" ({item.wrong}/{item.size})" if item.wrong else ""),
            ))
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)

    def to_json(self) -> Dict[str, Any]:
        """For `--json`: the verdict, the inputs' shapes and an object per output."""
        return {
            "ok": self.ok,
            "error": self.error,
            "inputs": {name: {"dtype": str(array.dtype), "shape": list(array.shape)} for name, array in self.inputs.items()},
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
                    "size": item.size,
                }
                for item in self.outputs
            ],
        }


def _shape(shape: Sequence[int]) -> str:
    return "[" + ",".join(map(str, shape)) + "]"


def validate(
    model: PathLike,
    onnx: Optional[PathLike] = None,
    *,
    params: Optional[PathLike] = None,
    opset: Optional[int] = None,
    inputs: Optional[Mapping[str, np.ndarray]] = None,
    shapes: Optional[Mapping[str, Sequence[int]]] = None,
    lod: Optional[Mapping[str, Sequence[Sequence[int]]]] = None,
    seed: int = 0,
    rtol: Optional[float] = MODEL_RTOL,
    atol: Optional[float] = MODEL_ATOL,
) -> Validation:
    """Runs a Paddle model and its ONNX conversion on the same inputs, and compares every output.

    Args:
        model: the program; see `convert`.
        onnx: the ONNX file. None: the model is converted to a temporary one at `opset`.
        params: the file of combined parameters, if it does not stand beside the model.
        inputs: arrays by the Paddle model's input names. What is not given is random.
        shapes: of random inputs, in elements, where the model leaves dims open (else such a dim is 1).
        lod: offsets of the sequences in inputs that have LoD, such as {"words": [[0, 2, 5]]}.
        seed: of the random inputs.
        rtol, atol: an element agrees if |onnx - paddle| <= atol + rtol * |paddle|; integers and booleans agree only
            if equal. None: the default for a single operator.

    Raises:
        ConversionError: the model was refused.
        MissingPackageError: Paddle, ONNX Runtime or the executable is missing.
        ModelError: a model cannot be loaded or run, or an input does not exist.
    """
    from . import paddle_model  # imports Paddle

    paddle_side = paddle_model.load(model, params)
    names = [feed.name for feed in paddle_side.feeds]
    for given in [*(inputs or {}), *(shapes or {})]:
        if given not in names:
            raise ModelError(f"the model has no input '{given}'; its inputs are {', '.join(names) or 'none'}")
    arrays = {}
    for feed in paddle_side.feeds:
        given = (inputs or {}).get(feed.name)
        arrays[feed.name] = np.asarray(given) if given is not None else random_input(feed, (shapes or {}).get(feed.name), seed)
    with tempfile.TemporaryDirectory(prefix="fluid2onnx-") as folder:
        if onnx is None:
            onnx = Path(folder) / "model.onnx"
            convert(model, onnx, params=params, opset=opset)
        session = onnx_model.session(os.fspath(onnx))
        feeds = onnx_model.match_inputs([item.name for item in session.get_inputs()], arrays, lod)
        got = onnx_model.run(session, feeds)
    want = paddle_side.run(arrays, {name: [list(level) for level in levels] for name, levels in (lod or {}).items()})
    outputs, error = compare_all(paddle_side.outputs, got, want, Tolerance(rtol, atol))
    return Validation(outputs, error, arrays)


def random_input(feed: Any, shape: Optional[Sequence[int]], seed: int) -> np.ndarray:
    """Floats uniform in [-1, 1), integers and booleans 0 or 1. The same for the same name, whatever the other inputs."""
    rng = np.random.default_rng([seed, zlib.crc32(feed.name.encode())])
    dims = [dim if dim >= 0 else 1 for dim in (feed.shape if shape is None else shape)]
    if feed.dtype.startswith(("float", "complex")):
        return rng.uniform(-1, 1, dims).astype(feed.dtype)
    return rng.integers(0, 2, dims).astype(feed.dtype)

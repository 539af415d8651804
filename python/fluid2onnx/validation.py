"""Running a Paddle model and its ONNX conversion on the same inputs."""
import os
import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import onnx_model
from .compare import Difference, Tolerance, compare_all
from .conversion import convert
from .errors import ModelError
from .files import PathLike
from .request import Dims
from .tolerances import MODEL_ATOL, MODEL_RTOL


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
                ("ok" + (f" ({item.note})" if item.note else "")) if item.ok else f"{item.verdict} differ" + (f" ({item.wrong}/{item.size})" if item.wrong else ""),
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
                    "note": item.note,
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
    shapes: Optional[Mapping[str, Dims]] = None,
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
        shapes: of random inputs, as `input_shapes` of `convert`, which gets them as well if it is called. A dim that is
            open there is as in the ONNX file, else as in the program, else the first of `OPEN_SIZES` that Paddle takes.
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
    for name in [*(inputs or {}), *(shapes or {})]:
        if name not in names:
            raise ModelError(f"the model has no input '{name}'; its inputs are {', '.join(names) or 'none'}")
    with tempfile.TemporaryDirectory(prefix="fluid2onnx-") as folder:
        if onnx is None:
            onnx = Path(folder) / "model.onnx"
            convert(model, onnx, params=params, opset=opset, input_shapes=shapes)
        session = onnx_model.session(os.fspath(onnx))
        fixed = {item.name: item.shape for item in session.get_inputs()}
        given = {name: np.asarray(array) for name, array in (inputs or {}).items()}
        offsets = {name: [list(level) for level in levels] for name, levels in (lod or {}).items()}
        feeds: Dict[str, np.ndarray] = {}

        def draw(sizes: OpenSizes) -> Dict[str, np.ndarray]:
            arrays = {}
            for feed in paddle_side.feeds:
                if feed.name in given:
                    arrays[feed.name] = _given_input(feed, given[feed.name])
                else:
                    arrays[feed.name] = random_input(feed, seed, (shapes or {}).get(feed.name), fixed.get(feed.name), sizes=sizes)
            feeds.update(onnx_model.match_inputs([item.name for item in session.get_inputs()], arrays, lod))
            onnx_model.check_shapes(session, feeds)
            return arrays

        arrays, want = _run_paddle(paddle_side, draw, offsets)
        got = onnx_model.run(session, feeds)
        output_names = _output_names(paddle_side.outputs, [item.name for item in session.get_outputs()])
    outputs, error = compare_all(output_names, got, want, Tolerance(rtol, atol), ties=True)
    return Validation(outputs, error, arrays)


def _run_paddle(model: Any, draw: "Callable[[OpenSizes], Dict[str, np.ndarray]]", lod: Any) -> "Tuple[Dict[str, np.ndarray], List[np.ndarray]]":
    """The inputs and Paddle's outputs, at the first of OPEN_SIZES that the model takes."""
    first: Optional[ModelError] = None
    tried: List[Any] = []
    for sizes in OPEN_SIZES:
        arrays = draw(sizes)
        found = [array.shape for array in arrays.values()]
        if found in tried:
            continue
        tried.append(found)
        try:
            return arrays, model.run(arrays, lod)
        except ModelError as error:
            first = first or error
    assert first is not None
    if len(tried) > 1:
        raise ModelError(f"{first}; none of the sizes that were tried for the open dims fits: give --input-shape") from first
    raise first


def _output_names(paddle: Sequence[str], onnx: Sequence[str]) -> Sequence[str]:
    """A PIR program has no names for its outputs, but its conversion has."""
    nameless = len(paddle) == len(onnx) and all(name == f"output {index}" for index, name in enumerate(paddle))
    return onnx if nameless else paddle


def _given_input(feed: Any, array: np.ndarray) -> np.ndarray:
    if array.dtype != feed.dtype:
        raise ModelError(f"input '{feed.name}' is {array.dtype}, but the model takes {feed.dtype}")
    return array


@dataclass(frozen=True)
class OpenSizes:
    """Sizes for dims that nobody fixes: of images' heights and widths, and of others but the first, which is 1."""

    image: int = 1
    other: int = 1


# Networks on images divide their size by up to 32, and some want more than two pixels at the end.
OPEN_SIZES = (OpenSizes(64, 16), OpenSizes(224, 16), OpenSizes(64, 1), OpenSizes())


def random_input(feed: Any, seed: int, *shapes: Optional[Dims], sizes: OpenSizes = OpenSizes()) -> np.ndarray:
    """Floats uniform in [-1, 1), integers and booleans 0 or 1. The same for the same name, whatever the other inputs.

    A dim is that of the first of `shapes` in which it is a number, else the declared one, else that of `sizes`.
    """
    rng = np.random.default_rng([seed, zlib.crc32(feed.name.encode())])
    asked = shapes[0] if shapes else None
    if asked is not None and len(asked) != len(feed.shape):
        raise ModelError(f"input '{feed.name}' has {len(feed.shape)} dims in the program, but {len(asked)} are given for it")
    known = [shape for shape in (*shapes, feed.shape) if shape is not None and len(shape) == len(feed.shape)]
    found = [next((int(dim) for dim in column if isinstance(dim, (int, np.integer)) and dim >= 0), None) for column in zip(*known)]
    image = _image_axes(found)
    dims = [dim if dim is not None else 1 if axis == 0 else sizes.image if axis in image else sizes.other for axis, dim in enumerate(found)]
    if feed.dtype.startswith(("float", "complex")):
        return rng.uniform(-1, 1, dims).astype(feed.dtype)
    return rng.integers(0, 2, dims).astype(feed.dtype)


def _image_axes(dims: Sequence[Optional[int]]) -> Sequence[int]:
    """The height and width of [N, C, H, W], or of [N, H, W, C] with a known small C behind open sizes."""
    if len(dims) != 4:
        return ()
    return (1, 2) if dims[3] in (1, 3, 4) and dims[1] is None else (2, 3)

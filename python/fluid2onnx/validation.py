"""Running a Paddle model and its ONNX conversion on the same inputs."""
import functools
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import divergence, onnx_model, precision, roles, sequences
from .compare import Difference, Tolerance, compare, compare_all
from .conversion import convert
from .errors import Fluid2OnnxError, MissingPackageError, ModelError
from .files import PathLike, is_onnx
from .inputs import OPEN_SIZES, OTHER_SIZES, Inputs, OpenSizes, draw, given_inputs
from .request import Dims
from .tolerances import MODEL_ATOL, MODEL_RTOL, NARROW_MODEL


@dataclass
class Run:
    """The outputs for some inputs. `error` is one line, empty if they agree."""

    inputs: Inputs
    outputs: List[Difference]
    error: str
    expected: Dict[str, np.ndarray] = field(default_factory=dict, repr=False)  # of Paddle, by the names of the ONNX model's outputs


@dataclass
class Validation:
    """What `validate` found. `error` is one line, empty if the outputs agree; `divergence` says where they begin to differ.

    `outputs` and `inputs` are those of the run that differs, or of the first.
    """

    runs: List[Run]
    reference: str  # what ONNX Runtime was compared with
    divergence: str = ""  # lines
    notes: List[str] = field(default_factory=list)

    @property
    def told(self) -> Run:
        return next((run for run in self.runs if run.error), self.runs[0])

    @property
    def outputs(self) -> List[Difference]:
        return self.told.outputs

    @property
    def error(self) -> str:
        return self.told.error

    @property
    def inputs(self) -> Dict[str, np.ndarray]:
        return self.told.inputs.arrays

    @property
    def ok(self) -> bool:
        return not self.error

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
        if self.ok:
            lines.append(f"the outputs agree with {self.reference}")
        else:
            lines.append(f"the outputs differ from {self.reference}: {self.error}")
        return "\n".join(lines + ([self.divergence] if self.divergence else []))

    def to_json(self) -> Dict[str, Any]:
        """For `--json`: the verdict, and of each run the inputs' shapes and an object per output."""
        return {
            "ok": self.ok,
            "error": self.error,
            "reference": self.reference,
            "divergence": self.divergence.splitlines(),
            "notes": self.notes,
            **_run_json(self.told),
            "runs": [{"error": run.error, **_run_json(run)} for run in self.runs],
        }


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
    told = [item.note] if item.note else []
    if item.ok:
        return "ok" + (f" ({item.note})" if told else "")
    told = ([f"{item.wrong}/{item.size}"] if item.wrong else []) + told
    return f"{item.of if item.verdict == 'values' else item.verdict} differ" + (f" ({', '.join(told)})" if told else "")


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


def validate(
    model: PathLike,
    onnx: Optional[PathLike] = None,
    *,
    params: Optional[PathLike] = None,
    opset: Optional[int] = None,
    inputs: Optional[Mapping[str, Any]] = None,
    expected: Optional[Mapping[str, np.ndarray]] = None,
    shapes: Optional[Mapping[str, Dims]] = None,
    outputs: Sequence[str] = (),
    lod: Optional[Mapping[str, Sequence[Sequence[int]]]] = None,
    seed: int = 0,
    sizes: int = 2,
    rtol: "Union[float, None, Literal['model']]" = "model",
    atol: "Union[float, None, Literal['model']]" = "model",
    locate: bool = True,
) -> Validation:
    """Runs a Paddle model and its ONNX conversion on the same inputs, and compares every output; or an ONNX model and the
    program that it became.

    Args:
        model: the program; see `convert`. Or an ONNX file.
        onnx: the ONNX file. None: the model is converted to a temporary one at `opset`. If `model` is an ONNX file, the program.
        params: the file of combined parameters, if it does not stand beside the program.
        inputs: arrays by the Paddle model's input names; of an input with LoD a list of arrays, its sequences, or all rows,
            with NAME.lengths beside them. What is not given is random.
        expected: outputs by name that were recorded for `inputs`: then Paddle is not run and need not be there.
        shapes: of random inputs, as `input_shapes` of `convert`, which gets them as well if it is called. A dim that is
            open there is as in the ONNX file, else as in the program, else the first of `OPEN_SIZES` that Paddle takes.
        outputs: variables that become the outputs, as of `convert`, which gets them as well if it is called.
        lod: offsets of the sequences in inputs that have LoD, such as {"words": [[0, 2, 5]]}.
        seed: of the random inputs.
        sizes: how often to compare, each time with other sizes where dims are open: once or twice.
        rtol: an element agrees if |onnx - paddle| <= atol + rtol * |paddle|; integers and booleans agree only if equal. None:
            the default for a single operator. "model": for a whole model, by its weights: where most of those of the ONNX
            file's main graph are float16 both are 0.01, for bfloat16 0.08, else `rtol` is 0.001 and `atol` 0.00001.
        atol: see `rtol`.
        locate: look for the first operator whose result differs, if outputs do.

    Raises:
        ConversionError: the model was refused.
        MissingPackageError: Paddle, ONNX Runtime or the executable is missing.
        ModelError: a model cannot be loaded or run, or an input does not exist.
    """
    with tempfile.TemporaryDirectory(prefix="fluid2onnx-") as folder:
        if is_onnx(model):
            if expected is not None:
                raise ModelError("recorded outputs stand for Paddle's, but the program of an ONNX model is what Paddle has to run")
            source = model
            model = Path(folder) / "model.pdmodel" if onnx is None else onnx
            if onnx is None:
                convert(source, model, opset=opset, input_shapes=shapes, outputs=outputs)
            onnx = source
            session = divergence.session_with_outputs(os.fspath(onnx), outputs) if outputs else onnx_model.session(os.fspath(onnx))
            outputs = ()  # as the program has them
        else:
            if onnx is None:
                onnx = Path(folder) / "model.onnx"
                convert(model, onnx, params=params, opset=opset, input_shapes=shapes, outputs=outputs)
            session = onnx_model.session(os.fspath(onnx))
        narrow = NARROW_MODEL.get(precision.of_weights(onnx))
        usual = narrow or (MODEL_RTOL, MODEL_ATOL)
        tolerance = Tolerance(usual[0] if rtol == "model" else rtol, usual[1] if atol == "model" else atol)
        if expected is not None:
            result = Validation([_recorded(session, dict(inputs or {}), dict(lod or {}), expected, tolerance)], "the recorded outputs")
        else:
            load = functools.partial(_load, model, params, list(outputs))
            result = _beside_paddle(session, load, model, params, dict(inputs or {}), dict(shapes or {}), dict(lod or {}), seed, sizes, tolerance)
        if narrow and (rtol, atol) == ("model", "model"):
            result.notes.append(f"the weights are in 16 bits: tolerances are {narrow[0]:g} relative and {narrow[1]:g} absolute")
        if locate and not result.ok:
            try:
                result.divergence = divergence.find(model, params, os.fspath(onnx), result.told.inputs, tolerance, narrow is not None)
            except MissingPackageError as error:
                result.notes.append(f"where they begin to differ is not known: {error}")
            except Fluid2OnnxError as error:
                result.notes.append(f"where they begin to differ could not be found: {error}")
    return result


def _load(model: PathLike, params: Optional[PathLike], outputs: List[str]) -> Any:
    from . import paddle_model  # imports Paddle

    loaded = paddle_model.load(model, params)
    return loaded.cut(outputs) if outputs else loaded


def _beside_paddle(
    session: Any,
    load: "Callable[[], Any]",
    model: PathLike,
    params: Optional[PathLike],
    inputs: Dict[str, Any],
    shapes: Dict[str, Dims],
    lod: "Dict[str, Sequence[Sequence[int]]]",
    seed: int,
    sizes: int,
    tolerance: Tolerance,
) -> Validation:
    paddle_side = load()
    names = [feed.name for feed in paddle_side.feeds]
    for name in shapes:
        if name not in names:
            raise ModelError(f"the model has no input '{name}'; its inputs are {', '.join(names) or 'none'}")
    given = given_inputs(paddle_side.feeds, inputs, lod)
    wanted = [item.name for item in session.get_inputs()]
    fixed = {item.name: item.shape for item in session.get_inputs()}
    # Without lengths, the conversion is for one sequence, or for any.
    single = not any(map(onnx_model.are_lengths, wanted))
    parts = roles.of_inputs(paddle_side, model, params, [name for name in names if name not in given.arrays])
    feeds: Dict[str, np.ndarray] = {}

    def drawn(size: OpenSizes) -> Inputs:
        found = draw(paddle_side.feeds, given, shapes, fixed, seed, size, parts, single)
        feeds.clear()
        feeds.update(onnx_model.match_inputs(wanted, found.arrays, found.lod))
        onnx_model.check_shapes(session, feeds)
        return found

    result = Validation([], f"Paddle {paddle_side.version}")
    for attempts in (OPEN_SIZES, OTHER_SIZES)[:sizes]:
        tried = [run.inputs.shapes() for run in result.runs]
        try:
            found, (want, levels) = _run_paddle(paddle_side.run_with_lod, drawn, attempts, tried)
        except _NoOtherSizes:
            break
        except ModelError as error:
            if not result.runs:
                raise
            result.notes.append(f"one size only, for Paddle takes none of the others that were tried: {error}")
            break
        try:
            got = onnx_model.run(session, feeds)
        except ModelError as error:
            raise ModelError(f"{error} (Paddle can: {found.shapes()})") from error
        checked = _compared(session, got, paddle_side.outputs, want, levels, found, tolerance)
        if checked.error:
            _excuse(checked, load, want, tolerance)
        result.runs.append(checked)
        if result.runs[-1].error:
            break
    return result


# What sums of a thousand products lose of 1, and what a deep network makes of it; a hundredth of the tolerance.
_LAST_DIGITS = (1e-6, 1e-5, 1e-5)


def _excuse(run: Run, load: "Callable[[], Any]", want: Sequence[np.ndarray], tolerance: Tolerance) -> None:
    """Where Paddle's own outputs change as much when the last digits of its inputs do, a difference says nothing.

    So it is with boxes whose scores tie, ranks, labels that are chosen by a hair: networks of random weights are full of them.
    """
    floats = [name for name, array in run.inputs.arrays.items() if array.dtype.kind == "f"]
    wrong = [item for item in run.outputs if not item.ok]
    if not floats or not wrong or any(item.verdict == "dtype" for item in wrong) or len(run.error.split("; ")) > len(wrong):
        return
    rng = np.random.default_rng(0)
    worst: Dict[str, List[Difference]] = {}
    for digits in _LAST_DIGITS:
        arrays = {
            name: (array * (1 + digits * rng.uniform(-1, 1, array.shape))).astype(array.dtype) if name in floats else array
            for name, array in run.inputs.arrays.items()
        }
        try:
            # Anew, for programs with tensor arrays run only once.
            again = load().run(arrays, run.inputs.lod)
        except ModelError:  # Paddle does not get along with no boxes at all, for one
            continue
        names = [item.name for item in run.outputs][: len(want)]
        for item in compare_all(names, again, want, tolerance, ties=True)[0]:
            worst.setdefault(item.name, []).append(item)
    for item in wrong:
        if item.verdict == "values" and item.of == "values" and item.max_abs is None:
            return  # NaN or infinity where Paddle has a number is no matter of last digits
        own = max(worst.get(item.name, []), key=lambda other: (other.verdict == item.verdict, other.wrong), default=None)
        if own is None or own.verdict != item.verdict or own.wrong * 2 < item.wrong or (own.max_abs or 0) * 4 < (item.max_abs or 0):
            return
    for item in wrong:
        own = max(worst[item.name], key=lambda other: other.wrong)
        count = f"{item.wrong} of {item.size} {item.of} differ" if item.verdict == "values" else "the shape differs"
        item.verdict, item.note = "ok", f"{count}, as do Paddle's own when its inputs change by {max(_LAST_DIGITS):g}: {own.wrong}"
    run.error = ""


class _NoOtherSizes(ModelError):
    """All sizes are fixed."""


def _run_paddle(run: "Callable[..., Any]", drawn: "Callable[[OpenSizes], Inputs]", attempts: Sequence[OpenSizes], tried: List[str]) -> "Tuple[Inputs, Any]":
    """The inputs and Paddle's outputs, at the first of the sizes that the model takes."""
    first: Optional[ModelError] = None
    tried = list(tried)
    before = len(tried)
    for sizes in attempts:
        inputs = drawn(sizes)
        if inputs.shapes() in tried:
            continue
        tried.append(inputs.shapes())
        try:
            return inputs, run(inputs.arrays, inputs.lod)
        except ModelError as error:
            first = first or error
    if first is None:
        raise _NoOtherSizes("there are no other sizes")
    if len(tried) > before + 1:
        raise ModelError(f"{first}; none of the sizes that were tried for the open dims fits: give --input-shape") from first
    raise first


def _compared(
    session: Any,
    got: Sequence[Any],
    names: Sequence[str],
    want: Sequence[np.ndarray],
    levels: "Sequence[Sequence[Sequence[int]]]",
    inputs: Inputs,
    tolerance: Tolerance,
) -> Run:
    ports = [item.name for item in session.get_outputs()]
    lengths = {name: array for name, array in zip(ports, got) if onnx_model.are_lengths(name) and len(got) > len(want)}
    rows = [(name, array) for name, array in zip(ports, got) if name not in lengths]
    outputs, error = compare_all(_output_names(names, [name for name, _ in rows]), [array for _, array in rows], want, tolerance, ties=True)
    errors = [error] if error else []
    known = [offsets for levels_of in inputs.lod.values() for offsets in levels_of]
    takes_lengths = any(onnx_model.are_lengths(item.name) for item in session.get_inputs())
    for (port, _), levels_of in zip(rows, levels):
        for level, (name, wanted) in enumerate(onnx_model.lengths_of(port, levels_of).items()):
            if name in lengths:
                outputs.append(compare(name, lengths.pop(name), wanted))
                errors += [] if outputs[-1].ok else [outputs[-1].describe()]
            elif takes_lengths and list(levels_of[level]) not in known:
                errors.append(f"{name}: missing, Paddle has {wanted.tolist()}")
    errors += [f"{name}: Paddle has no such sequences" for name in lengths]
    expected = {name: onnx_model.parts(array) for (name, _), array in zip(rows, want)}
    for (port, _), levels_of in zip(rows, levels):
        expected.update((name, array) for name, array in onnx_model.lengths_of(port, levels_of).items() if name in ports)
    return Run(inputs, outputs, "; ".join(errors), expected)


def _output_names(paddle: Sequence[str], onnx: Sequence[str]) -> Sequence[str]:
    """A PIR program has no names for its outputs, but its conversion has."""
    nameless = len(paddle) == len(onnx) and all(name == f"output {index}" for index, name in enumerate(paddle))
    return onnx if nameless else paddle


def _recorded(
    session: Any, inputs: Dict[str, Any], lod: "Dict[str, Sequence[Sequence[int]]]", expected: Mapping[str, np.ndarray], tolerance: Tolerance
) -> Run:
    """What ONNX Runtime makes of recorded inputs, beside the outputs that were recorded for them."""
    try:
        arrays = sequences.pack_sequences(inputs)
    except ValueError as error:
        raise ModelError(f"the recorded inputs: {error}") from error
    feeds = onnx_model.match_inputs([item.name for item in session.get_inputs()], arrays, lod)
    ports = [item.name for item in session.get_outputs()]
    wanted = dict(expected)
    if not set(wanted) & set(ports) and len(wanted) == len(ports):
        wanted = dict(zip(ports, wanted.values()))
    unknown = [name for name in wanted if name not in ports]
    if unknown or not wanted:
        raise ModelError(f"the ONNX model has no output '{unknown[0] if unknown else ''}'; its outputs are {', '.join(ports)}")
    got = dict(zip(ports, onnx_model.run(session, feeds)))
    outputs, differing = compare_all(list(wanted), [got[name] for name in wanted], [np.asarray(array) for array in wanted.values()], tolerance, ties=True)
    levels = {name: [list(map(int, level)) for level in offsets] for name, offsets in lod.items()}
    kept = {name: array for name, array in arrays.items() if not onnx_model.are_lengths(name)}
    return Run(Inputs(kept, levels or _lod_of(arrays)), outputs, differing)


def _lod_of(arrays: Mapping[str, np.ndarray]) -> "Dict[str, List[List[int]]]":
    """The offsets of what has lengths beside it."""
    found: Dict[str, List[np.ndarray]] = {}
    for name in sorted(filter(onnx_model.are_lengths, arrays)):
        found.setdefault(name.rpartition(".lengths")[0], []).append(arrays[name])
    return {name: sequences.offsets(lengths) for name, lengths in found.items()}

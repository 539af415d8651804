"""Running a Paddle model and its ONNX conversion on the same inputs."""
import functools
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import divergence, onnx_model, pairing, precision, roles, sequences, yardstick
from .compare import Tolerance, compare_all
from .conversion import convert
from .errors import Fluid2OnnxError, MissingPackageError, ModelError
from .files import Source, is_onnx, path_of
from .inputs import OPEN_SIZES, OTHER_SIZES, Inputs, OpenSizes, draw, given_inputs
from .request import Dims, dims_by_name, paths
from .tolerances import MODEL_ATOL, MODEL_RTOL, NARROW_MODEL
from .validation_result import Run, Validation


def validate(
    model: Source,
    onnx: Optional[Source] = None,
    *,
    params: Optional[Source] = None,
    opset: Optional[int] = None,
    inputs: Optional[Mapping[str, Any]] = None,
    expected: Optional[Mapping[str, np.ndarray]] = None,
    input_shapes: Optional[Mapping[str, Dims]] = None,
    shapes: Optional[Mapping[str, Dims]] = None,
    outputs: Sequence[str] = (),
    lod: Optional[Mapping[str, Sequence[Sequence[int]]]] = None,
    custom_op_libraries: "Sequence[str | os.PathLike[str]]" = (),
    seed: int = 0,
    sizes: int = 2,
    rtol: "Union[float, None, Literal['model']]" = "model",
    atol: "Union[float, None, Literal['model']]" = "model",
    locate: bool = True,
) -> Validation:
    """Runs a Paddle model and its ONNX conversion on the same inputs, and compares every output. Or compares an ONNX model with the
    Paddle program into which it was converted.

    Args:
        model: a Paddle program or an ONNX model: a path or bytes, as for `convert`.
        onnx: the result of the conversion. None: `validate` converts the program first, at `opset`.
        params: the parameters, if they are not beside the program.
        inputs: arrays by the names of the model's inputs. For an input with LoD: a list of arrays (its sequences), or all rows, and
            NAME.lengths. Missing inputs are random.
        expected: recorded outputs for `inputs`, by name. Then Paddle does not run and need not be installed.
        input_shapes: shapes of random inputs, as for `convert`, which also gets them. A dynamic dim has its size in the ONNX file, else
            in the program, else the first of `OPEN_SIZES` that Paddle accepts. All inputs have the same batch size.
        shapes: an older name of `input_shapes`.
        outputs: variables that become the outputs, as for `convert`, which also gets them. Not needed if the outputs of the ONNX file
            have these names.
        lod: offsets of the sequences in inputs with LoD, such as {"words": [[0, 2, 5]]}.
        custom_op_libraries: libraries for ONNX Runtime (RegisterCustomOps) with kernels of custom operators, such as those of
            `custom_ops` of `convert`.
        seed: the seed of the random inputs.
        sizes: the number of comparisons (1 or 2), each with different sizes of the dynamic dims.
        rtol: the relative tolerance: a value agrees if |onnx - paddle| <= atol + rtol * |paddle|. Integers and booleans must be equal,
            unless `atol` is given. None: the default for a single operator. "model": 0.001, or if most weights are float16 0.01, or
            bfloat16 0.08.
        atol: the absolute tolerance, as `rtol`. "model": 0.00001, or for 16-bit weights the same as `rtol`, times the output's
            largest magnitude (at least 1).
        locate: if outputs differ, search for the first operator whose result differs.

    Raises:
        ConversionError: the model cannot be converted.
        MissingPackageError: Paddle, ONNX Runtime or the executable is not installed.
        ModelError: a model cannot be loaded or run, or an input does not exist.
        TypeError, ValueError: an argument has a wrong type, or is none of the allowed words.
    """
    if input_shapes and shapes:
        raise TypeError("input_shapes and shapes are synonyms; pass one of them")
    asked = dims_by_name(input_shapes or shapes)
    libraries = [os.path.abspath(path) for path in paths(custom_op_libraries)]
    with tempfile.TemporaryDirectory(prefix="fluid2onnx-") as folder:
        first, program_params = _file(model, folder, "given"), None if params is None else _file(params, folder, "given", ".pdiparams")
        second = None if onnx is None else _file(onnx, folder, "other")
        from_onnx = is_onnx(first)
        if from_onnx and expected is not None:
            raise ModelError("recorded outputs replace Paddle's, but Paddle must run the program that an ONNX model was converted to")
        if second is None:
            second = os.path.join(folder, "model.pdmodel" if from_onnx else "model.onnx")
            convert(first, second, params=program_params, opset=opset, input_shapes=asked, outputs=outputs)
        program, graph = (second, first) if from_onnx else (first, second)
        if from_onnx and outputs:
            session = divergence.session_with_outputs(graph, outputs, libraries)
            outputs = ()  # as the program has them
        else:
            session = onnx_model.session(graph, libraries=libraries)
        narrow = NARROW_MODEL.get(precision.of_weights(graph))
        usual = narrow or (MODEL_RTOL, MODEL_ATOL)
        tolerance = Tolerance(usual[0] if rtol == "model" else rtol, usual[1] if atol == "model" else atol, scaled=atol == "model", unit=1.0)
        if expected is not None:
            result = Validation([_recorded(session, dict(inputs or {}), dict(lod or {}), expected, tolerance)], "the recorded outputs")
        else:
            load = functools.partial(_load, program, program_params)
            loaded = load(outputs)
            if from_onnx:
                session, notes = pairing.session_of_program(session, graph, pairing.names_of_outputs(loaded, program, program_params), libraries)
            else:
                chosen, notes = pairing.select(loaded, [item.name for item in session.get_outputs()], program, program_params, outputs)
                if chosen:
                    outputs, loaded = chosen, pairing.cut(loaded, chosen, program, program_params)
            load = functools.partial(load, outputs)
            result = _beside_paddle(session, loaded, load, program, program_params, dict(inputs or {}), asked, dict(lod or {}), seed, sizes, tolerance)
            result.notes[:0] = notes
        if narrow and (rtol, atol) == ("model", "model"):
            result.notes.append(f"the weights are in 16 bits: tolerances are {narrow[0]:g} relative and {narrow[1]:g} absolute")
        if result.empty:
            result.notes.append(f"no elements to compare in {', '.join(result.empty)}: use --inputs with inputs that produce elements")
        if locate and not result.ok:
            try:
                result.divergence = divergence.find(program, program_params, graph, result.reported.inputs, tolerance, narrow is not None, libraries)
            except MissingPackageError as error:
                result.notes.append(f"the first difference is unknown: {error}")
            except Fluid2OnnxError as error:
                result.notes.append(f"the first difference could not be found: {error}")
    return result


def _file(given: Source, folder: str, stem: str, suffix: str = "") -> str:
    """The path of a model, or of parameters; what is given as bytes is written to the folder."""
    if not isinstance(given, (bytes, bytearray, memoryview)):
        return path_of(given)
    content = memoryview(given).cast("B")
    suffix = suffix or (".onnx" if is_onnx(given) else ".json" if bytes(content[:1]) == b"{" else ".pdmodel")
    path = os.path.join(folder, stem + suffix)
    with open(path, "wb") as file:
        file.write(content)
    return path


def _load(model: str, params: Optional[str], outputs: Sequence[str]) -> Any:
    from . import paddle_model  # imports Paddle

    loaded = paddle_model.load(model, params)
    return pairing.cut(loaded, outputs, model, params) if outputs else loaded


def _beside_paddle(
    session: Any,
    paddle_side: Any,
    load: "Callable[[], Any]",
    model: str,
    params: Optional[str],
    inputs: Dict[str, Any],
    shapes: Dict[str, Dims],
    lod: "Dict[str, Sequence[Sequence[int]]]",
    seed: int,
    sizes: int,
    tolerance: Tolerance,
) -> Validation:
    names = [feed.name for feed in paddle_side.feeds]
    for name in shapes:
        if name not in names:
            raise ModelError(f"the model has no input '{name}'; its inputs are {', '.join(names) or 'none'}")
    given = given_inputs(paddle_side.feeds, inputs, lod)
    wanted = [item.name for item in session.get_inputs()]
    pairing.check_inputs(paddle_side, wanted, model, params)
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
    # What has one batch for all inputs is more common than what has several.
    apart = tuple(replace(size, apart=True) for size in OPEN_SIZES)
    for attempts in (OPEN_SIZES + apart, OTHER_SIZES)[:sizes]:
        tried = [run.inputs.shapes() for run in result.runs]
        attempts = tuple(replace(size, apart=size.apart or any(run.inputs.apart for run in result.runs)) for size in attempts)
        try:
            found, (want, levels) = _run_paddle(paddle_side.run_with_lod, drawn, attempts, tried)
        except _NoOtherSizes:
            break
        except ModelError as error:
            if not result.runs:
                raise
            result.notes.append(f"only one size was compared: Paddle rejects the others: {error}")
            break
        try:
            got = onnx_model.run(session, feeds)
        except ModelError as error:
            raise ModelError(f"{error} (Paddle runs with {found.shapes()})") from error
        checked = pairing.compared(session, got, paddle_side.outputs, want, levels, found, tolerance)
        if checked.error:
            yardstick.excuse(checked, load, want, tolerance)
        result.runs.append(checked)
        if result.runs[-1].error:
            break
    return result


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
        raise _NoOtherSizes("all dimensions are fixed")
    if len(tried) > before + 1:
        raise ModelError(f"{first}; no tried size of the dynamic dimensions works: use --input-shape") from first
    raise first


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
    pairing.tell_empty(outputs)
    return Run(Inputs(kept, levels or _lod_of(arrays)), outputs, differing)


def _lod_of(arrays: Mapping[str, np.ndarray]) -> "Dict[str, List[List[int]]]":
    """The offsets of what has lengths beside it."""
    found: Dict[str, List[np.ndarray]] = {}
    for name in sorted(filter(onnx_model.are_lengths, arrays)):
        found.setdefault(name.rpartition(".lengths")[0], []).append(arrays[name])
    return {name: sequences.offsets(lengths) for name, lengths in found.items()}

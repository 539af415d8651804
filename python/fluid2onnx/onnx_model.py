"""Running ONNX models with ONNX Runtime, and finding their input among Paddle's. Needs onnxruntime only when run."""
import ctypes
import os
import re
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .errors import MissingPackageError, ModelError
from .sequences import lengths_name

# By the newest IR version that an ONNX Runtime reads, where its message does not tell the opset.
_NEWEST_OPSET = {"13": 26}

_BFLOAT16 = "tensor(bfloat16)"
_BFLOAT16_CODE = 16  # of ONNX's TensorProto.DataType

_LENGTHS = re.compile(r".+\.lengths(_\d+)?")


def session(path: "os.PathLike[str] | str", optimize: bool = True, threads: int = 1, libraries: Sequence[str] = ()) -> Any:
    """An `onnxruntime.InferenceSession` on the CPU; `libraries` have kernels of operators that ONNX Runtime lacks.

    Raises:
        MissingPackageError: onnxruntime is not installed.
        ModelError: ONNX Runtime rejects the model.
    """
    path = os.fspath(path)
    if not os.path.isfile(path):
        raise ModelError(f"{path}: {'a folder; expected an ONNX file' if os.path.isdir(path) else 'no such file'}")
    return _session(path, path, {}, optimize, threads, libraries)


def session_of(model: bytes, folder: str, libraries: Sequence[str] = ()) -> Any:
    """As `session`, of a model in memory; files that it refers to are in `folder`."""
    return _session(model, "the model", {"session.model_external_initializers_file_folder_path": folder}, libraries=libraries)


def _session(
    model: "str | bytes", name: str, entries: Mapping[str, str], optimize: bool = True, threads: int = 1, libraries: Sequence[str] = ()
) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingPackageError("running an ONNX model needs onnxruntime (pip install onnxruntime)") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    options.log_severity_level = 4
    for key, value in entries.items():
        options.add_session_config_entry(key, value)
    for library in libraries:
        try:
            options.register_custom_ops_library(library)
        except Exception as error:
            raise ModelError(f"{library}: not a library of custom operators: {one_line(error)}") from error
    if not optimize:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions share no base but Exception
        raise ModelError(f"{name}: {_why_not_loaded(str(error), onnxruntime.__version__)}") from error


def _why_not_loaded(text: str, version: str) -> str:
    """What ONNX Runtime means when it cannot load a file."""
    if "Protobuf parsing failed" in text or "No graph was found" in text:
        return "not an ONNX model"
    newest = re.search(r"is till opset (\d+)|max supported IR version: (\d+)", text)
    if newest:
        limit = newest[1] or _NEWEST_OPSET.get(newest[2])
        stops = f"stops at opset {limit}" if limit else f"reads IR versions up to {newest[2]}"
        return f"too new for ONNX Runtime {version}, which {stops}; convert to a lower opset to compare"
    lacking = "" if "is not a registered function/op" not in text else "; --custom-op-library FILE names a library that has the operator's kernels"
    return f"ONNX Runtime cannot load the model: {one_line(text)}{lacking}"


def run(running: Any, feeds: Mapping[str, np.ndarray]) -> List[np.ndarray]:
    """Runs a session; sequences become lists of arrays. numpy has no bfloat16: such tensors are the uint16 of their bits."""
    check_shapes(running, feeds)
    try:
        if any(item.type == _BFLOAT16 for item in [*running.get_inputs(), *running.get_outputs()]):
            return _run_on_values(running, feeds)
        return list(running.run(None, dict(feeds)))
    except Exception as error:
        raise ModelError(f"ONNX Runtime cannot run the model: {one_line(error)}") from error


def check_shapes(running: Any, feeds: Mapping[str, np.ndarray]) -> None:
    """Raises ModelError if an array does not have the shape that the model declares."""
    for item in running.get_inputs():
        if item.name in feeds:
            _check_shape(item.name, np.shape(feeds[item.name]), item.shape)


def _run_on_values(running: Any, feeds: Mapping[str, np.ndarray]) -> List[np.ndarray]:
    """As `run`, without ONNX Runtime's conversions from and to numpy, which know no bfloat16."""
    from onnxruntime import OrtValue

    types = {item.name: item.type for item in running.get_inputs()}
    values = {
        name: OrtValue.ortvalue_from_numpy_with_onnx_type(np.ascontiguousarray(array), _BFLOAT16_CODE)
        if types.get(name) == _BFLOAT16
        else OrtValue.ortvalue_from_numpy(array)
        for name, array in feeds.items()
    }
    names = [item.name for item in running.get_outputs()]
    return [_bits(value) if value.data_type() == _BFLOAT16 else value.numpy() for value in running.run_with_ort_values(names, values)]


def _bits(value: Any) -> np.ndarray:
    """The bits of a bfloat16 tensor."""
    size = int(np.prod(value.shape(), dtype=np.int64))
    if not size:
        return np.zeros(value.shape(), np.uint16)
    held = (ctypes.c_uint16 * size).from_address(value.data_ptr())
    return np.array(held, np.uint16).reshape(value.shape())  # copied, since the value goes away


def _check_shape(name: str, given: "Tuple[int, ...]", wanted: Sequence[Any]) -> None:
    if not wanted:  # a scalar, or of unknown rank
        return
    fits = [dim == size for dim, size in zip(given, wanted) if isinstance(size, int)]
    if len(given) != len(wanted) or not all(fits):
        shape = ", ".join(str(size or "?") for size in wanted)
        raise ModelError(f"input '{name}' is {list(given)}, but the ONNX model takes [{shape}]")


def parts(array: np.ndarray) -> np.ndarray:
    """Complex numbers as converted models have them: real and imaginary parts are a last axis of size 2."""
    return np.stack([array.real, array.imag], axis=-1) if array.dtype.kind == "c" else array


def match_inputs(
    wanted: Sequence[str], arrays: Mapping[str, np.ndarray], lod: "Optional[Mapping[str, Sequence[Sequence[int]]]]" = None
) -> Dict[str, np.ndarray]:
    """The feeds of an ONNX model with inputs `wanted`, from Paddle's inputs (in feed order).

    By name; if the converter gave others, by position. `lod` are offsets of sequences, as Paddle has them; the ONNX model
    takes their lengths, as inputs of their own: see `lengths_of`.

    Raises:
        ModelError: an input has no counterpart.
    """
    values = {name: parts(array) for name, array in arrays.items()}
    for name, levels in (lod or {}).items():
        values.update(lengths_of(name, levels))
    feeds = {name: values[name] for name in wanted if name in values}
    rest = [name for name in wanted if name not in values]
    unused = [values[name] for name in arrays if name not in feeds]
    if len(rest) > len(unused):
        raise ModelError(f"the ONNX model has an input '{rest[0]}' that the Paddle model does not have")
    feeds.update(zip(rest, unused))
    return feeds


def lengths_of(name: str, levels: Sequence[Sequence[int]]) -> Dict[str, np.ndarray]:
    """The inputs that tell the sequences in `name` apart, from Paddle's offsets: `NAME.lengths`, how many rows each one has;
    of several levels `NAME.lengths_0` and so on, outermost first, each counted in sequences of the next."""
    return {lengths_name(name, index, len(levels)): np.diff(np.asarray(level, np.int64)) for index, level in enumerate(levels)}


def are_lengths(name: str) -> bool:
    """Whether an input or output of this name tells the sequences in another one apart; see `lengths_of`."""
    return _LENGTHS.fullmatch(name) is not None


def one_line(error: object) -> str:
    """An error's text without line breaks, for tables."""
    return " ".join(str(error).split())[:600] or type(error).__name__

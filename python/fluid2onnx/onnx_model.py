"""Running ONNX models with ONNX Runtime, and finding their input among Paddle's. Needs onnxruntime only when run."""
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .errors import MissingPackageError, ModelError


def session(path: "os.PathLike[str] | str", optimize: bool = True, threads: int = 1) -> Any:
    """An `onnxruntime.InferenceSession` on the CPU.

    Raises:
        MissingPackageError: onnxruntime is not installed.
        ModelError: ONNX Runtime rejects the model.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingPackageError("running an ONNX model needs onnxruntime (pip install onnxruntime)") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    options.log_severity_level = 4
    if not optimize:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return onnxruntime.InferenceSession(os.fspath(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions share no base but Exception
        raise ModelError(f"ONNX Runtime cannot load the model: {one_line(error)}") from error


def run(running: Any, feeds: Mapping[str, np.ndarray]) -> List[np.ndarray]:
    """Runs a session; sequences become lists of arrays."""
    try:
        return running.run(None, dict(feeds))
    except Exception as error:
        raise ModelError(f"ONNX Runtime cannot run the model: {one_line(error)}") from error


def parts(array: np.ndarray) -> np.ndarray:
    """Complex numbers as converted models have them: real and imaginary parts are a last axis of size 2."""
    return np.stack([array.real, array.imag], axis=-1) if array.dtype.kind == "c" else array


def match_inputs(
    wanted: Sequence[str], arrays: Mapping[str, np.ndarray], lod: "Optional[Mapping[str, Sequence[Sequence[int]]]]" = None
) -> Dict[str, np.ndarray]:
    """The feeds of an ONNX model with inputs `wanted`, from Paddle's inputs (in feed order).

    By name; if the converter gave others, by position. An input with LoD has further inputs of int64 offsets, one
    per level, which follow it or are named after it.

    Raises:
        ModelError: an input has no counterpart.
    """
    values: List[Tuple[str, np.ndarray]] = []
    offsets: Dict[str, List[np.ndarray]] = {}
    for name, array in arrays.items():
        values.append((name, parts(array)))
        offsets[name] = [np.asarray(level, np.int64) for level in (lod or {}).get(name, ())]
    feeds: Dict[str, np.ndarray] = {}
    rest = [name for name in wanted if name not in arrays]
    feeds.update((name, parts(arrays[name])) for name in wanted if name in arrays)
    for name in list(rest):
        owner = max((key for key in offsets if offsets[key] and name.startswith(key)), key=len, default=None)
        if owner is not None:
            feeds[name] = offsets[owner].pop(0)
            rest.remove(name)
    unused = [array for name, array in values if name not in feeds]
    if len(rest) > len(unused):
        raise ModelError(f"the ONNX model has an input '{rest[0]}' that the Paddle model does not have")
    feeds.update(zip(rest, unused))
    return feeds


def one_line(error: BaseException) -> str:
    """An error's text without line breaks, for tables."""
    return " ".join(str(error).split())[:600] or type(error).__name__

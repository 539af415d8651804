"""The first operator whose result differs between a Paddle model and its conversion."""
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set

import numpy as np

from . import onnx_model, roles, wire
from .compare import Difference, Tolerance, compare, relative_error
from .errors import ModelError
from .files import PathLike
from .inputs import Inputs

_AT_ONCE = 48  # variables that are looked at in one run: all of a model's may be more than fits the memory

# How far a variable as a whole is off where an operator is wrong; rounding errors stay below.
_WRONG = 1e-3

# Paddle's number in variables that Python had not assigned.
_UNDEFINED = 1.77113e27

# Field numbers of onnx.proto.
_MODEL_GRAPH, _GRAPH_NODE, _GRAPH_OUTPUT, _NODE_OUTPUT, _VALUE_NAME = 7, 1, 12, 2, 1


def find(model: PathLike, params: Optional[PathLike], onnx: str, inputs: Inputs, tolerance: Tolerance, half: bool = False, libraries: Sequence[str] = ()) -> str:
    """Text about the first variable that differs, or the reason why no single one is responsible.

    Values of the ONNX model have the names of the program's variables. Variables that both models have are compared in order.
    With `half`, float16 instead of float32 is not a difference.

    Raises:
        MissingPackageError: Paddle is not installed.
        ModelError: a model cannot be loaded or run.
    """
    from . import paddle_model  # imports Paddle

    wanted = [item.name for item in onnx_model.session(onnx, libraries=libraries).get_inputs()]
    feeds = onnx_model.match_inputs(wanted, inputs.arrays, inputs.lod)
    # What reading a PIR program made several of counts as the last one.
    ops = list({op["index"]: op for op in roles.program_ops(model, params) if op["block"] == 0}.values())
    with open(onnx, "rb") as file:
        graph = file.read()
    shared = _shared(ops, values(graph), set(feeds))
    if not shared:
        return "the first difference is unknown: the ONNX model has no value with the name of a variable of the program"
    paddle_side = paddle_model.load(model, params)
    agreeing: Set[str] = set(inputs.arrays)
    small: Optional[Difference] = None
    for start in range(0, len(shared), _AT_ONCE):
        names = shared[start : start + _AT_ONCE]
        want = paddle_side.values(inputs.arrays, inputs.lod, [(name, writer_of(ops, name)) for name in names])
        got = _values_of(graph, onnx, names, feeds, libraries)
        for name in names:
            if name not in want or name not in got:
                continue
            wanted_value = onnx_model.parts(want[name])
            if wanted_value.dtype.kind == "f" and np.isclose(wanted_value, _UNDEFINED, rtol=1e-5).any():
                continue
            if half and wanted_value.dtype == np.float32 and got[name].dtype == np.float16:
                got[name] = got[name].astype(np.float32)
            difference = compare(name, got[name], wanted_value, _scaled(tolerance))
            if difference.verdict in ("dtype", "shape") or relative_error(got[name], wanted_value) > _WRONG:
                return _described(ops, difference, agreeing, len(agreeing) - len(inputs.arrays))
            agreeing.add(name)
            if not difference.ok and small is None:
                small = difference
    text = (
        f"no single operator is wrong: the relative error of each of the {len(agreeing) - len(inputs.arrays)} common variables is at most {_WRONG:g}. "
        "Possible causes: rounding errors add up; ties are decided differently; or ONNX Runtime's optimisations are wrong (some are disabled "
        "while all values are read)"
    )
    if small is not None:
        writer = next(op for op in ops if any(small.name in args for args in op["outputs"].values()))
        text += f"\nthe first elements out of tolerance: variable {small.describe()}\n  of {_place(writer)}"
    return text


def _scaled(tolerance: Tolerance) -> Tolerance:
    """Between layers, small numbers are differences of large ones."""
    return Tolerance(tolerance.rtol, max(tolerance.atol or 0.0, 1e-4), scaled=True)


def values(model: bytes) -> Set[str]:
    """The results of the main graph's nodes, but for those that are outputs already."""
    names: Set[str] = set()
    for number, _, graph in wire.fields(model):
        if number == _MODEL_GRAPH:
            for field, _, node in wire.fields(graph):
                if field == _GRAPH_NODE:
                    names.update(content.decode("utf-8", "replace") for inner, _, content in wire.fields(node) if inner == _NODE_OUTPUT)
    return names - {""}


def writer_of(ops: Sequence[roles.Op], name: str) -> "tuple[int, int]":
    """The operator, and which of its results it is; -1 if that is not known, for slots come sorted by name."""
    for op in ops:
        for args in op["outputs"].values():
            if name in args:
                return op["index"], args.index(name) if len(op["outputs"]) == 1 else -1
    raise KeyError(name)


def _shared(ops: Sequence[roles.Op], values: Set[str], feeds: Set[str]) -> List[str]:
    """Variables that the main block writes once, in its order, and that the graph has."""
    written: Dict[str, int] = {}
    for op in ops:
        for args in op["outputs"].values():
            for arg in args:
                written[arg] = written.get(arg, 0) + 1
    return [name for name, times in written.items() if times == 1 and name in values and name not in feeds]


def _values_of(model: bytes, path: str, names: Sequence[str], feeds: Mapping[str, np.ndarray], libraries: Sequence[str]) -> Dict[str, np.ndarray]:
    """What those nodes of the model give, with the optimisations that showing them leaves."""
    running = _showing(model, path, names, libraries)
    shown = [item.name for item in running.get_outputs()]
    return {name: array for name, array in zip(shown, onnx_model.run(running, feeds)) if isinstance(array, np.ndarray)}


def _showing(model: bytes, path: str, names: Sequence[str], libraries: Sequence[str]) -> Any:
    def with_outputs(graph: bytes) -> bytes:
        known = {wire.text(content, _VALUE_NAME) for number, _, content in wire.fields(graph) if number == _GRAPH_OUTPUT}
        added = [name for name in names if name not in known]
        return graph + b"".join(
            wire.message([(_GRAPH_OUTPUT, wire.BYTES, wire.message([(_VALUE_NAME, wire.BYTES, name.encode())]))]) for name in added
        )

    return onnx_model.session_of(wire.replace(model, _MODEL_GRAPH, with_outputs), os.path.dirname(os.path.abspath(path)), libraries)


def session_with_outputs(path: str, names: Sequence[str], libraries: Sequence[str] = ()) -> Any:
    """A session of the ONNX model that has these values as its only outputs.

    Raises:
        ModelError: the model has no such value.
    """

    def instead(graph: bytes) -> bytes:
        kept = [part for part in wire.fields(graph) if part[0] != _GRAPH_OUTPUT]
        return wire.message([*kept, *((_GRAPH_OUTPUT, wire.BYTES, wire.message([(_VALUE_NAME, wire.BYTES, name.encode())])) for name in names)])

    with open(path, "rb") as file:
        model = file.read()
    return onnx_model.session_of(wire.replace(model, _MODEL_GRAPH, instead), os.path.dirname(os.path.abspath(path)), libraries)


def _described(ops: Sequence[roles.Op], difference: Difference, agreeing: Set[str], compared: int) -> str:
    name = difference.name
    writer = next(op for op in ops if any(name in args for args in op["outputs"].values()))
    lines = [
        f"first difference: variable {difference.describe()}",
        f"  of {_place(writer)}; {compared} earlier variables agree",
    ]
    # Operators without a result in the conversion: they were merged with this one.
    suspects, open_ = [], [arg for args in writer["inputs"].values() for arg in args]
    seen: Set[str] = set()
    while open_:
        arg = open_.pop()
        if arg in agreeing or arg in seen:
            continue
        seen.add(arg)
        for op in ops:
            if op["index"] < writer["index"] and any(arg in args for args in op["outputs"].values()) and op not in suspects:
                suspects.append(op)
                open_ += [inner for args in op["inputs"].values() for inner in args]
    if suspects:
        lines.append("  the cause can also be an earlier operator whose result is not in the ONNX model:")
        lines += [f"    {_place(op)}" for op in sorted(suspects, key=lambda op: int(op["index"]))[-8:]]
    return "\n".join(lines)


def _place(op: roles.Op) -> str:
    return f"op {op['index']} '{op['type']}'" + (f" ({op['source']})" if op.get("source") else "")

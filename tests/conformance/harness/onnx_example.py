"""One example of an operator of ONNX: a model of that one node at each version of the operator, run by ONNX Runtime, and
converted and run by Paddle.
"""
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
import onnx
from onnx import TensorProto, helper

from fluid2onnx import onnx_model
from fluid2onnx.errors import ModelError

from . import judge
from .cases import Case
from .operands import OperandError, draw
from .pool import Emit, Stage
from .program_runner import PaddleError, as_fed
from .verify import FAILED, PASSED, REFUSED, SKIPPED, Check, Task, Tools

# Before it ONNX had no initializers beside inputs.
_OLDEST_IR = 4
_NEWEST_OPSET = 23


@dataclass
class Truth:
    """The expected outputs of a model, and the program that computed them."""

    who: str
    outputs: List[np.ndarray]


def verify_onnx(tools: Tools, task: Task, emit: Emit) -> None:
    """Emits a `Check` for each version of the operator that the example is for."""
    emit(Stage(None))
    if not tools.can_make_references:
        emit(Check([], SKIPPED, "Paddle is not installed"))
        return
    try:
        arrays = draw_all(task.case)
    except OperandError as error:
        emit(Check([], FAILED, str(error)))
        return
    nodes = task.case.data["onnx"]["nodes"]
    truth: Optional[Truth] = None
    for node in nodes:
        opsets = [opset for opset in task.opsets if node["first"] <= opset <= node["last"]]
        if opsets and not task.skip.issuperset(opsets):
            emit(Stage(opsets))
            try:
                check, truth = _verify(tools, task, node, opsets, arrays, truth, newest=node is nodes[-1])
            except ModelError as error:
                check = Check(opsets, FAILED, f"no reference: {error}")
            emit(check)


def versions(case: Case) -> List[Tuple[Dict[str, Any], int]]:
    """The nodes of the example, one of each version of the operator, and its newest opset, at most 23."""
    newest = [(node, min(node["last"], _NEWEST_OPSET)) for node in case.data["onnx"]["nodes"]]
    return [(node, opset) for node, opset in newest if node["first"] <= opset]


def draw_all(case: Case) -> Dict[str, np.ndarray]:
    """The values of all operands."""
    return {item["name"]: draw(item, case.name) for items in case.data["inputs"].values() for item in items}


def _verify(
    tools: Tools, task: Task, node: Dict[str, Any], opsets: List[int], arrays: Dict[str, np.ndarray], older: Optional[Truth],
    newest: bool
) -> "Tuple[Check, Optional[Truth]]":
    """The verdict, and what ONNX Runtime gives at this version, or gave at an older one: `older`."""
    case, folder = task.case, task.keep or tools.folder.name
    path = os.path.join(folder, f"opset{opsets[0]}.onnx")
    model = build(case, node, opsets[0], arrays)
    onnx.save(model, path)
    feeds = {port.name: arrays[port.name] for port in model.graph.input}
    truth = older if case.refused else run_onnx(path, opsets[0], feeds, older)
    if truth is not None:
        declare(model, truth)
        onnx.save(model, path)
    program = os.path.join(folder, f"opset{opsets[0]}.pdmodel")
    reply = tools.batch.convert(path, None, program, None)  # type: ignore[arg-type]
    if case.refused:
        if reply.ok or reply.code != case.refused:
            how = "converted" if reply.ok else f"refused with {reply.code}: {reply.message}"
            return Check(opsets, FAILED, f"{how}, but has to be refused with {case.refused}"), truth
        return Check(opsets, REFUSED, reply.code), truth
    if truth is None or not reply.ok:
        return Check(opsets, FAILED, f"refused: {reply.code} {reply.message}"), truth
    names = [port.name for port in model.graph.output]
    random = bool(case.data.get("random"))
    expected = judge.Expected(feeds, truth.outputs, names, case.tolerance, random=random)
    try:
        problem = _compare(*run_paddle(program, feeds), expected, truth.who)
        if not problem and newest and tools.paddle_3_programs:
            problem = _in_paddle_3(tools, path, folder, expected, truth.who)
    except (ModelError, PaddleError) as error:
        problem = f"run: {error}"
    return Check(opsets, FAILED if problem else PASSED, problem), truth


def _in_paddle_3(tools: Tools, path: str, folder: str, expected: judge.Expected, truth: str) -> str:
    """The same in Paddle 3's own format, by position, since the predictor may call its outputs otherwise."""
    program = os.path.join(folder, "paddle3.json")
    reply = tools.batch.convert(path, None, program, None)  # type: ignore[arg-type]
    if not reply.ok:
        return f"Paddle 3: refused: {reply.code} {reply.message}"
    assert tools.paddle_3_programs is not None
    try:
        got = tools.paddle_3_programs.run(Path(program), list(expected.inputs.values()))
    except PaddleError as error:
        return f"Paddle 3: run: {error}"
    problem = _compare(expected.names, got, expected, truth)
    return f"Paddle 3: {problem}" if problem else ""


def _compare(names: Sequence[str], got: Sequence[np.ndarray], expected: judge.Expected, truth: str) -> str:
    problem = judge.compare(names, got, expected)
    return f"mismatch: {problem.replace('Paddle has', f'{truth} has')}" if problem else ""


def run_paddle(program: str, feeds: Dict[str, np.ndarray]) -> "Tuple[List[str], List[np.ndarray]]":
    """Names and values of what a program gives."""
    from fluid2onnx import paddle_model

    loaded = paddle_model.load(program)
    fed = onnx_model.match_inputs([feed.name for feed in loaded.feeds], feeds)
    return loaded.outputs, loaded.run({name: as_fed(array) for name, array in fed.items()})


def run_onnx(path: str, opset: int, feeds: Dict[str, np.ndarray], older: Optional[Truth]) -> Truth:
    """What ONNX Runtime gives; where it has no kernel, what it gave at an older version, which means the same, or what ONNX's
    own evaluator gives.

    Raises:
        ModelError: none of them can run it.
    """
    outputs = _by_onnxruntime(path, feeds) if opset <= judge.RUNTIME_OPSET else None
    if outputs is None and older is not None:
        return older
    truth = Truth("onnx.reference", _by_reference(path, feeds)) if outputs is None else Truth("ONNX Runtime", outputs)
    floats = [array for array in truth.outputs if array.dtype.kind in "fc" and array.size]
    if floats and not any(np.isfinite(array).any() for array in floats):
        raise ModelError("the outputs are NaN or infinite throughout, which proves nothing; give the operands a range")
    return truth


def declare(model: onnx.ModelProto, truth: Truth) -> None:
    """Gives the outputs of a model their types."""
    for port, array in zip(model.graph.output, truth.outputs):
        bits = array.dtype == np.uint16
        port.type.tensor_type.elem_type = TensorProto.BFLOAT16 if bits else helper.np_dtype_to_tensor_dtype(array.dtype)


def _by_onnxruntime(path: str, feeds: Dict[str, np.ndarray]) -> Optional[List[np.ndarray]]:
    """Nothing where it has no kernel."""
    try:
        # Its optimiser would test itself.
        return onnx_model.run(onnx_model.session(path, optimize=False), feeds)
    except ModelError as error:
        if "NOT_IMPLEMENTED" in str(error) and not any(node.domain for node in onnx.load(path).graph.node):
            return None
        raise


def _by_reference(path: str, feeds: Dict[str, np.ndarray]) -> List[np.ndarray]:
    from onnx.reference import ReferenceEvaluator

    try:
        return [np.asarray(array) for array in ReferenceEvaluator(path).run(None, dict(feeds))]
    except Exception as error:
        raise ModelError(f"onnx.reference cannot run the model: {type(error).__name__}: {onnx_model.one_line(error)}") from error


def build(case: Case, node: Dict[str, Any], opset: int, arrays: Dict[str, np.ndarray]) -> onnx.ModelProto:
    """The model of one node: operands that are constants as initializers, the others as inputs."""
    spec = case.data["onnx"]
    constant = {item["name"] for slot in case.data.get("const") or () for item in case.data["inputs"][slot]}
    dtypes = {item["name"]: item["dtype"] for items in case.data["inputs"].values() for item in items}
    inputs, initializers, names = [], [], []
    for item in node["inputs"]:
        if item is None:
            names.append("")
            continue
        if item.get("empty"):
            names.append(f"empty{len(names)}")
            initializers.append(tensor_of(names[-1], np.zeros(0, np.float32), "float32"))
            continue
        name = item["name"]
        names.append(name)
        array = arrays[name]
        if name in constant:
            initializers.append(tensor_of(name, array, dtypes[name]))
        elif name not in {port.name for port in inputs}:
            inputs.append(helper.make_tensor_value_info(name, _element_type(dtypes[name]), _dims(case, name, array)))
    proto = helper.make_node(spec["op"], names, node["outputs"], domain=spec["domain"])
    for name, value in sorted(node["attrs"].items()):
        proto.attribute.append(_attribute(name, value, arrays, dtypes))
    # Without types, which ONNX Runtime infers.
    wanted = [name for name in node["outputs"] if name and (name in case.data["compare"] or name.rpartition(".")[0] in case.data["compare"])]
    outputs = [onnx.ValueInfoProto(name=name) for name in wanted]
    imports = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(spec["domain"], 1)] if spec["domain"] else [])
    graph = helper.make_graph([proto], "example", inputs, outputs, initializers)
    ir = max(_OLDEST_IR, helper.find_min_ir_version_for(imports[:1]))
    return helper.make_model(graph, opset_imports=imports, ir_version=ir)


def _element_type(dtype: str) -> int:
    return TensorProto.BFLOAT16 if dtype == "bfloat16" else helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def tensor_of(name: str, array: np.ndarray, dtype: str) -> TensorProto:
    """A tensor with the bytes of an array."""
    return helper.make_tensor(name, _element_type(dtype), array.shape, np.ascontiguousarray(array).tobytes(), raw=True)


def _dims(case: Case, name: str, array: np.ndarray) -> List[Any]:
    """Sizes, and names of those that are left open."""
    dyn = case.data.get("dyn")
    slot = next(slot for slot, items in case.data["inputs"].items() if any(item["name"] == name for item in items))
    open_axes = range(array.ndim) if dyn == "all" else (dyn or {}).get(slot, ())
    return [f"{name}_{axis}" if axis in open_axes else size for axis, size in enumerate(array.shape)]


def _attribute(name: str, value: Dict[str, Any], arrays: Dict[str, np.ndarray], dtypes: Dict[str, str]) -> onnx.AttributeProto:
    if "tensor" in value:
        return helper.make_attribute(name, tensor_of(name, arrays[value["tensor"]], dtypes[value["tensor"]]))
    if "operand" not in value:
        given = value["value"]
    else:  # that was an attribute in older versions
        given = arrays[value["operand"]].reshape(-1).tolist()
        given = given if value["type"].endswith("s") else given[0]
    if value["type"] in ("float", "floats"):
        given = [float(item) for item in given] if isinstance(given, list) else float(given)
    kinds = {"ints": onnx.AttributeProto.INTS, "floats": onnx.AttributeProto.FLOATS, "strings": onnx.AttributeProto.STRINGS}
    return helper.make_attribute(name, given, attr_type=kinds.get(value["type"]))

"""Judging an ONNX file strictly: the checker, ONNX Runtime, and the values."""
import hashlib
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from fluid2onnx import onnx_model
from fluid2onnx.compare import Tolerance, compare_all
from fluid2onnx.errors import ModelError

# The newest opset that ONNX Runtime loads; above it, ONNX's own reference evaluator runs the model.
RUNTIME_OPSET = 26

PASS = "pass"

# Behind the reason of a failure.
BY_REFERENCE = " (by onnx.reference)"

# What onnx.reference cannot evaluate: the operator, and what it raises. The checker accepts such a model, but it is not
# run. Any other exception is a failure.
REFERENCE_GAPS = {
    ("Gather", "IndexError"),  # in Loops (crf_decoding, viterbi_decode), also at opsets where ONNX Runtime agrees with Paddle
    ("NonMaxSuppression", "IndexError"),  # wants its scalars in one dimension
    ("Pad", "ValueError"),  # takes no negative pads
    ("RNN", "RuntimeError"),  # has no Relu
}

# Distributions of fewer random numbers are not compared.
ENOUGH_TO_COMPARE = 1000


@dataclass
class Verdict:
    """`status` is "pass", or what failed first: check, load, run, mismatch, declared."""

    status: str
    reason: str = ""
    ran: bool = True  # False: only checked, because the reference evaluator cannot run it
    gap: str = ""  # then the operator, one of REFERENCE_GAPS

    @property
    def ok(self) -> bool:
        return self.status == PASS


@dataclass
class Expected:
    """Inputs by Paddle's names in feed order, LoD offsets of those that have any, and Paddle's outputs."""

    inputs: Mapping[str, np.ndarray]
    outputs: Sequence[np.ndarray]
    names: Sequence[str]
    tolerance: Tolerance = Tolerance()
    lod: Optional[Mapping[str, Sequence[Sequence[int]]]] = None
    output_lod: Sequence[Sequence[Sequence[int]]] = ()  # likewise of the outputs
    random: bool = False  # number, dtype, shape and distribution of the outputs count, not the values
    unordered_rows: bool = False
    ties: bool = False  # boxes of equal scores may come in any order, as in `validate`


def judge(path: str, opset: int, *expected: Expected) -> Verdict:
    """Checks and loads one file, and runs it on one or more sets of inputs."""
    problem = check(path, opset)
    if problem:
        return Verdict("check", problem)
    if opset > RUNTIME_OPSET:
        return _judge_by_reference(path, expected)
    try:
        session = onnx_model.session(path)
    except ModelError as error:
        return Verdict("load", str(error))
    ports = declared_ports(path)
    for item in expected:
        try:
            feeds = onnx_model.match_inputs([node.name for node in session.get_inputs()], item.inputs, item.lod)
            got = onnx_model.run(session, feeds)
        except ModelError as error:
            return Verdict("run", str(error))
        names = [port.name for port in ports[1]]
        reason = compare(names, got, item)
        if reason:
            return Verdict("mismatch", reason + _blame(path, names, feeds, item))
        reason = broken_promise(ports, feeds, got)
        if reason:
            return Verdict("declared", reason)
    return Verdict(PASS)


def load(path: str, opset: int) -> Verdict:
    """Checks one file, and loads it in ONNX Runtime without running it."""
    problem = check(path, opset)
    if problem:
        return Verdict("check", problem)
    try:
        onnx_model.session(path)
    except ModelError as error:
        return Verdict("load", str(error))
    return Verdict(PASS)


def check(path: str, opset: int) -> str:
    """What onnx.checker with strict shape inference objects to; also another opset than the one asked for."""
    import onnx

    try:
        onnx.checker.check_model(path, full_check=True)
    except Exception as error:  # the checker's and the inference's errors share no base
        return f"{type(error).__name__}: {onnx_model.one_line(error)}"
    model = onnx.load(path, load_external_data=False)
    versions = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    if versions != [opset]:
        return f"the file has opset {versions}, requested was {opset}"
    return ""


@dataclass
class Port:
    """An input or output as the file declares it; a dim is a size, the name of one, or None."""

    name: str
    dtype: int
    shape: "Optional[List[Union[int, str, None]]]"


def declared_ports(path: str) -> "Tuple[List[Port], List[Port]]":
    """The inputs and the outputs that the file declares; a rank that the converter reports as a guess is unknown."""
    import onnx

    model = onnx.load(path, load_external_data=False)
    graph = model.graph
    guessed = {name for entry in model.metadata_props if entry.key == "unknown_ranks" for name in entry.value.split("\n")}

    def dim(proto: Any) -> "Union[int, str, None]":
        return proto.dim_value if proto.HasField("dim_value") else proto.dim_param or None

    def port(info: Any) -> Port:
        tensor = info.type.tensor_type
        known = tensor.HasField("shape") and info.name not in guessed
        return Port(info.name, tensor.elem_type, [dim(d) for d in tensor.shape.dim] if known else None)

    return [port(info) for info in graph.input], [port(info) for info in graph.output]


def broken_promise(ports: "Tuple[List[Port], List[Port]]", feeds: Mapping[str, np.ndarray], got: Sequence[Any]) -> str:
    """Wrong declarations of outputs; a dim name must denote one size everywhere."""
    import onnx

    sizes: Dict[str, int] = {}
    fed = [(port, feeds[port.name]) for port in ports[0] if port.name in feeds]
    for port, array in [*fed, *zip(ports[1], got)]:
        array = np.asarray(array)
        declared = f"{port.name}: declared {port.shape}, is {list(array.shape)}"
        if port.shape is not None and len(port.shape) != array.ndim:
            return declared
        for wanted, size in zip(port.shape or [], array.shape):
            if wanted is not None and (sizes.setdefault(wanted, size) if isinstance(wanted, str) else wanted) != size:
                return f"{declared} ({wanted} is {sizes[wanted]} elsewhere)" if isinstance(wanted, str) else declared
        dtype = onnx.helper.tensor_dtype_to_np_dtype(port.dtype)
        if array.dtype.kind in "biuf" and dtype.kind in "biuf" and array.dtype != dtype:
            return f"{port.name}: declared {dtype}, is {array.dtype}"
    return ""


def compare(ports: Sequence[str], got: Sequence[Any], expected: Expected) -> str:
    """What is wrong with outputs of these names, lengths of sequences among them; nothing if they are as expected."""
    want = list(expected.outputs)
    lengths = {name: item for name, item in zip(ports, got) if onnx_model.are_lengths(name) and len(got) > len(want)}
    got = [np.asarray(item) for name, item in zip(ports, got) if name not in lengths]
    problem = compare_lengths(lengths, [name for name in ports if name not in lengths], expected.lod, expected.output_lod)
    if problem:
        return problem
    if expected.unordered_rows:
        got, want = [_sorted_rows(item) for item in got], [_sorted_rows(item) for item in want]
    problem = compare_all(expected.names, got, want, expected.tolerance, values=not expected.random, ties=expected.ties)[1]
    if expected.random and not problem:
        pairs = zip(expected.names, got, want)
        problem = "; ".join(filter(None, (_other_distribution(name, a, b) for name, a, b in pairs)))
    return problem


def compare_lengths(
    lengths: Mapping[str, Any], ports: Sequence[str], lod: Optional[Mapping[str, Any]], output_lod: Sequence[Sequence[Sequence[int]]]
) -> str:
    """Whether each output is divided into sequences as Paddle's is. Without an output for them, its lengths are those of
    an input."""
    fed = [onnx_model.lengths_of("", levels) for levels in (lod or {}).values()]
    known = [list(array) for entry in fed for array in entry.values()]
    left = dict(lengths)
    for port, levels in zip(ports, output_lod):
        for name, want in onnx_model.lengths_of(port, levels).items():
            got = left.pop(name, None)
            if got is not None and list(got) != list(want):
                return f"{name}: {list(got)}, Paddle has {list(want)}"
            if got is None and list(want) not in known:
                return f"{name}: missing, Paddle has {list(want)}"
    return f"{next(iter(left))}: Paddle has no such sequences" if left else ""


def _other_distribution(name: str, got: np.ndarray, want: np.ndarray) -> str:
    """The two-sample test of Kolmogorov and Smirnov, which samples of one distribution fail once in a million times."""
    if got.size < ENOUGH_TO_COMPARE:
        return ""
    a, b = np.sort(got, axis=None).astype(np.float64), np.sort(want, axis=None).astype(np.float64)
    every = np.concatenate([a, b])
    below = [np.searchsorted(sample, every, side="right") / sample.size for sample in (a, b)]
    distance = float(np.abs(below[0] - below[1]).max())
    limit = 2.69 * np.sqrt(1 / a.size + 1 / b.size)
    return "" if distance <= limit else f"{name}: another distribution than Paddle's (distance {distance:.3f}, limit {limit:.3f})"


def _sorted_rows(array: np.ndarray) -> np.ndarray:
    return array[np.lexsort(array.T[::-1])] if array.ndim == 2 else array


def _blame(path: str, names: Sequence[str], feeds: Dict[str, np.ndarray], expected: Expected) -> str:
    """Tells a wrong graph from a wrong optimisation of ONNX Runtime's."""
    try:
        got = onnx_model.run(onnx_model.session(path, optimize=False), feeds)
    except ModelError:
        return ""
    return "" if compare(names, got, expected) else " (agrees with ONNX Runtime's graph optimisations off)"


def _raised_by(error: BaseException) -> str:
    """The ONNX operator whose evaluation raised an exception; empty if it was none's."""
    operator = ""
    trace = error.__traceback__
    while trace is not None:
        node = getattr(trace.tb_frame.f_locals.get("self"), "onnx_node", None)
        operator = getattr(node, "op_type", operator)
        trace = trace.tb_next
    return operator


def _judge_by_reference(path: str, expected: Sequence[Expected]) -> Verdict:
    from onnx.reference import ReferenceEvaluator

    for item in expected:
        try:
            evaluator = ReferenceEvaluator(path)
            feeds = onnx_model.match_inputs(evaluator.input_names, item.inputs, item.lod)
            got: List[Any] = evaluator.run(None, feeds)
        except Exception as error:
            operator = _raised_by(error)
            if (operator, type(error).__name__) in REFERENCE_GAPS:
                return Verdict(PASS, ran=False, gap=f"{operator} ({type(error).__name__})")
            return Verdict("run", f"{type(error).__name__} of {operator}: {onnx_model.one_line(error)}{BY_REFERENCE}")
        reason = compare(evaluator.output_names, got, item)
        if reason:
            return Verdict("mismatch", reason + BY_REFERENCE)
        reason = broken_promise(declared_ports(path), feeds, got)
        if reason:
            return Verdict("declared", reason + BY_REFERENCE)
    return Verdict(PASS)


def fingerprint(path: str, opset: int) -> bytes:
    """Equal for files that mean the same although their opset differs: equal nodes, each in the same version."""
    import onnx

    model = onnx.load(path, load_external_data=False)
    versions: Dict[str, int] = {}
    for function_or_graph in [model.graph, *model.functions]:
        _versions(function_or_graph.node, opset, versions)
    del model.opset_import[:]
    model.ClearField("ir_version")
    model.ClearField("producer_version")
    digest = hashlib.blake2b(repr(sorted(versions.items())).encode(), digest_size=16)
    for tensor in model.graph.initializer:  # one by one, since a model may be as large as the memory
        digest.update(tensor.SerializeToString(deterministic=True))
        tensor.Clear()
    digest.update(model.SerializeToString(deterministic=True))
    return digest.digest()


def _versions(nodes: Any, opset: int, found: Dict[str, int]) -> None:
    import onnx

    for node in nodes:
        if node.op_type not in found and node.domain in ("", "ai.onnx"):
            try:
                found[node.op_type] = onnx.defs.get_schema(node.op_type, opset).since_version
            except onnx.defs.SchemaError:
                found[node.op_type] = -opset  # the checker will say it
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                _versions(attribute.g.node, opset, found)
            for graph in attribute.graphs:
                _versions(graph.node, opset, found)


def remove(path: str) -> None:
    """Removes a file that may not exist."""
    try:
        os.remove(path)
    except FileNotFoundError:
        pass

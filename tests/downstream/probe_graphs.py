"""Small models of control flow, sequences and recurrent operators, which ONNX's node cases do not have as tensors."""
from dataclasses import dataclass
from typing import Dict, Iterator, List, Sequence, Tuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F, I64, B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


@dataclass
class Graph:
    """A model that shows that an engine runs `ops`, or a condition of one operator if `fact` names it."""

    name: str
    ops: Sequence[str]
    model: onnx.ModelProto
    inputs: Dict[str, np.ndarray]
    fact: str = ""


def _value(name: str, dtype: int, shape: "Sequence[int | str] | None") -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, dtype, shape)


def _model(nodes: List[onnx.NodeProto], inputs: list, outputs: list, weights: Sequence[Tuple[str, np.ndarray]] = (), opset: int = 13) -> onnx.ModelProto:
    tensors = [numpy_helper.from_array(array, name) for name, array in weights]
    model = helper.make_model(helper.make_graph(nodes, "probe", inputs, outputs, tensors), opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 8
    return model


X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)


def _branch(op: str, shape: Sequence[int]) -> onnx.GraphProto:
    return helper.make_graph([helper.make_node(op, ["x"], [op])], op, [], [_value(op, F, shape)])


def _if() -> onnx.ModelProto:
    nodes = [
        helper.make_node("ReduceSum", ["x"], ["sum"], keepdims=0),
        helper.make_node("Greater", ["sum", "limit"], ["large"]),
        helper.make_node("If", ["large"], ["y"], then_branch=_branch("Relu", [2, 3]), else_branch=_branch("Exp", [2, 3])),
    ]
    return _model(nodes, [_value("x", F, [2, 3])], [_value("y", F, [2, 3])], [("limit", np.float32(5))])


def _loop(trips: str, scan: bool = False) -> onnx.ModelProto:
    body_nodes = [helper.make_node("Add", ["carried", "x"], ["next"]), helper.make_node("Identity", ["going"], ["goes_on"])]
    body_outputs = [_value("goes_on", B, []), _value("next", F, [2, 3])]
    outputs, results = ["y"], [_value("y", F, [2, 3])]
    if scan:
        body_nodes.append(helper.make_node("Relu", ["next"], ["each"]))
        body_outputs.append(_value("each", F, [2, 3]))
        outputs.append("all")
        results.append(_value("all", F, None))
    body = helper.make_graph(body_nodes, "body", [_value("i", I64, []), _value("going", B, []), _value("carried", F, [2, 3])], body_outputs)
    nodes, weights = [], [("yes", np.array(True))]
    if trips == "constant":
        weights.append(("trips", np.int64(3)))
    else:
        nodes = [helper.make_node("ReduceSum", ["n"], ["sum"], keepdims=0), helper.make_node("Cast", ["sum"], ["trips"], to=I64)]
    nodes.append(helper.make_node("Loop", ["trips", "yes", "x"], outputs, body=body))
    inputs = [_value("x", F, [2, 3])] + ([] if trips == "constant" else [_value("n", F, [1])])
    return _model(nodes, inputs, results, weights)


def _loop_of_sequence() -> onnx.ModelProto:
    sequence = helper.make_tensor_sequence_value_info
    body = helper.make_graph(
        [
            helper.make_node("SequenceInsert", ["old", "x"], ["new"]),
            helper.make_node("Identity", ["going"], ["goes_on"]),
        ],
        "body",
        [_value("i", I64, []), _value("going", B, []), sequence("old", F, [2, 3])],
        [_value("goes_on", B, []), sequence("new", F, [2, 3])],
    )
    nodes = [
        helper.make_node("SequenceEmpty", [], ["start"]),
        helper.make_node("Loop", ["trips", "yes", "start"], ["end"], body=body),
        helper.make_node("ConcatFromSequence", ["end"], ["y"], axis=0),
    ]
    return _model(nodes, [_value("x", F, [2, 3])], [_value("y", F, [6, 3])], [("trips", np.int64(3)), ("yes", np.array(True))])


def _sequences() -> Iterator[Graph]:
    x, y = [_value("x", F, [2, 3])], [_value("y", F, None)]
    one = [("one", np.int64(1))]
    construct = helper.make_node("SequenceConstruct", ["x", "x"], ["s"])
    concat = helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=0)
    at = helper.make_node("SequenceAt", ["s", "one"], ["y"])
    yield Graph("construct_at", ["SequenceConstruct", "SequenceAt"], _model([construct, at], x, y, one), {"x": X})
    yield Graph("construct_concat", ["SequenceConstruct", "ConcatFromSequence"], _model([construct, concat], x, y), {"x": X})
    empty = [helper.make_node("SequenceEmpty", [], ["e"]), helper.make_node("SequenceInsert", ["e", "x"], ["s"])]
    yield Graph("empty_insert_concat", ["SequenceEmpty", "SequenceInsert", "ConcatFromSequence"], _model([*empty, concat], x, y), {"x": X})
    split = helper.make_node("SplitToSequence", ["x"], ["s"], axis=0)
    yield Graph("split_at", ["SplitToSequence", "SequenceAt"], _model([split, at], x, y, one), {"x": X})
    length = [construct, helper.make_node("SequenceLength", ["s"], ["n"]), helper.make_node("Cast", ["n"], ["y"], to=F)]
    yield Graph("construct_length", ["SequenceConstruct", "SequenceLength"], _model(length, x, [_value("y", F, [])]), {"x": X})
    erase = [construct, helper.make_node("SequenceErase", ["s", "one"], ["t"]), helper.make_node("ConcatFromSequence", ["t"], ["y"], axis=0)]
    yield Graph("construct_erase", ["SequenceConstruct", "SequenceErase", "ConcatFromSequence"], _model(erase, x, y, one), {"x": X})


def _recurrent() -> Iterator[Graph]:
    time, batch, size, hidden = 4, 2, 3, 5
    rng = np.random.default_rng(0)
    x = rng.standard_normal((time, batch, size)).astype(np.float32)
    for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        for name, directions, lengths in (("forward", 1, ""), ("bidirectional", 2, ""), ("lengths", 1, "constant"), ("fed_lengths", 1, "input"), ("fed_lengths_bidirectional", 2, "input")):
            w = rng.standard_normal((directions, gates * hidden, size)).astype(np.float32) / 2
            r = rng.standard_normal((directions, gates * hidden, hidden)).astype(np.float32) / 2
            b = rng.standard_normal((directions, 2 * gates * hidden)).astype(np.float32) / 2
            weights = [("w", w), ("r", r), ("b", b)]
            inputs, values = [_value("x", F, [time, batch, size])], {"x": x}
            nodes = []
            if lengths == "constant":
                weights.append(("lengths", np.array([4, 2], np.int32)))
            elif lengths:
                inputs.append(_value("n", F, [batch]))
                values["n"] = np.array([4, 2], np.float32)
                nodes.append(helper.make_node("Cast", ["n"], ["lengths"], to=TensorProto.INT32))
            extra = {"linear_before_reset": 1} if op == "GRU" else {}
            direction = "bidirectional" if directions == 2 else "forward"
            operands = ["x", "w", "r", "b"] + (["lengths"] if lengths else [])
            results = ["y", "last"] + (["cell"] if op == "LSTM" else [])
            nodes.append(helper.make_node(op, operands, results, hidden_size=hidden, direction=direction, **extra))
            outputs = [_value(result, F, None) for result in results]
            fact = {"": f"direction={direction}", "constant": "sequence_lens", "input": "fed sequence_lens"}[lengths]
            yield Graph(f"{op}_{name}", [op], _model(nodes, inputs, outputs, weights), values, fact)


def _prelu() -> Graph:
    slope = np.array([0.1, 0.2, 0.3], np.float32).reshape(3, 1, 1)
    x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(1, 3, 2, 4)
    ports = [_value("x", F, [1, 3, 2, 4])], [_value("y", F, [1, 3, 2, 4])]
    return Graph("prelu_channels", ["PRelu"], _model([helper.make_node("PRelu", ["x", "slope"], ["y"])], *ports, [("slope", slope)]), {"x": x})


def graphs() -> Iterator[Graph]:
    """All of them. ONNX Runtime computes the expected outputs."""
    three = np.array([3], np.float32)
    yield Graph("if", ["If"], _if(), {"x": X})
    yield Graph("loop", ["Loop"], _loop("constant"), {"x": X})
    yield Graph("loop_trips", ["Loop"], _loop("data"), {"x": X, "n": three}, "fed M")
    yield Graph("loop_scan", ["Loop"], _loop("constant", scan=True), {"x": X}, "scan outputs")
    yield Graph("loop_sequence", ["Loop", "SequenceEmpty", "SequenceInsert", "ConcatFromSequence"], _loop_of_sequence(), {"x": X}, "sequences")
    yield _prelu()
    yield from _sequences()
    yield from _recurrent()

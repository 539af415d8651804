#!/usr/bin/env python3
"""Valid graphs that ONNX Runtime's optimiser gets wrong, and what we write in their place; README.md explains.

    tests/onnxruntime/forms.py            # all
    tests/onnxruntime/forms.py NAME ...   # some

Exit status: 0 what we write is right, 1 it is not.
"""
import argparse
import multiprocessing
import sys
from dataclasses import dataclass, field
from typing import Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator


@dataclass
class Graph:
    """Nodes from inputs to `y`. The axes in `open` have dynamic sizes."""

    nodes: List[onnx.NodeProto]
    constants: Dict[str, np.ndarray] = field(default_factory=dict)
    open: Dict[str, Sequence[int]] = field(default_factory=dict)

    def model(self, feeds: Dict[str, np.ndarray], opset: int) -> onnx.ModelProto:
        inputs = []
        for name, array in feeds.items():
            dims = [f"{name}{i}" if i in self.open.get(name, ()) else size for i, size in enumerate(array.shape)]
            inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), dims))
        graph = helper.make_graph(
            self.nodes,
            "form",
            inputs,
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
            [numpy_helper.from_array(array, name) for name, array in self.constants.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
        model = onnx.shape_inference.infer_shapes(model, strict_mode=True)  # the output's shape
        onnx.checker.check_model(model)
        return model


@dataclass
class Form:
    doc: str
    where: str  # in this repository, what we write is written there
    opset: int
    feeds: Dict[str, np.ndarray]
    plain: Graph
    ours: Graph


FORMS: Dict[str, Callable[[], Form]] = {}


def form(make: Callable[[], Form]) -> Callable[[], Form]:
    FORMS[make.__name__] = make
    return make


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


node = helper.make_node


@form
def max_pool_behind_pad() -> Form:
    def graph(**attributes: str) -> Graph:
        pool = node("MaxPool", ["p"], ["y"], kernel_shape=[3, 3], strides=[2, 2], **attributes)
        return Graph([node("Pad", ["x", "pads"], ["p"]), pool], {"pads": ints(0, 0, 1, 1, 0, 0, 1, 1)})

    return Form(
        "Zeros padded in front of a MaxPool become its own padding, which is below all numbers",
        "runtime/onnx/graph/passes/avoid_wrong_fusions.cc",
        17,
        {"x": floats(1, 2, 6, 6) - 2},
        graph(),
        graph(auto_pad="VALID"),
    )


@form
def max_pool_with_padding_behind_pad() -> Form:
    zeros = ints(0, 0, 1, 1, 0, 0, 1, 1)
    window = {"kernel_shape": [3, 3], "strides": [2, 2]}
    return Form(
        "The same, where the pool has padding too",
        "runtime/onnx/graph/passes/avoid_wrong_fusions.cc",
        17,
        {"x": floats(1, 2, 6, 6) - 2},
        Graph([node("Pad", ["x", "zeros"], ["p"]), node("MaxPool", ["p"], ["y"], pads=[1] * 4, **window)], {"zeros": zeros}),
        Graph(
            [
                node("Pad", ["x", "zeros"], ["p"]),
                node("Pad", ["p", "zeros", "lowest"], ["q"]),
                node("MaxPool", ["q"], ["y"], auto_pad="VALID", **window),
            ],
            {"zeros": zeros, "lowest": np.array(-np.inf, np.float32)},
        ),
    )


@form
def average_pool_behind_large_pad() -> Form:
    def graph(**attributes: str) -> Graph:
        pool = node("AveragePool", ["p"], ["y"], kernel_shape=[1, 1], strides=[2, 2], **attributes)
        return Graph([node("Pad", ["x", "pads"], ["p"]), pool], {"pads": ints(0, 0, 1, 1, 0, 0, 1, 1)})

    return Form(
        "A Pad becomes the padding of the AveragePool behind it, which takes none as large as its window",
        "runtime/onnx/graph/passes/avoid_wrong_fusions.cc, opspecs/lib/windows.yaml",
        17,
        {"x": floats(1, 2, 6, 5)},
        graph(pads=[0, 0, 0, 0]),
        graph(auto_pad="VALID"),
    )


@form
def transposed_by_vector() -> Form:
    turned = node("Transpose", ["x"], ["t"], perm=[1, 0])
    return Form(
        "Transpose and MatMul with a vector become a FusedMatMul that reads the matrix as it was",
        "runtime/onnx/graph/passes/avoid_wrong_fusions.cc",
        17,
        {"x": floats(4, 3), "v": floats(4)},
        Graph([turned, node("MatMul", ["t", "v"], ["y"])]),
        Graph(
            [
                turned,
                node("Unsqueeze", ["v", "column"], ["m"]),
                node("MatMul", ["t", "m"], ["z"]),
                node("Squeeze", ["z", "column"], ["y"]),
            ],
            {"column": ints(1)},
        ),
    )


@form
def cast_of_transposed_by_matrix() -> Form:
    perm = [1, 2, 0, 3]
    x = np.arange(-12, 12).reshape(2, 3, 2, 2).astype(np.float64)
    product = node("MatMul", ["c", "m"], ["y"])
    return Form(
        "Transpose that brings the first axis to the matrices, Cast and MatMul with another rank end the process while the model is loaded",
        "runtime/onnx/graph/passes/avoid_wrong_fusions.cc",
        17,
        {"x": x},
        Graph([node("Transpose", ["x"], ["t"], perm=perm), node("Cast", ["t"], ["c"], to=TensorProto.FLOAT), product], {"m": floats(2, 5)}),
        Graph([node("Cast", ["x"], ["t"], to=TensorProto.FLOAT), node("Transpose", ["t"], ["c"], perm=perm), product], {"m": floats(2, 5)}),
    )


@form
def half_transposed_by_matrix() -> Form:
    turned = node("Transpose", ["x"], ["t"], perm=[1, 0, 2])
    result = node("Cast", ["p"], ["y"], to=TensorProto.FLOAT)
    x = np.arange(-12, 12).reshape(2, 3, 4).astype(np.float16)
    matrix = np.arange(-10, 10).reshape(4, 5).astype(np.float16)
    return Form(
        "In float16, Transpose of a stack's first two axes and MatMul with a matrix end the process while the model is loaded",
        "runtime/onnx/graph/passes/avoid_wrong_fusions.cc",
        17,
        {"x": x},
        Graph([turned, node("MatMul", ["t", "m"], ["p"]), result], {"m": matrix}),
        Graph(
            [
                turned,
                node("Unsqueeze", ["t", "front"], ["s"]),
                node("MatMul", ["s", "m"], ["z"]),
                node("Squeeze", ["z", "front"], ["p"]),
                result,
            ],
            {"m": matrix, "front": ints(0)},
        ),
    )


@form
def gather_of_range() -> Form:
    places = node("Range", ["last", "limit", "step"], ["r"])
    numbers = {"limit": np.array(-1, np.int64), "step": np.array(-1, np.int64)}
    return Form(
        "Gather by Range becomes a Slice with the same bounds, to which those below 0 count from the end",
        "runtime/onnx/graph/passes/avoid_wrong_fusions.cc",
        17,
        {"x": floats(5, 2), "last": np.array(4, np.int64)},
        Graph([places, node("Gather", ["x", "r"], ["y"])], numbers),
        Graph([places, node("Cast", ["r"], ["i"], to=TensorProto.INT32), node("Gather", ["x", "i"], ["y"])], numbers),
    )


@form
def integer_reciprocal_times() -> Form:
    result = node("Cast", ["r"], ["y"], to=TensorProto.FLOAT)
    return Form(
        "(1 / x) * x becomes x / x, of integers as well, whose division rounds",
        "runtime/convert/compute.cc",
        9,
        {"x": ints(3, 1, 4)},
        Graph(
            [
                node("Div", ["one", "x"], ["q"]),
                node("Mul", ["q", "x"], ["m"]),
                node("Sub", ["one", "m"], ["r"]),
                result,
            ],
            {"one": ints(1)},
        ),
        Graph(
            [
                node("Add", ["x", "one"], ["a"]),
                node("Div", ["a", "x"], ["q"]),
                node("Mul", ["q", "x"], ["m"]),
                node("Sub", ["a", "m"], ["r"]),
                result,
            ],
            {"one": ints(1)},
        ),
    )


@form
def nothing_added_and_divided() -> Form:
    one, zero = np.array(1, np.float32), np.array(0, np.float32)
    cast = node("Cast", ["x"], ["c"], to=TensorProto.FLOAT)
    divided = node("Div", ["one", "v"], ["d"])
    return Form(
        "A number that 0 has been added to, times 1 / x, less 0: the optimised model reads a node that is gone",
        "opspecs/lib/resize.yaml",
        17,
        {"x": np.arange(4), "v": floats(4)},
        Graph(
            [
                cast,
                node("Add", ["c", "zero"], ["a"]),
                divided,
                node("Mul", ["a", "d"], ["m"]),
                node("Sub", ["m", "zero"], ["s"]),
                node("Relu", ["s"], ["y"]),
            ],
            {"one": one, "zero": zero},
        ),
        Graph([cast, divided, node("Mul", ["c", "d"], ["m"]), node("Relu", ["m"], ["y"])], {"one": one}),
    )


def _between_transposes(nodes: List[onnx.NodeProto], constants: Dict[str, np.ndarray], axes: Sequence[int]) -> Graph:
    first, last = node("Transpose", ["x"], ["t"], perm=[0, 3, 1, 2]), node("Transpose", ["r"], ["y"], perm=[0, 2, 3, 1])
    return Graph([first, *nodes, last], constants, {"x": axes})


@form
def resize_axes_between_transposes() -> Form:
    sizes = [
        node("Shape", ["t"], ["s"], end=2),
        node("Concat", ["s", "sizes"], ["all"], axis=0),
        node("Resize", ["t", "", "", "all"], ["r"], mode="linear"),
    ]
    constants = {"sizes": ints(6, 10)}
    return Form(
        "A Resize of some axes, moved to channels last, loses its sizes: the model does not load",
        "opspecs/vision/interp.yaml",
        18,
        {"x": floats(2, 5, 7, 3)},
        _between_transposes([node("Resize", ["t", "", "", "sizes"], ["r"], mode="linear", axes=[2, 3])], constants, [0]),
        _between_transposes(sizes, constants, [0]),
    )


@form
def resize_cubic_between_transposes() -> Form:
    x = floats(1, 5, 6, 2)
    scales = np.array([1, 1, 11 / 5, 0.5], np.float32)
    plain = node("Resize", ["t", "", "scales"], ["r"], mode="cubic", cubic_coeff_a=-0.75)
    rows = node("MatMul", ["rows", "t"], ["a"])
    columns = node("MatMul", ["a", "columns"], ["r"])
    return Form(
        "A Resize by cubics that shrinks an axis, moved to channels last, does not run: there are only kernels that enlarge",
        "opspecs/vision/interp.yaml",
        17,
        {"x": x},
        _between_transposes([plain], {"scales": scales}, []),
        _between_transposes([rows, columns], {"rows": _cubic_shares(5, 11), "columns": _cubic_shares(6, 3).T.copy()}, []),
    )


def _cubic_shares(size: int, out: int) -> np.ndarray:
    """What each element contributes to each result."""
    shares = np.zeros((out, size), np.float32)
    for i in range(out):
        x = (i + 0.5) * size / out - 0.5
        for tap in range(int(np.floor(x)) - 1, int(np.floor(x)) + 3):
            d = abs(x - tap)
            weight = (1.25 * d - 2.25) * d * d + 1 if d <= 1 else ((-0.75 * d + 3.75) * d - 6) * d + 3
            shares[i, min(max(tap, 0), size - 1)] += weight
    return shares


def run(graph: Graph, form: Form) -> Tuple[Optional[np.ndarray], str]:
    """The result of ONNX Runtime with all its optimisations, or the error. In a separate process, which can crash."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=lambda: sender.send(run_here(graph, form)))
    child.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        child.join()
        return None, f"the process ended with {child.exitcode}"


def run_here(graph: Graph, form: Form) -> Tuple[Optional[np.ndarray], str]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    model = graph.model(form.feeds, form.opset).SerializeToString()
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return session.run(None, form.feeds)[0], ""
    except Exception as error:  # ONNX Runtime's many types
        return None, str(error).splitlines()[0][:120]


def judge(result: Optional[np.ndarray], why: str, wanted: np.ndarray) -> str:
    """Empty: right."""
    if result is None:
        return why
    if result.shape != wanted.shape:
        return f"shape {list(result.shape)}, expected {list(wanted.shape)}"
    wrong = ~np.isclose(result, wanted, rtol=1e-4, atol=1e-5)
    return f"{wrong.sum()} of {wrong.size} values differ" if wrong.any() else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *FORMS], metavar="NAME", help=", ".join(FORMS))
    names = parser.parse_args().names or list(FORMS)
    failed = 0
    print(f"ONNX Runtime {onnxruntime.__version__}")
    for name in names:
        form = FORMS[name]()
        wanted = ReferenceEvaluator(form.plain.model(form.feeds, form.opset)).run(None, form.feeds)[0]
        plain = judge(*run(form.plain, form), wanted)
        ours = judge(*run(form.ours, form), wanted)
        failed += bool(ours)
        verdict = f"what we write is WRONG: {ours}" if ours else f"needed: {plain}" if plain else f"no longer needed; see {form.where}"
        print(f"{name}\n  {form.doc}\n  {verdict}")
    print(f"{len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

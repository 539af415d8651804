#!/usr/bin/env python3
"""Compares the folding kernels with ONNX Runtime.

    python against_onnxruntime.py path/to/evaluate_dump [-v]

evaluate_dump writes models of one node with its operands and the kernel's results. Here ONNX Runtime computes the same
nodes. Results must agree bit by bit, but for logarithms, sums and powers of floats, whose last bits depend on the library or the order. Models that
ONNX Runtime has no kernel for are counted, not judged.
"""

import collections
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime
from onnx import helper, numpy_helper

ROUNDED = {"Log", "MatMul", "Pow", "ReduceSum", "ReduceProd", "ReduceMean", "ReduceSumSquare", "ReduceL2", "CumSum"}


def bits(array):
    return array.view(numpy.uint16) if array.dtype.itemsize == 2 and array.dtype.kind not in "iu" else array


def run(model):
    """What ONNX Runtime computes, and what is expected."""
    graph = model.graph
    expected = [t for t in graph.initializer if t.name.startswith("expected_")]
    operands = [t for t in graph.initializer if not t.name.startswith("expected_")]
    del graph.initializer[:]
    for tensor in operands:
        graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    # Python cannot be handed bfloat16: it travels as raw bits.
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    feed = {}
    for tensor in operands:
        array = numpy_helper.to_array(tensor)
        if tensor.data_type == onnx.TensorProto.BFLOAT16:
            feed[tensor.name] = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(
                array.view(numpy.uint16), onnx.TensorProto.BFLOAT16)
        else:
            feed[tensor.name] = onnxruntime.OrtValue.ortvalue_from_numpy(array)
    results = session.run_with_ort_values(None, feed)
    arrays = []
    for result, tensor in zip(results, expected):
        if tensor.data_type == onnx.TensorProto.BFLOAT16:
            raise NotImplementedError("bfloat16 results cannot be read")
        arrays.append(result.numpy())
    return arrays, [numpy_helper.to_array(t) for t in expected]


def same(op, got, wanted):
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return False
    if op in ROUNDED and got.dtype.kind == "f":
        return numpy.allclose(got, wanted, rtol=1e-6, atol=1e-6)
    return numpy.array_equal(bits(got), bits(wanted)) or (
        got.dtype.kind == "f" and numpy.array_equal(got, wanted, equal_nan=True))


def main():
    verbose = "-v" in sys.argv
    wrong = 0
    compared, skipped = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        print(subprocess.run([sys.argv[1], folder], check=True, capture_output=True, text=True).stdout, end="")
        for path in sorted(pathlib.Path(folder).iterdir(), key=lambda p: int(p.stem)):
            model = onnx.load(path)
            node, opset = model.graph.node[0], model.opset_import[0].version
            try:
                got, wanted = run(model)
            except Exception as e:  # no kernel, or no way to hand the dtype over
                skipped[node.op_type] += 1
                if verbose:
                    print(f"not judged: {node.op_type}-{opset}: {str(e)[:200]}")
                continue
            compared[node.op_type] += 1
            for g, w in zip(got, wanted):
                if not same(node.op_type, g, w):
                    wrong += 1
                    print(f"WRONG: {helper.printable_node(node)} at opset {opset}, {w.dtype}:\n"
                          f"  ONNX Runtime {g.tolist()}\n  folded       {w.tolist()}")
    print(f"{sum(compared.values())} compared for {len(compared)} operators, {sum(skipped.values())} not judged, "
          f"{wrong} wrong")
    never = sorted(set(skipped) - set(compared))
    if never:
        print("never compared:", ", ".join(never))
    print(f"{sum(compared.values()) - wrong} passed, {wrong + len(never)} failed")
    return 1 if wrong or never else 0


if __name__ == "__main__":
    sys.exit(main())

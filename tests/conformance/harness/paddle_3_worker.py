"""Runs in the Python that has Paddle 3, which has nothing else of ours: paddle_3.py asks it for programs of one operator.

A request is a line of JSON; so is its answer, {} or {"error": "..."}.
"""
import json
import os
import sys
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("GLOG_minloglevel", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
warnings.simplefilter("ignore")

# Paddle prints what it likes.
_answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

# The folder of this file has modules too.
sys.path.pop(0)
import numpy as np  # noqa: E402
import paddle  # noqa: E402
from paddle import _C_ops  # noqa: E402
from paddle.base import core  # noqa: E402

# As the numbers that attributes hold, in old programs and in examples.
_DTYPES = {
    0: "bool", 1: "int16", 2: "int32", 3: "int64", 4: "float16", 5: "float32", 6: "float64", 20: "uint8", 21: "int8",
    22: "bfloat16", 23: "complex64", 24: "complex128",
}


def _value(value, kind):
    if kind == "place":
        return core.CPUPlace()
    if kind == "dtype":
        return getattr(paddle, _DTYPES[value]) if value in _DTYPES else None
    numbers = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}
    if kind in ("float", "scalar") and value in numbers:
        return numbers[value]
    if kind == "float" and value is not None:
        return float(value)
    if kind == "floats":
        return [float(item) for item in value]
    return value


def _variable(item):
    if not item["constant"]:
        return paddle.static.data(item["name"], item["shape"], item["dtype"])
    return paddle.pir.core.create_parameter(
        dtype=getattr(paddle, item["dtype"]), shape=item["shape"], name=item["name"], initializer=paddle.nn.initializer.Constant(0)
    )


def _run(request):
    arrays = dict(np.load(os.path.join(request["folder"], "operands.npz")))
    main, startup, scope = paddle.static.Program(), paddle.static.Program(), paddle.static.Scope()
    executor = paddle.static.Executor(paddle.CPUPlace())
    with paddle.static.scope_guard(scope), paddle.static.program_guard(main, startup):
        values = {item["name"]: _variable(item) for item in request["variables"]}
        arguments = []
        for argument in request["arguments"]:
            if "operands" in argument:
                given = [values[name] for name in argument["operands"]]
                arguments.append(given if argument["list"] else given[0])
            else:
                arguments.append(_value(argument["value"], argument["type"]))
        made = getattr(_C_ops, request["op"])(*arguments)
        while isinstance(made, (list, tuple)):
            made = next(item for item in made if item is not None)
        results = _results(made)
        fetched = [results[at][element] if isinstance(results[at], list) else results[at] for _, at, element in request["fetch"]]
        executor.run(startup)
        constants = [item["name"] for item in request["variables"] if item["constant"]]
        for name in constants:
            tensor = scope.var(name).get_tensor()
            tensor.set(arrays[name], core.CPUPlace())
        prefix = os.path.join(request["folder"], "model")
        fed = [item["name"] for item in request["variables"] if not item["constant"]]
        paddle.static.save_inference_model(prefix, [values[name] for name in fed], fetched, executor, program=main)
    with paddle.static.scope_guard(paddle.static.Scope()):
        program, _, targets = paddle.static.load_inference_model(prefix, executor)
        outputs = executor.run(program, feed={name: arrays[name] for name in fed}, fetch_list=targets)
    np.savez(os.path.join(request["folder"], "results.npz"), **{f"out{i}": np.asarray(out) for i, out in enumerate(outputs)})


def _results(value):
    """All results of the operator that made a value: its Python function hides some. A list's are its elements."""
    made = value.get_defining_op()
    if made.name() == "builtin.split":
        made = made.operand_source(0).get_defining_op()
    results = []
    for result in made.results():
        split = next((use for use in result.all_used_ops() if use.name() == "builtin.split"), None)
        results.append(split.results() if split is not None else result)
    return results


def _essence(error):
    """The line of Paddle's long message that describes the error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    marked = [line for line in lines if "Error:" in line and not line.startswith("Error Message")]
    return (marked or lines or [type(error).__name__])[-1][:300]


def main():
    paddle.enable_static()
    for line in sys.stdin:
        try:
            _run(json.loads(line))
            answer = {}
        except Exception as error:  # Paddle's many types
            answer = {"error": _essence(error)}
        _answers.write(json.dumps(answer) + "\n")
        _answers.flush()


if __name__ == "__main__":
    main()

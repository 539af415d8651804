"""Runs programs: a request in JSON a line, {"model", "inputs", "outputs"}; the answer too, {"error"}.

Runs in a Python with Paddle, of version 2 or 3. With --deployed, by the predictor as Paddle sets it up by default. `inputs` and `outputs` are .npz files of arrays by position, bfloat16 as
uint16.
"""

import json
import os
import sys

DEPLOYED = "--deployed" in sys.argv
os.environ.setdefault("GLOG_minloglevel", "2")
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what Paddle prints is no answer

import numpy as np  # noqa: E402
import paddle  # noqa: E402


def by_executor(model: str, feeds: list) -> list:
    """As a program in Fluid's own executor: operators run one by one, as they stand in the file."""
    paddle.enable_static()
    executor, scope = paddle.static.Executor(paddle.CPUPlace()), paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        program, names, fetches = paddle.static.load_inference_model(os.path.splitext(model)[0], executor)
        values = dict(zip(names, feeds))
        return [np.asarray(tensor) for tensor in executor.run(program, feed=values, fetch_list=fetches, return_numpy=False)]


def by_predictor(model: str, feeds: list) -> list:
    """As programs are deployed; Paddle 3 makes a program of its newer IR of it."""
    params = os.path.splitext(model)[0] + ".pdiparams"
    config = paddle.inference.Config(model, params if os.path.exists(params) else "")
    config.disable_glog_info()
    if not DEPLOYED:
        config.disable_mkldnn()  # the predictor's default; its kernels have separate faults
    predictor = paddle.inference.create_predictor(config)
    for name, value in zip(predictor.get_input_names(), feeds):
        predictor.get_input_handle(name).copy_from_cpu(value)
    predictor.run()
    return [predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()]


def serve(request: dict) -> dict:
    with np.load(request["inputs"]) as data:
        feeds = [data[str(i)] for i in range(len(data.files))]
    # Predictors take neither int16 nor bfloat16. Of the older format, Paddle 3's executor has Paddle 2's.
    lacking = request["model"].endswith(".json") and any(value.dtype in (np.int16, np.uint16) for value in feeds)
    run = by_predictor if DEPLOYED else by_executor if paddle.__version__.startswith("2.") or lacking else by_predictor
    try:
        results = run(request["model"], feeds)
    except Exception as error:  # Paddle raises many types
        return {"error": essence(error)}
    np.savez(request["outputs"], **{str(i): value for i, value in enumerate(results)})
    return {}


def essence(error: Exception) -> str:
    """The line of Paddle's long message that describes the error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    for line in lines:
        if "Error: " in line:
            return line.split("Error: ", 1)[1][:300]
    return (lines or [type(error).__name__])[0][:300]


for line in sys.stdin:
    answers.write(json.dumps(serve(json.loads(line))) + "\n")
    answers.flush()

"""Runs two ONNX models in ONNX Runtime alternately, with one thread; prints the milliseconds of each run as JSON.

    latency.py A.onnx B.onnx [SECONDS]
"""
import json
import sys
import time

import numpy as np
import onnxruntime

DTYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(bool)": np.bool_}


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def feeds(model):
    rng = np.random.default_rng(1)
    result = {}
    for x in model.get_inputs():
        shape = [d if isinstance(d, int) and d > 0 else 1 for d in x.shape]
        result[x.name] = (rng.random(shape) + 0.5).astype(DTYPES[x.type])
    return result


def main(a, b, seconds="4"):
    models = [session(a), session(b)]
    inputs = feeds(models[0])
    times = [[], []]
    end = time.perf_counter() + float(seconds)
    while time.perf_counter() < end or len(times[0]) < 6:
        for model, record in zip(models, times):
            start = time.perf_counter()
            model.run(None, inputs)
            record.append(1000 * (time.perf_counter() - start))
    print(json.dumps([record[1:] for record in times]))


if __name__ == "__main__":
    main(*sys.argv[1:])

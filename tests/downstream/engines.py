"""The engines: each loads an ONNX file and returns a function from inputs by name to the list of outputs.

Every engine runs on one thread and in float32. An engine's package is imported only when the engine is used.
"""
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Callable, Dict, List, Tuple

import numpy as np

Arrays = Dict[str, np.ndarray]
Run = Callable[[Arrays], List[np.ndarray]]
HERE = Path(__file__).resolve().parent


class Refused(Exception):
    """An engine or its converter refuses the model."""


def _ports(model: Path) -> Tuple[List[str], List[str]]:
    import onnx

    graph = onnx.load(model, load_external_data=False).graph
    weights = {tensor.name for tensor in graph.initializer}
    return [port.name for port in graph.input if port.name not in weights], [port.name for port in graph.output]


def _tool(*command: "str | Path") -> str:
    """Runs a program of this Python environment in the current folder; returns what it prints."""
    path = Path(sys.executable).with_name(str(command[0]))
    done = subprocess.run([path, *command[1:]], capture_output=True, text=True, errors="replace", check=False)
    return done.stdout + done.stderr


def _cause(output: str) -> str:
    """The lines of a tool's output that report an error, or else its end."""
    lines = [line.strip() for line in output.splitlines() if re.search(r"error|not support|unsupport|can't|cannot|fail|assert", line, re.I)]
    return " ".join(lines[:3])[:300] or " ".join(output.split())[-300:] or "no message"


def onnxruntime(model: Path, _: Arrays) -> Run:
    """ONNX Runtime on the CPU with all optimisations."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return lambda inputs: session.run(None, {port.name: inputs[port.name] for port in session.get_inputs()})


def openvino(model: Path, _: Arrays) -> Run:
    """OpenVINO's CPU plugin."""
    import openvino as ov

    core = ov.Core()
    options = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}
    compiled = core.compile_model(core.read_model(model), "CPU", options)
    inputs, _outputs = _ports(model)

    def run(arrays: Arrays) -> List[np.ndarray]:
        results = compiled({port: arrays[next(name for name in inputs if name in port.get_names())] for port in compiled.inputs})
        return [results[port] for port in compiled.outputs]

    return run


def opencv(model: Path, _: Arrays) -> Run:
    """OpenCV's dnn module."""
    import cv2

    cv2.setNumThreads(1)
    net = cv2.dnn.readNetFromONNX(str(model))
    inputs, outputs = _ports(model)

    def run(arrays: Arrays) -> List[np.ndarray]:
        for name in inputs:
            net.setInput(arrays[name], name)
        return list(net.forward(outputs))

    return run


def mnn(model: Path, _: Arrays) -> Run:
    """MNN behind its converter."""
    # The program mnnconvert does the same, but installs a package to report its use.
    words = ["mnnconvert", "-f", "ONNX", "--modelFile", str(model), "--MNNModel", "model.mnn", "--bizCode", "model"]
    output = _tool("python", "-c", f"import _tools; _tools.mnnconvert({words!r})")
    if not os.path.exists("model.mnn") or not os.path.getsize("model.mnn"):
        raise Refused(f"mnnconvert: {_cause(output)}")
    import MNN.expr as expr
    import MNN.nn as nn

    inputs, outputs = _ports(model)
    module = nn.load_module_from_file("model.mnn", inputs, outputs)
    dtypes = {"float32": expr.float, "int32": expr.int, "uint8": expr.uint8}

    def run(arrays: Arrays) -> List[np.ndarray]:
        feeds = []
        for name in inputs:
            # MNN has no int64, and takes booleans as int32.
            array = np.ascontiguousarray(arrays[name], dtype="int32" if arrays[name].dtype in ("int64", "bool") else None)
            feeds.append(expr.const(array, list(array.shape), expr.NCHW, dtypes[str(array.dtype)]))
        return [np.array(expr.convert(result, expr.NCHW).read()) for result in module.forward(feeds)]

    return run


_SHORT = {"float16": "f16", "float32": "f32", "float64": "f64", "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8"}
_SHORT.update({"bool": "bool", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64"})


def tract(model: Path, shapes: Arrays) -> Run:
    """tract, which takes the inputs' shapes when it loads."""
    import tract as library

    graph = library.onnx().load(str(model))
    inputs, _outputs = _ports(model)
    for index, name in enumerate(inputs):
        array = shapes[name]
        graph.set_input_fact(index, "".join(f"{size}," for size in array.shape) + _SHORT[str(array.dtype)])
    runnable = graph.into_model().into_runnable()
    return lambda arrays: [result.to_numpy() for result in runnable.run([arrays[name] for name in inputs])]


def ncnn(model: Path, shapes: Arrays) -> Run:
    """ncnn behind pnnx."""
    inputs, outputs = _ports(model)
    Path("model.onnx").write_bytes(model.read_bytes())
    sizes = ",".join(f"[{','.join(map(str, shapes[name].shape))}]{_SHORT[str(shapes[name].dtype)]}" for name in inputs)
    output = _tool("pnnx", "model.onnx", f"inputshape={sizes}", "fp16=0")
    if not os.path.exists("model.ncnn.param"):
        raise Refused(f"pnnx: {_cause(output)}")
    layers = re.findall(r"^((?:pnnx|aten|onnx|nn|F|torch|Tensor|prim)[.:]\S*)", Path("model.ncnn.param").read_text(), re.M)
    if layers:
        raise Refused(f"ncnn has no {', '.join(sorted(set(layers)))}")
    import ncnn as library

    net = library.Net()
    net.opt.num_threads = 1
    net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = False
    if net.load_param("model.ncnn.param") or net.load_model("model.ncnn.bin"):
        raise Refused("ncnn does not load what pnnx wrote")

    def run(arrays: Arrays) -> List[np.ndarray]:
        extractor = net.create_extractor()
        for index, name in enumerate(inputs):
            # ncnn has no batch axis and no int64.
            array = arrays[name][0] if arrays[name].ndim > 1 and len(arrays[name]) == 1 else arrays[name]
            array = np.ascontiguousarray(array, dtype="int32" if array.dtype == "int64" else None)
            extractor.input(f"in{index}", library.Mat(array).clone())
        results = []
        for index in range(len(outputs)):
            code, result = extractor.extract(f"out{index}")
            if code:
                raise Refused(f"no output {index}: code {code}")
            results.append(np.array(result))
        return results

    return run


def onnxruntime_web(model: Path, _: Arrays) -> Run:
    """onnxruntime-web's WebAssembly backend in Node.js. The environment variable ONNXRUNTIME_WEB names the folder of node_modules."""

    def run(arrays: Arrays) -> List[np.ndarray]:
        inputs, _outputs = _ports(model)
        request: Dict[str, object] = {"model": str(model), "inputs": []}
        described = []
        for index, name in enumerate(inputs):
            np.ascontiguousarray(arrays[name]).tofile(f"in{index}.bin")
            described.append({"name": name, "file": f"in{index}.bin", "type": str(arrays[name].dtype), "dims": list(arrays[name].shape)})
        request["inputs"] = described
        Path("request.json").write_text(json.dumps(request))
        done = subprocess.run(["node", HERE / "onnxruntime_web.mjs", "request.json"], capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            raise Refused(_cause(done.stderr))
        dtypes = {"bool": "bool"}
        return [
            np.fromfile(one["file"], dtype=dtypes.get(one["type"], one["type"])).reshape(one["dims"]) for one in json.loads(Path("reply.json").read_text())
        ]

    return run


def _simplified(tool: str) -> Callable[[Path, Arrays], Run]:
    def load(model: Path, shapes: Arrays) -> Run:
        output = _tool(tool, model, "simplified.onnx")
        if not os.path.exists("simplified.onnx"):
            raise Refused(f"{tool}: {_cause(output)}")
        return onnxruntime(Path("simplified.onnx"), shapes)

    load.__doc__ = f"{tool}, whose file ONNX Runtime runs."
    return load


@dataclass
class Engine:
    """How to load a model, and what the engine can do."""

    title: str
    load: Callable[[Path, Arrays], Run]
    packages: Tuple[str, ...]
    dynamic: bool = True  # it takes other sizes without loading the model again


ENGINES = {
    "onnxruntime": Engine("ONNX Runtime", onnxruntime, ("onnxruntime",)),
    "openvino": Engine("OpenVINO", openvino, ("openvino",)),
    "onnxruntime-web": Engine("ONNX Runtime Web", onnxruntime_web, ()),
    "onnxsim": Engine("onnxsim", _simplified("onnxsim"), ("onnxsim",)),
    "onnxslim": Engine("onnxslim", _simplified("onnxslim"), ("onnxslim",)),
    "mnn": Engine("MNN", mnn, ("MNN",)),
    "tract": Engine("tract", tract, ("tract",), dynamic=False),
    "opencv": Engine("OpenCV", opencv, ("opencv-python-headless",)),
    "ncnn": Engine("ncnn", ncnn, ("ncnn", "pnnx"), dynamic=False),
}


def version(name: str) -> str:
    """The version of an engine as it is installed; empty if it is not."""
    if name == "onnxruntime-web":
        package = Path(os.environ.get("ONNXRUNTIME_WEB", "/nonexistent")) / "node_modules/onnxruntime-web/package.json"
        return json.loads(package.read_text())["version"] if package.exists() else ""
    try:
        versions = [metadata.version(package) for package in ENGINES[name].packages]
    except metadata.PackageNotFoundError:
        return ""
    return versions[0] + "".join(f", {package} {number}" for package, number in zip(ENGINES[name].packages[1:], versions[1:]))

#!/usr/bin/env python3
"""Compares --fp16 and --bf16 with Paddle's float32 results, for folders of saved models. For measuring, not a test.

    half.py --models DIR [--only PATTERN] [--opset 17] --fluid2onnx build/release/bin/fluid2onnx --json FILE --table FILE

Below DIR, a model is a folder with meta.json (`model_file` or `model`, `params_file` or `params`, perhaps `lod`), the files that it names, inputs.npz
(in the order of the inputs) and outputs.npz (out0, out1, ... by Paddle).

Of each output of floats: the largest and the mean difference, and the mean one as a share of the mean magnitude, three times: in float16, in
bfloat16, and of the float32 model whose weights and inputs were rounded to float16, which is what 16 bits cost at least. With --inside, all
float16 tensors of the float16 model are looked at, and infinities and NaNs counted.
"""
import argparse
import collections
import fnmatch
import json
import multiprocessing
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, numpy_helper


def session(model: str) -> onnxruntime.InferenceSession:
    """Without ONNX Runtime's remarks."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def feeds(runner: onnxruntime.InferenceSession, folder: Path) -> Dict[str, np.ndarray]:
    """The inputs by name, else by place."""
    given = np.load(folder / "inputs.npz")
    names = [port.name for port in runner.get_inputs()]
    if all(name in given.files for name in names):
        return {name: given[name] for name in names}
    return dict(zip(names, (given[name] for name in given.files)))


def differences(expected: List[np.ndarray], got: List[np.ndarray]) -> List[Dict[str, Any]]:
    """One entry for each output."""
    found = []
    for a, b in zip(expected, got):
        entry: Dict[str, Any] = {"dtype": str(a.dtype), "shape": list(a.shape)}
        if a.shape != b.shape:
            entry["error"] = f"{'x'.join(map(str, b.shape))} instead of {'x'.join(map(str, a.shape))}"
        elif a.dtype.kind == "f":
            x, y = a.astype("float64"), b.astype("float64")
            same = np.isnan(x) & np.isnan(y) | (x == y)
            error = np.where(same, 0, np.abs(x - y))
            finite = np.isfinite(error)
            entry["not_finite"] = int((~finite).sum())
            error = error[finite]
            scale = float(np.abs(x[np.isfinite(x)]).mean()) if x.size else 0.0
            entry["max"] = float(error.max()) if error.size else 0.0
            entry["mean"] = float(error.mean()) if error.size else 0.0
            entry["share"] = entry["mean"] / scale if scale else entry["mean"]
            entry["max_share"] = entry["max"] / float(np.abs(x[np.isfinite(x)]).max()) if scale else entry["max"]
        else:
            entry["different"] = float((a != b).mean()) if a.size else 0.0
        found.append(entry)
    return found


def rounded(path: str, out: str) -> None:
    """The model with weights as float16 has them, but those that it does not hold."""
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        if tensor.data_type != TensorProto.FLOAT:
            continue
        exact = numpy_helper.to_array(tensor)
        with np.errstate(over="ignore"):
            half = exact.astype("float16").astype("float32")
        kept = ~np.isfinite(half) | (np.abs(exact) < 1e-4)
        tensor.CopyFrom(numpy_helper.from_array(np.where(kept, exact, half), tensor.name))
    onnx.save(model, out, save_as_external_data=model.ByteSize() > 1 << 30)


def show_all(path: str, out: str) -> List[str]:
    """The model with all float16 tensors of the main graph as outputs."""
    model = onnx.shape_inference.infer_shapes(onnx.load(path))
    known = {port.name for port in model.graph.output}
    names = [info.name for info in model.graph.value_info if info.type.tensor_type.elem_type == TensorProto.FLOAT16]
    names = [name for name in names if name not in known]
    del model.graph.value_info[:]
    for name in names:
        model.graph.output.append(onnx.helper.make_tensor_value_info(name, TensorProto.FLOAT16, None))
    onnx.save(model, out)
    return names


def look_inside(path: str, scratch: Path, folder: Path) -> List[str]:
    """The float16 tensors that hold infinities or NaNs."""
    everything = str(scratch / "all.onnx")
    names = show_all(path, everything)
    runner = session(everything)
    values = runner.run(names, feeds(runner, folder))
    return [name for name, value in zip(names, values) if not np.isfinite(np.asarray(value, "float32")).all()]


def measure(folder: Path, options: argparse.Namespace, scratch: Path) -> Dict[str, Any]:
    """All about one model."""
    meta = json.loads((folder / "meta.json").read_text())
    model, params = meta.get("model_file", meta.get("model")), meta.get("params_file", meta.get("params"))
    recorded = np.load(folder / "outputs.npz")
    expected = [recorded[f"out{i}"] for i in range(len(recorded.files))]
    result: Dict[str, Any] = {"model": folder.name}

    def convert(name: str, *more: str) -> Optional[str]:
        out = str(scratch / name)
        command = [options.fluid2onnx, "convert", str(folder / model) if params else str(folder), "-o", out, "--opset", str(options.opset), *more]
        command += ["--params", str(folder / params)] if params else []
        command += ["--lod", "single"] if meta.get("lod") else []
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            result.setdefault("refused", (done.stderr.strip().splitlines() or ["?"])[0])
            return None
        found = [line for line in (done.stdout + done.stderr).splitlines() if "exceed the range" in line]
        if found:
            result.setdefault("warnings", {})[name] = found
        return out

    def run(path: str, rounding: bool = False) -> List[Dict[str, Any]]:
        runner = session(path)
        inputs = feeds(runner, folder)
        if rounding:
            inputs = {name: a.astype("float16").astype("float32") if a.dtype == np.float32 else a for name, a in inputs.items()}
        return differences(expected, runner.run(None, inputs))

    plain = convert("float32.onnx")
    if not plain:
        return result
    result["float32"] = run(plain)
    least = str(scratch / "rounded.onnx")
    rounded(plain, least)
    result["least"] = run(least, rounding=True)
    counts = lambda path: collections.Counter(node.op_type for node in onnx.load(path, load_external_data=False).graph.node)
    result["nodes"] = sum(counts(plain).values())
    for kind in options.kind:
        path = convert(f"{kind}.onnx", "--" + kind)
        if not path:
            continue
        found = counts(path)
        result[f"{kind}_nodes"], result[f"{kind}_casts"] = sum(found.values()), found["Cast"]
        try:
            result[kind] = run(path)
            if options.inside and kind == "fp16":
                result["inside"] = look_inside(path, scratch, folder)
        except Exception as error:  # noqa: BLE001: what ONNX Runtime throws has no common type
            result[f"{kind}_failed"] = str(error).splitlines()[0]
    return result


def attempt(folder: Path, options: argparse.Namespace) -> Dict[str, Any]:
    """The same, whatever happens."""
    with tempfile.TemporaryDirectory(prefix="half-") as scratch:
        try:
            return measure(folder, options, Path(scratch))
        except Exception as error:  # noqa: BLE001: what the libraries throw has no common type
            return {"model": folder.name, "failed": str(error).splitlines()[0]}


def figure(value: float) -> str:
    """Two digits."""
    return "0" if value == 0 else f"{value:.1e}"


def cells(entry: Optional[Dict[str, Any]]) -> List[str]:
    """Largest and mean difference, and its share."""
    if entry is None:
        return ["", "", ""]
    if "error" in entry:
        return [entry["error"], "", ""]
    if "different" in entry:
        return [f"{100 * entry['different']:.2g} % differ", "", ""]
    extra = f", {entry['not_finite']} not finite" if entry["not_finite"] else ""
    return [figure(entry["max"]) + extra, figure(entry["mean"]), figure(entry["share"])]


def table(results: List[Dict[str, Any]], kinds: List[str]) -> str:
    """The page."""
    names = {"fp16": "float16", "bf16": "bfloat16", "least": "rounded"}
    columns = [*kinds, "least"]
    lines = ["| model | output | " + " | ".join(f"{names[kind]}: max | mean | share" for kind in columns) + " |"]
    lines.append("| --- | --- |" + " --- | --- | --- |" * len(columns))
    for result in results:
        if "float32" not in result:
            continue
        for i, entry in enumerate(result["float32"]):
            row = [result["model"] if i == 0 else "", f"{entry['dtype']} {'x'.join(map(str, entry['shape']))}"]
            for kind in columns:
                row += cells(result[kind][i] if kind in result else None)
            lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", metavar="DIR", type=Path, required=True)
    parser.add_argument("--only", metavar="PATTERN", default="*")
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("--kind", choices=["fp16", "bf16"], action="append")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, default=120)
    parser.add_argument("--inside", action="store_true")
    parser.add_argument("--fluid2onnx", metavar="FILE", required=True)
    parser.add_argument("--json", metavar="FILE", type=Path)
    parser.add_argument("--table", metavar="FILE", type=Path)
    options = parser.parse_args()
    options.kind = options.kind or ["fp16", "bf16"]
    results = []
    for folder in sorted(path.parent for path in options.models.rglob("meta.json")):
        if not fnmatch.fnmatch(folder.name, options.only):
            continue
        with multiprocessing.get_context("fork").Pool(1) as pool:  # native code crashes: one model must not end the others
            try:
                last = pool.apply_async(attempt, (folder, options)).get(options.timeout)
            except multiprocessing.TimeoutError:
                last = {"model": folder.name, "failed": f"crashed, or took more than {options.timeout} s"}
        results.append(last)
        worst = max((entry.get("share", 0) for entry in last.get("fp16", [])), default=None)
        print(folder.name, worst, last.get("failed") or last.get("refused") or last.get("fp16_failed") or "", len(last.get("inside", [])), flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    if options.table:
        options.table.write_text(table(results, options.kind))
    return 0


if __name__ == "__main__":
    sys.exit(main())

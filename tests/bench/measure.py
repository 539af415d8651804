"""Converts the models with each tool alternately; prints the measurements as JSON.

    measure.py MODELS WORK FLUID2ONNX PADDLE2ONNX_PYTHON [--runs N] [NAME...]

Per run: wall and CPU time and the largest resident memory of the whole process, as the system accounts for it. The tools take turns, so that
ratios hold on a machine whose speed drifts; what was written is synced between runs, outside of the measurement.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys

SLOW = 20  # seconds; two runs have to do
P2O = """
import sys, paddle2onnx
paddle2onnx.export(sys.argv[1], sys.argv[2], sys.argv[3], opset_version=16, enable_onnx_checker=False, verbose=False)
"""


def run(command, folder, limit):
    """The figures of one process, or why there are none."""
    done = subprocess.run([sys.executable, "-I", "-S", beside("usage.py"), str(limit), *command], capture_output=True, text=True, cwd=folder)
    figures = json.loads(done.stdout)
    status = figures.pop("status")
    if status != 0:
        return {"failed": f"over {limit} s" if figures["wall"] >= limit else f"exit status {status}"}
    return figures


def beside(name):
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)


def tools(model, folder, fluid2onnx, python):
    inputs = [model + ".pdmodel", model + ".pdiparams"]
    convert = [fluid2onnx, "convert", inputs[0], "-q", "--opset", "16"]
    # The file of references must lie beside the parameters.
    reference = os.path.join(os.path.dirname(model), "reference.onnx")
    return {
        "cp": ["cp", *inputs, folder],
        "fluid2onnx": [*convert, "-o", os.path.join(folder, "model.onnx")],
        "reference": [*convert, "-o", reference, "--weights", "reference"],
        "paddle2onnx": [python, "-c", P2O, *inputs, os.path.join(folder, "model.onnx")],
    }


def nodes(path):
    """Nodes of all graphs, constants aside."""
    import onnx

    def count(graph):
        bodies = [a.g for n in graph.node for a in n.attribute if a.type == onnx.AttributeProto.GRAPH]
        return sum(n.op_type != "Constant" for n in graph.node) + sum(map(count, bodies))

    return count(onnx.load(path, load_external_data=False).graph)


def size(folder):
    return sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder))


def measure(name, args):
    model = os.path.join(args.models, name)
    compared = ("cp", "fluid2onnx", "reference", "paddle2onnx")
    if name.endswith("_sparse"):  # of a file that is mostly a hole, nothing but references is worth writing
        compared = ("reference",)
    if name.startswith("zoo_"):  # what matters is the graph
        compared = ("fluid2onnx", "paddle2onnx")
    folders = {tool: os.path.join(args.work, name + "." + tool) for tool in compared}
    result = {tool: {"runs": []} for tool in folders}
    result["weights"] = os.path.getsize(model + ".pdiparams")
    result["program"] = os.path.getsize(model + ".pdmodel")
    for turn in range(1 if name.startswith("zoo_") else args.runs + 1):  # the first to warm up
        for tool, folder in folders.items():
            runs = result[tool]["runs"]
            if "failed" in result[tool] or (len(runs) > 1 and runs[0]["wall"] > SLOW):
                continue
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            os.sync()
            figures = run(tools(model, folder, args.fluid2onnx, args.python)[tool], folder, args.limit)
            print(name, tool, figures, file=sys.stderr, flush=True)
            if "failed" in figures:
                result[tool]["failed"] = figures["failed"]
            elif turn > 0 or figures["wall"] > SLOW:
                runs.append(figures)
            path = os.path.join(folder, "model.onnx")
            if turn == 0 and os.path.exists(path):
                result[tool].update(bytes=size(folder), nodes=nodes(path))
    if all(tool in result and "failed" not in result[tool] for tool in ("fluid2onnx", "paddle2onnx")):
        for tool, latency in latencies([os.path.join(folders[t], "model.onnx") for t in ("fluid2onnx", "paddle2onnx")]).items():
            result[("fluid2onnx", "paddle2onnx")[tool]]["latency"] = latency
    for folder in folders.values():
        shutil.rmtree(folder)
    return result


def latencies(paths):
    """Milliseconds of each run of each model in ONNX Runtime with one thread, alternately; in a separate process."""
    done = subprocess.run([sys.executable, beside("latency.py"), *paths], capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stderr[-2000:], file=sys.stderr)
        return {}
    return dict(enumerate(json.loads(done.stdout)))


def versions(python):
    """Of the tools that are compared, and of those that help: of this Python and of Paddle2ONNX's."""
    ask = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"
    where = {"paddlepaddle": sys.executable, "onnxruntime": sys.executable, "paddle2onnx": python}
    return {name: subprocess.check_output([p, "-c", ask, name], text=True).strip() for name, p in where.items()}


def main():
    parser = argparse.ArgumentParser()
    for name in ("models", "work", "fluid2onnx", "python"):
        parser.add_argument(name)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--limit", type=int, default=300, help="seconds that a run may take")
    parser.add_argument("names", nargs="+")
    args = parser.parse_args()
    # Paddle2ONNX writes external data into the current folder, which is another for each run.
    for name in ("models", "work", "fluid2onnx", "python"):
        setattr(args, name, os.path.abspath(getattr(args, name)))
    models = {name: measure(name, args) for name in args.names}
    print(json.dumps({"versions": versions(args.python), "models": models}, indent=1))


if __name__ == "__main__":
    main()

"""Programs that were read and written again run in Paddle, with the outputs that they had.

    copies_run_in_paddle.py --copy build/release/bin/program_copy [--python PADDLE_3] [MODEL ...]

MODEL: folders with a program and io.npz; all sample models by default. Runs each copy with this Python's Paddle, or
with that of another one.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

MODELS = Path(__file__).resolve().parents[3] / "data" / "models"

# In a separate process, because Paddle can crash on files that it cannot read. By the predictor, which is how programs are deployed, and
# by the executor.
RUN = """
import os, sys
import numpy as np
import paddle

model, io = sys.argv[1:]
prefix = model[:-len(".pdmodel")]
with np.load(io) as data:
    feeds = {key[3:]: data[key] for key in data.files}
config = paddle.inference.Config(model, prefix + ".pdiparams" if os.path.exists(prefix + ".pdiparams") else "")
config.disable_glog_info()
predictor = paddle.inference.create_predictor(config)
for name in predictor.get_input_names():
    predictor.get_input_handle(name).copy_from_cpu(feeds[name])
predictor.run()
results = {f"predictor {i}": predictor.get_output_handle(name).copy_to_cpu()
           for i, name in enumerate(predictor.get_output_names())}
if paddle.__version__.startswith("2."):
    paddle.enable_static()
    executor = paddle.static.Executor()
    program, names, fetches = paddle.static.load_inference_model(prefix, executor)
    for i, value in enumerate(executor.run(program, feed={name: feeds[name] for name in names}, fetch_list=fetches)):
        results[f"executor {i}"] = np.asarray(value)
np.savez(io + ".out.npz", **results)
"""


def run(python: str, model: Path, feeds: dict[str, np.ndarray], work: Path) -> dict[str, np.ndarray]:
    io = work / "io.npz"
    np.savez(io, **{"in:" + name: value for name, value in feeds.items()})
    done = subprocess.run([python, "-c", RUN, str(model), str(io)], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no message"])[-1])
    with np.load(f"{io}.out.npz") as out:
        return {key: out[key] for key in out.files}


def judge(args: argparse.Namespace, folder: Path, work: Path) -> str | None:
    """What is wrong with the copy; "" if nothing is, None if this Paddle does not run the original."""
    with np.load(folder / "io.npz") as data:
        feeds = {key[3:]: data[key] for key in data.files if key.startswith("in:")}
    original = folder / "model.pdmodel"
    done = subprocess.run([args.copy, original if original.exists() else folder, work / "copy"], capture_output=True,
                          text=True)
    if done.returncode:
        return done.stderr.strip()
    (work / "original").mkdir()
    try:
        expected = run(args.python, in_one_form(folder, work / "original"), feeds, work)
    except RuntimeError as error:
        print(f"{folder.name}: this Paddle does not run the original: {error}")
        return None
    try:
        results = run(args.python, work / "copy.pdmodel", feeds, work)
    except RuntimeError as error:
        return str(error)
    if results.keys() != expected.keys():
        return f"outputs {sorted(results)}, expected {sorted(expected)}"
    for key, value in results.items():
        want = expected[key]
        if value.shape != want.shape or value.dtype != want.dtype:
            return f"{key}: {value.dtype}{list(value.shape)}, expected {want.dtype}{list(want.shape)}"
        if not np.array_equal(value, want, equal_nan=value.dtype.kind == "f"):
            return f"{key}: the numbers differ"
    return ""


def in_one_form(folder: Path, work: Path) -> Path:
    """The original as X.pdmodel and X.pdiparams."""
    if (folder / "model.pdmodel").exists():
        return folder / "model.pdmodel"
    shutil.copy(folder / "__model__", work / "model.pdmodel")
    if (folder / "__params__").exists():
        shutil.copy(folder / "__params__", work / "model.pdiparams")
    else:
        streams = sorted(path for path in folder.iterdir() if path.name not in ("__model__", "io.npz"))
        (work / "model.pdiparams").write_bytes(b"".join(path.read_bytes() for path in streams))
    return work / "model.pdmodel"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--copy", required=True, help="the program program_copy")
    parser.add_argument("--python", default=sys.executable, help="a Python with the Paddle that runs the copies")
    parser.add_argument("models", nargs="*", type=Path)
    args = parser.parse_args()
    # Of programs of Paddle 3 the reader makes others, in Fluid's terms.
    folders = args.models or sorted(io.parent for io in MODELS.glob("*/io.npz") if io.parent.name != "paddle_3")
    passed = failed = 0

    def judged(folder: Path) -> str | None:
        with tempfile.TemporaryDirectory() as work:
            return judge(args, folder, Path(work))

    with ThreadPoolExecutor(os.cpu_count()) as pool:  # they wait for Paddle's processes
        problems = list(pool.map(judged, folders))
    for folder, problem in zip(folders, problems):
        passed += problem == ""
        failed += bool(problem)
        if problem:
            print(f"{folder.name}: {problem}")
    print(f"{passed} passed, {failed} failed, {len(folders) - passed - failed} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

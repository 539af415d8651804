#!/usr/bin/env python3
"""A cross-built program does what this machine's program does, byte for byte.

    run.py FOLDER --native BINARY [--runner "COMMAND"] [--windows] [--only WORD]

FOLDER has the programs fluid2onnx and opgen of the other system; COMMAND runs them (wine, qemu-aarch64-static). With --windows, paths of Windows are
tried as well. Closes on "N passed, N failed".
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import windows
from bench import MODELS, NAME, ROOT, Bench, Tried, copied, without_slashes
from onnx_files import model_with_weights

SNAKE = ROOT / "tests/data/custom_op/snake.json"
SPEC = """op: snake_relu
inputs: {in0: tensor, in1: tensor}
outputs: {Out: tensor}
attrs: {alpha: float, mode: int, flag: bool, word: string, list: ints}
ignore: {mode: a test, flag: a test, word: a test, list: a test}
nodes:
  - s = Sin(in0 * alpha)
  - Out = in0 + s * s / alpha + in1
"""
CASES = []


def case(function):
    CASES.append(function)
    return function


def models():
    for path in sorted([*MODELS.iterdir(), *(MODELS / "pir").iterdir()]):
        if path.is_dir() and path.name != "pir":
            yield path.relative_to(MODELS)


def add_models():
    for model in models():

        def converts(bench, model=model):
            copied(bench, MODELS / model, "model")
            here, there = bench.both("convert", "model", "-o", "out.onnx", "--quiet")
            assert here.code == there.code, (here.code, there.code, there.err)
            assert without_slashes(here.err) == without_slashes(there.err), there.err
            bench.same_files()
            if here.code != 0:
                return
            for target in ("back.pdmodel", "back.json"):
                here, there = bench.both("convert", "out.onnx", "-o", target, "--quiet")
                assert (here.code, without_slashes(here.err)) == (there.code, without_slashes(there.err)), there.err
                bench.same_files()

        converts.__doc__ = f"{model}: to ONNX and back"
        CASES.append(converts)


add_models()


@case
def external_weights(bench):
    "weights in a second file, replaced by an ONNX file without one"
    bench.prepare(lambda folder: model_with_weights(folder, 100, [0, 50000]))
    bench.same_result("convert", "model.onnx", "-o", "p.pdmodel")
    bench.same_result("convert", "p.pdmodel", "-o", "m.onnx", "--weights", "external")
    assert (bench.there / "m.onnx.data").exists()
    bench.same_result("convert", "p.pdmodel", "-o", "m.onnx", "--weights", "inline")
    assert not (bench.there / "m.onnx.data").exists()


@case
def reference_weights(bench):
    "a reference to Paddle's weights in a folder below"
    bench.prepare(lambda folder: (model_with_weights(folder, 100, [0]), (folder / "below").mkdir()))
    bench.same_result("convert", "model.onnx", "-o", "below/p.json")
    bench.same_result("convert", "below/p.json", "-o", "m.onnx", "--weights", "reference")
    assert b"below/p.pdiparams" in (bench.there / "m.onnx").read_bytes()


@case
def large_files(bench):
    "weights beyond 4 GB of their file"
    bench.prepare(lambda folder: model_with_weights(folder, 100, [0, 5 << 30]))
    here, there = bench.both("convert", "model.onnx", "-o", "p.pdmodel")
    assert here.code == there.code == 0, there.err
    for folder in (bench.here, bench.there):
        (folder / "weights.bin").unlink()
    bench.same_files()


@case
def fp16(bench):
    "--fp16"
    copied(bench, MODELS / "jit", "model")
    bench.same_result("convert", "model", "-o", "m.onnx", "--fp16")


@case
def sync(bench):
    "--sync"
    copied(bench, MODELS / "jit", "model")
    bench.same_result("convert", "model", "-o", "m.onnx", "--sync")


@case
def portable(bench):
    "files that are read, not mapped"
    copied(bench, MODELS / "jit", "model")
    os.environ["FLUID2ONNX_PORTABLE"] = "1"
    try:
        bench.same_result("convert", "model", "-o", "m.onnx")
    finally:
        del os.environ["FLUID2ONNX_PORTABLE"]


@case
def names(bench):
    "spaces and letters beyond ASCII, in files and folders"
    copied(bench, MODELS / "jit", f"{NAME}/{NAME}")
    _, there = bench.same_result("convert", f"{NAME}/{NAME}", "-o", f"{NAME}.onnx")
    assert f"{NAME}.onnx" in there.out.decode(), there.out
    bench.same_result("convert", f"{NAME}.onnx", "-o", f"{NAME}/{NAME}.pdmodel")


@case
def message_names(bench):
    "such names in messages"
    here, there = bench.same_result("convert", f"{NAME}/none.pdmodel", "-o", "m.onnx", code=here_code(bench, "convert", f"{NAME}/none.pdmodel"))
    assert without_slashes(here.err) == without_slashes(there.err), there.err


def here_code(bench, *arguments):
    return Tried(bench.native, arguments, bench.here).code


@case
def long_names(bench):
    "paths of more than 260 characters"
    folder = "/".join(["a" * 60] * 5)
    copied(bench, MODELS / "jit", f"{folder}/model")
    bench.same_result("convert", f"{folder}/model", "-o", f"{folder}/m.onnx", "--weights", "external")


@case
def replaces(bench):
    "the result of an earlier run is replaced"
    copied(bench, MODELS / "jit", "model")
    copied(bench, MODELS / "lstm", "lstm")
    bench.same_result("convert", "lstm", "-o", "m.onnx")
    bench.same_result("convert", "model", "-o", "m.onnx")


@case
def keeps(bench):
    "a refusal leaves the earlier result, and no temporary file"
    copied(bench, MODELS / "jit", "model")
    bench.same_result("convert", "model", "-o", "m.onnx")
    before = (bench.there / "m.onnx").read_bytes()
    bench.same_result("convert", "model", "-o", "m.onnx", "--outputs", "nothing", code=here_code(bench, "convert", "model", "-o", "x", "--outputs", "nothing"))
    assert (bench.there / "m.onnx").read_bytes() == before


@case
def own_input(bench):
    "no output over the input"
    copied(bench, MODELS / "jit", "model")
    bench.same_result("convert", "model", "-o", "m.onnx")
    before = (bench.there / "m.onnx").read_bytes()
    here, there = bench.both("convert", "m.onnx", "-o", "m.onnx")
    assert here.code == there.code != 0, (here.err, there.err)
    assert (bench.there / "m.onnx").read_bytes() == before


@case
def missing_folder(bench):
    "an output in a folder that does not exist"
    copied(bench, MODELS / "jit", "model")
    here, there = bench.both("convert", "model", "-o", "none/m.onnx")
    assert here.code == there.code != 0, there.err
    assert "create the folder first" in there.err, there.err


@case
def output_is_folder(bench):
    "an output that is a folder"
    copied(bench, MODELS / "jit", "model")
    here, there = bench.both("convert", "model", "-o", "model")
    assert here.code == there.code != 0, (here.err, there.err)
    assert without_slashes(here.err) == without_slashes(there.err), there.err


@case
def specs(bench):
    "a spec given at run time, with either kind of line ends"
    for ends in ("\n", "\r\n"):
        copied(bench, SNAKE, "snake.json")
        bench.prepare(lambda folder, ends=ends: (folder / "snake.yaml").write_bytes(SPEC.replace("\n", ends).encode()))
        bench.same_result("convert", "snake.json", "-o", "snake.onnx", "--spec", "snake.yaml")
        _, there = bench.same_result("spec", "check", "snake.yaml")
        assert b"1 operators" in there.out, there.out


@case
def lists(bench):
    "a list of models, with either kind of line ends, two at a time"
    for name in ("jit", "lstm", "set_item"):
        copied(bench, MODELS / name, f"models/{name}")
    for ends in ("\n", "\r\n"):
        text = ends.join(["models/jit", "# a comment", "models/lstm", '{"model": "models/set_item", "output": "out/own.onnx"}', ""])
        bench.prepare(lambda folder, text=text: (folder / "list.txt").write_bytes(text.encode()))
        bench.same_result("convert", "--list", "list.txt", "-o", "out", "--jobs", "2")
    bench.same_result("convert", "--list", "-", "-o", "out", stdin=b"models/jit\r\n")


@case
def recursive(bench):
    "all models below a folder, and what is done already"
    for name in ("jit", "lstm", "model_combined"):
        copied(bench, MODELS / name, f"models/{NAME}/{name}")
    bench.same_result("convert", "-r", "models", "-o", "out", "--jobs", "2")
    _, there = bench.same_result("convert", "-r", "models", "-o", "out", "--resume", "--json")
    assert json.loads(there.out)["counts"]["done_before"] == 3, there.out


@case
def batch(bench):
    "the protocol of the Python package"
    copied(bench, MODELS / "jit", "model")
    request = json.dumps({"model": "model", "output": "m.onnx"}).encode()
    here, there = bench.same_result("batch", stdin=request + b"\n" + request + b"\r\n")
    assert here.out == there.out, there.out


@case
def inspects(bench):
    "inspect, with JSON"
    copied(bench, MODELS / "lstm", "model")
    for arguments in (["model"], ["model", "--json"], ["model", "--ops"]):
        here, there = bench.both("inspect", *arguments)
        assert (here.code, without_slashes(here.out.decode())) == (there.code, without_slashes(there.out.decode())), there.out
        assert b"\r" not in there.out


@case
def usage(bench):
    "wrong usage"
    for arguments in ([], ["convert"], ["convert", "--opset", "x"], ["nothing"]):
        here, there = bench.both(*arguments)
        assert (here.code, here.err.replace("fluid2onnx.exe", "fluid2onnx")) == (there.code, there.err.replace("fluid2onnx.exe", "fluid2onnx")), there.err


@case
def without_python(bench):
    "a command that needs Python, without one"
    os.environ["FLUID2ONNX_PYTHON"] = "no-such-python"
    try:
        here, there = bench.both("validate", "a", "b")
        assert (here.code, here.err) == (there.code, there.err), there.err
    finally:
        del os.environ["FLUID2ONNX_PYTHON"]


@case
def full_disk(bench):
    "a disk without space"
    disk = bench.there / "disk"
    disk.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], check=False).returncode != 0:
        return "needs root"
    try:
        model_with_weights(bench.there, 100, [0])
        (disk / "filler").write_bytes(bytes(40000))
        there = Tried(bench.other, ["convert", "model.onnx", "-o", "disk/m.pdmodel"], bench.there)
        assert there.code != 0 and "free disk space" in there.err, (there.code, there.err)
        assert sorted(path.name for path in disk.iterdir()) == ["filler"]
    finally:
        subprocess.run(["umount", disk], check=True)
    return None


@case
def compiler(bench):
    "opgen explains"
    for arguments in (["explain", "conv2d", "--opset", "11"], ["explain", "Gemm"]):
        here = Tried(bench.native_opgen, [*arguments, "--root", ROOT], bench.here)
        there = Tried(bench.opgen, [*arguments, "--root", ROOT], bench.there)
        assert here.code == there.code == 0, there.err
        assert here.out == there.out, there.out


@case
def renders(bench):
    "opgen renders the committed C++"
    there = Tried(bench.opgen, ["render", "--root", ROOT, "--out", "rendered"], bench.there)
    assert there.code == 0, there.err
    for path in sorted((ROOT / "generated").iterdir()):
        if path.suffix in (".cc", ".h"):
            assert (bench.there / "rendered/generated" / path.name).read_bytes() == path.read_bytes(), path.name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--native", type=Path, required=True)
    parser.add_argument("--runner", default="")
    parser.add_argument("--windows", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.folder, options.native = options.folder.resolve(), options.native.resolve()
    if options.windows:
        CASES.extend(windows.CASES)
    os.environ.update(LC_ALL="C.UTF-8", WINEDEBUG="-all")
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(options, Path(work))
        for function in CASES:
            if options.only not in function.__doc__:
                continue
            bench.folders()
            try:
                reason = function(bench)
            except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAILED: {function.__doc__}\n  {error}", flush=True)
                continue
            if reason:
                skipped += 1
                print(f"skipped: {function.__doc__}: {reason}")
            else:
                passed += 1
    print(f"cross: {passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

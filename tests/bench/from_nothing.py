#!/usr/bin/env python3
"""From an empty virtual environment to the first ONNX file: seconds, size and import time, beside Paddle2ONNX.

    from_nothing.py WHEEL MODEL.pdmodel [--runs N]

MODEL.pdiparams lies beside the program. Packages come from pip's cache if it keeps them, else from the network: say which. The first run is to warm
up, and does not count. Prints the rows for docs/benchmarks.md, medians of N alternating runs; for importing, CPU time.
"""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Paddle2ONNX 1.3.1 needs Paddle to start, and with it the versions of numpy and protobuf that both take.
_REQUIREMENTS = Path(__file__).resolve().parents[2] / "scripts" / "requirements" / "paddle2onnx.txt"


def seconds(command, **options):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    return time.perf_counter() - start


def processor_seconds(command, runs=9):
    """The least of several runs: what a machine does beside them only adds."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    times = []
    for _ in range(runs):
        start = used()
        seconds(command)
        times.append(used() - start)
    return min(times)


def size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def measure(packages, program, module, model, work):
    """(seconds to install, seconds of the first conversion, bytes installed, milliseconds of the processor to import)"""
    environment = work / "environment"
    shutil.rmtree(environment, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    libraries = next((environment / "lib").glob("python*")) / "site-packages"
    before = size(libraries)
    variables = {**os.environ, "PATH": f"{environment / 'bin'}:{os.environ['PATH']}"}
    install = seconds([python, "-m", "pip", "install", "--quiet", *packages])
    convert = seconds(program(model, work / "out.onnx"), env=variables)
    assert (work / "out.onnx").stat().st_size > 0
    (work / "out.onnx").unlink()
    imported = processor_seconds([python, "-c", f"import {module}"]) - processor_seconds([python, "-c", "pass"])
    return install, convert, size(libraries) - before, 1000 * max(imported, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel")
    parser.add_argument("model", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    model = options.model.resolve()
    tools = {
        "fluid2onnx": ([options.wheel], lambda model, out: ["fluid2onnx", "convert", model, "-o", out], "fluid2onnx"),
        "Paddle2ONNX 1.3.1": (
            ["-r", _REQUIREMENTS],
            lambda model, out: ["paddle2onnx", "--model_dir", model.parent, "--model_filename", model.name,
                                "--params_filename", model.with_suffix(".pdiparams").name, "--save_file", out],
            "paddle2onnx",
        ),
    }
    found = {name: [] for name in tools}
    with tempfile.TemporaryDirectory() as folder:
        for run in range(options.runs + 1):
            for name, tool in tools.items():
                figures = measure(*tool, model, Path(folder))
                if run > 0:
                    found[name].append(figures)
    print("| tool | pip install | first ONNX file | installed | import |\n| --- | --- | --- | --- | --- |")
    for name, rows in found.items():
        install, convert, installed, imported = (statistics.median(column) for column in zip(*rows))
        print(f"| {name} | {install:.1f} s | {convert:.2f} s | {installed / 1e6:.0f} MB | {imported:.0f} ms |")


if __name__ == "__main__":
    main()

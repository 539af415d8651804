#!/usr/bin/env python3
"""Conversion time of several programs, side by side.

    times.py MODEL... --program NAME=COMMAND... [--runs N]

Runs take turns, so that other work on the machine slows all programs equally. Prints the least CPU time and the least wall time of each program,
and their ratios to the first program's. tests/bench/models.py makes models.
"""
import argparse
import os
import resource
import shlex
import subprocess
import tempfile
import time
from pathlib import Path


def run(command, model, folder):
    """Seconds of CPU time and of wall time."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*command, "convert", model, "-o", f"{folder}/m.onnx", "--quiet"], check=True)
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, end - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--program", action="append", required=True)
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    os.environ["WINEDEBUG"] = "-all"
    programs = {name: shlex.split(command) for name, command in (program.split("=", 1) for program in options.program)}
    print("| model | program | CPU ms | ratio | wall ms | ratio |\n|---|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for model in options.models:
            taken = {name: [] for name in programs}
            for _ in range(options.runs):
                for name, command in programs.items():
                    taken[name].append(run(command, model, folder))
            least = {name: [1000 * min(column) for column in zip(*rows)] for name, rows in taken.items()}
            first = next(iter(least.values()))
            for name, (cpu, wall) in least.items():
                print(f"| {model.stem} | {name} | {cpu:.0f} | {cpu / first[0]:.2f} | {wall:.0f} | {wall / first[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares the models over sequences with Paddle on random batches: empty sequences, those of one row, long ones.

    random_sequences.py FLUID2ONNX [--only PATTERN]... [--batches N] [--opset N]... [--seed S]

The operators of DynamicRNN and of beam search have no operands that an example could make: these models are their random cases, as
tests/random has them for all others. What Paddle rejects (most loops want a row in each sequence) is drawn again.
"""
import argparse
import fnmatch
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, List, Optional

import numpy as np
import sequences
from harness import judge

from fluid2onnx import paddle_model
from fluid2onnx.compare import Tolerance
from fluid2onnx.errors import ModelError

PATIENCE = 4  # batches drawn for each that is wanted


def draw_lengths(rng: np.random.Generator) -> List[int]:
    """Of one to six sequences."""
    return rng.choice([0, 1, 1, 2, 3, 4, 5, 7, 9, 25], rng.integers(1, 7)).tolist()


def expected(example: sequences.Example, folder: Path, lengths: List[int], rng: np.random.Generator) -> Optional[judge.Expected]:
    """What Paddle gives for a batch; nothing if it rejects it."""
    # A fresh program for each: arrays would keep elements of the batch before.
    model = paddle_model.load(folder / "model.pdmodel", folder / "model.pdiparams" if example.net.params else None)
    try:
        arrays = example.draw(rng, lengths)
        lod = example.lod(model.feeds, lengths)
        outputs, output_lod = model.run_with_lod(arrays, lod)
    except (ModelError, ValueError):
        return None
    return judge.Expected(arrays, outputs, example.net.fetches, Tolerance(rtol=1e-4, atol=1e-5), lod, output_lod)


def compare(name: str, options: argparse.Namespace, folder: Path) -> "tuple[int, List[str]]":
    """How many batches were compared, and what differs."""
    example = sequences.MODELS[name]()
    example.net.save(folder)
    rng = np.random.default_rng(options.seed)
    batches: List[Any] = []
    for _ in range(PATIENCE * options.batches):
        lengths = draw_lengths(rng)
        if sum(lengths) and len(batches) < options.batches:
            found = expected(example, folder, lengths, rng)
            batches += [(lengths, found)] if found else []
    failed = []
    for opset in options.opset or [17]:
        path = str(folder / "model.onnx")
        lod = ["--lod", "lengths"] if any(any(found.output_lod) for _, found in batches) else []
        params = ["--params", str(folder / "model.pdiparams")] if example.net.params else []
        subprocess.run([options.fluid2onnx, "convert", str(folder / "model.pdmodel"), *params, "-o", path, "--opset", str(opset), *lod], check=True,
                       stdout=subprocess.DEVNULL)
        for lengths, found in batches:
            verdict = judge.judge(path, opset, found)
            if not verdict.ok:
                failed.append(f"{name} at opset {opset}, {lengths}: {verdict.reason}")
    return len(batches), failed


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fluid2onnx", help="the converter")
    parser.add_argument("--only", metavar="PATTERN", action="append", default=[])
    parser.add_argument("--batches", type=int, default=20, metavar="N", help="of each model (default: %(default)s)")
    parser.add_argument("--opset", type=int, action="append", default=[], help="repeatable; default: 17")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    every: List[str] = []
    for name in sequences.MODELS:
        if options.only and not any(fnmatch.fnmatch(name, pattern) for pattern in options.only):
            continue
        with tempfile.TemporaryDirectory(prefix="sequences-") as folder:
            count, failed = compare(name, options, Path(folder))
        print(f"{name}: {count} batches, {len(failed)} failed", flush=True)
        every += failed
    print("\n".join(every[:40]))
    return 1 if every else 0


if __name__ == "__main__":
    sys.exit(main())

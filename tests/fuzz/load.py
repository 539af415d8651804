#!/usr/bin/env python3
"""Loads converted models in ONNX Runtime: each must load, or ONNX Runtime must lack a kernel for it.

    tests/fuzz/run --seeds seeds
    build/release/bin/fuzz_findings --models models --random 600 pir_to_onnx seeds/pir_to_onnx found
    load.py models [--verbose]

ONNX Runtime runs in separate processes, because it can crash. The exit status is 1 if it refuses a model or crashes.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
from pathlib import Path

# Messages about valid models: ONNX Runtime has no kernel for a node, or does not know the IR version yet.
NO_KERNEL = re.compile(r'NOT_IMPLEMENTED|Could not find an implementation|Unsupported model IR version')
BATCH = 200
SECONDS = 300  # of a batch


def load(paths):
    """Prints one line for each model."""
    os.environ['ALLOW_RELEASED_ONNX_OPSET_ONLY'] = '0'  # newer opsets than it has kernels for
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    for path in paths:
        try:
            onnxruntime.InferenceSession(path, options, providers=['CPUExecutionProvider'])
            print('ok', flush=True)
        except Exception as problem:  # noqa: BLE001
            text = ' '.join(str(problem).split())
            print(re.sub(r'Load model from \S+ failed: ?', '', text)[:600], flush=True)


def outcomes(paths):
    """The outcome of each model, in order. A new process continues after a crash."""
    while paths:
        command = [sys.executable, __file__, '--load', *map(str, paths[:BATCH])]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            text, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            text, _ = process.communicate()
        lines = text.splitlines()
        if len(lines) < len(paths[:BATCH]):
            lines.append(f'crash, or more than {SECONDS} seconds: exit status {process.returncode}')
        elif process.returncode != 0:
            lines[-1] = f'crash at the end: exit status {process.returncode}'
        yield from zip(paths, lines)
        paths = paths[len(lines):]


def main():
    if sys.argv[1:2] == ['--load']:
        return load(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('models', type=Path, help='the folder that fuzz_findings --models wrote')
    parser.add_argument('--verbose', action='store_true', help='print messages in full')
    options = parser.parse_args()
    import onnxruntime  # noqa: F401  without it, each process would fail

    counts = collections.Counter()
    for path, outcome in outcomes(sorted(options.models.glob('*.onnx'))):
        kind = 'passed' if outcome == 'ok' else 'no kernel' if NO_KERNEL.search(outcome) else 'refused'
        counts[kind] += 1
        if kind == 'refused':
            print(f'{path}: {outcome if options.verbose else outcome[:300]}', flush=True)
    print(f"{counts['no kernel']} models without a kernel in ONNX Runtime")
    print(f"load: {counts['passed']} passed, {counts['refused']} failed, {counts['no kernel']} skipped")
    return counts['refused'] > 0 or not counts


if __name__ == '__main__':
    sys.exit(main())

"""Every spec of an operator of ONNX is tried: by its own example, or by a backend test of the `onnx` package.

    coverage.py [--opgen FILE]

The operators in a backend test's graph and subgraphs count at the test's opset, unless a list has the test as refused or failing. A spec
is what the converter has for a range of opsets; those that opgen derives are tried by the round trips of Paddle's
operators, and stand below if they are tried by nothing else.
"""
import argparse
import fnmatch
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set, Tuple

from common import converters, read_expected

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Specs that neither can try, with the reason.
_OLD = "ONNX Runtime runs no opset below 7; a row of a template whose other rows are tried"
_DEVICES = "ONNX Runtime has no kernel for the CPU"
REASONS: Dict[str, str] = {
    **{f"{op} (opsets 1 to 6)": _OLD for op in ("And", "Equal", "Greater", "Less", "Or", "Xor")},
    "Concat (opsets 1 to 3)": "ONNX Runtime runs no opset below 7",
    "com.microsoft.BiasAdd (from opset 1 on)": _DEVICES,
    "com.microsoft.BiasSplitGelu (from opset 1 on)": _DEVICES,
}


def nodes_of(graph: Any) -> Iterator[Any]:
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                yield from nodes_of(inner)


def backend_tests() -> Set[Tuple[str, int]]:
    """(operator, opset) of what backend tests run."""
    from onnx.backend.test.loader import load_model_tests

    left_out = [pattern for name in ("expected.txt", "refused.txt") for pattern, _ in read_expected(HERE / name)]
    found: Set[Tuple[str, int]] = set()
    import onnx

    for kind in ("node", "simple", "pytorch-operator", "pytorch-converted"):
        for test in load_model_tests(kind=kind):
            if any(fnmatch.fnmatchcase(test.name, pattern) for pattern in left_out):
                continue
            model = test.model if test.model is not None else onnx.load(Path(test.model_dir) / "model.onnx")
            opset = next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), 1)
            found |= {(node.op_type, opset) for node in nodes_of(model.graph)}
            for function in model.functions:
                found |= {(node.op_type, opset) for node in nodes_of(function)}
    return found


def examples(opgen: str) -> Set[Tuple[str, int]]:
    """(operator, opset) of the examples."""
    done = subprocess.run([opgen, "examples", "--root", str(ROOT)], stdout=subprocess.PIPE, check=True)
    found: Set[Tuple[str, int]] = set()
    for example in json.loads(done.stdout):
        call = example.get("onnx")
        if call is None or example.get("refused"):
            continue
        name = f"{call['domain']}.{call['op']}" if call["domain"] else call["op"]
        found |= {(name, node["first"]) for node in call["nodes"]}
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opgen", default=str(ROOT / "build/release/bin/opgen"))
    options = parser.parse_args()
    tried = examples(options.opgen) | backend_tests()
    lacking: List[str] = []
    every = list(converters())
    for op, first, last in every:
        if not any(name == op and first <= opset and (last is None or opset <= last) for name, opset in tried):
            lacking.append(f"{op} (opsets {first} to {last})" if last else f"{op} (from opset {first} on)")
    missing = [name for name in lacking if name not in REASONS]
    stale = [f"{name}: is tried, and is listed" for name in REASONS if name not in lacking]
    print("\n".join([f"{name}: no example, and no backend test that passes" for name in missing] + stale))
    print(f"{len(every) - len(lacking)} of {len(every)} specs of ONNX's operators are tried")
    print(f"{len(every) - len(lacking)} passed, {len(missing) + len(stale)} failed, {len(lacking) - len(missing)} skipped")
    return 1 if missing or stale else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Damaged ONNX models: whatever is in the file, the converter ends with an answer, blames the file, and writes nothing.

    damaged.py [--fluid2onnx BINARY] [--cases N] [--seed N] [--only OP]... [--format json]

The models are conversions of the specs' examples. Each case damages one: cuts it off, changes bytes, or changes one thing in it that a
schema lets pass: operands, attributes, types, sizes, versions, places of data. A crash, no answer in time, E_INTERNAL, or a file that is left
is a failure; it is kept beside the report with --keep.
"""
import argparse
import collections
import json
import os
import random
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, Counter, List, Optional, Tuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))
from harness import ROOT  # noqa: E402
from harness.batch import Batch  # noqa: E402
from harness.cases import ask_opgen, load_reference, read_cases, select  # noqa: E402

import onnx  # noqa: E402
from fluid2onnx import executable  # noqa: E402
from onnx import AttributeProto, TensorProto  # noqa: E402

TIMEOUT = 30
HUGE = (0, -1, 1, 2**31 - 1, 2**31, 2**40, 2**62, -(2**63))
BLAMES_US = ("CRASH", "TIMEOUT", "E_INTERNAL", "E_CHECK")

Model = onnx.ModelProto
Change = Callable[[Model, random.Random], str]


def nodes_of(graph: onnx.GraphProto) -> List[onnx.NodeProto]:
    found = []
    for node in graph.node:
        found.append(node)
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                found += nodes_of(inner)
    return found


def any_node(model: Model, rng: random.Random) -> onnx.NodeProto:
    return rng.choice(nodes_of(model.graph))


def operand(model: Model, rng: random.Random) -> str:
    node = any_node(model, rng)
    known = [name for other in nodes_of(model.graph) for name in [*other.input, *other.output]]
    what = rng.choice(["", "missing", rng.choice(known or [""]), None])
    if what is None:
        node.input.extend([rng.choice(known or [""])] * rng.choice([1, 3]))
    elif node.input:
        node.input[rng.randrange(len(node.input))] = what
    return f"an operand of {node.op_type} is {what!r}"


def result(model: Model, rng: random.Random) -> str:
    node = any_node(model, rng)
    if not node.output:
        return ""
    if rng.random() < 0.5:
        node.output[rng.randrange(len(node.output))] = rng.choice(["", node.input[0] if node.input else "x"])
    else:
        del node.output[:]
    return f"results of {node.op_type} are {list(node.output)}"


def attribute(model: Model, rng: random.Random) -> str:
    nodes = [node for node in nodes_of(model.graph) if node.attribute]
    if not nodes:
        return ""
    node = rng.choice(nodes)
    changed = rng.choice(node.attribute)
    name = changed.name
    kind = rng.choice(["value", "type", "gone", "twice"])
    if kind == "gone":
        node.attribute.remove(changed)
    elif kind == "twice":
        node.attribute.add().CopyFrom(changed)
    elif kind == "type":
        changed.Clear()
        changed.name = name
        changed.type = rng.choice([AttributeProto.INT, AttributeProto.FLOATS, AttributeProto.STRING, AttributeProto.TENSOR, AttributeProto.GRAPH, 99 % 15])
        changed.s = b"x"
    elif changed.type == AttributeProto.INT:
        changed.i = rng.choice(HUGE)
    elif changed.type == AttributeProto.INTS:
        values = rng.choice([[], [rng.choice(HUGE)], [rng.choice(HUGE)] * len(changed.ints), list(changed.ints) * 5])
        del changed.ints[:]
        changed.ints.extend(values)
    elif changed.type == AttributeProto.FLOAT:
        changed.f = rng.choice([float("nan"), float("inf"), -1.0, 0.0, 1e38])
    elif changed.type == AttributeProto.STRING:
        changed.s = rng.choice([b"", b"XX", b"\xff\xfe", b"a" * 100000])
    elif changed.type == AttributeProto.GRAPH:
        part = rng.choice(["node", "input", "output"])
        del getattr(changed.g, part)[:]
    return f"attribute {name} of {node.op_type}, {kind}"


def declared(model: Model, rng: random.Random) -> str:
    graph = model.graph
    values = [*graph.input, *graph.output, *graph.value_info]
    if not values:
        return ""
    value = rng.choice(values)
    kind = rng.choice(["dtype", "dims", "rank", "none", "other"])
    tensor = value.type.tensor_type
    if kind == "dtype":
        tensor.elem_type = rng.choice([0, 8, 12, 99, -1, 23])
    elif kind == "dims":
        for dim in tensor.shape.dim:
            dim.dim_value = rng.choice(HUGE)
    elif kind == "rank":
        for _ in range(rng.choice([1, 30])):
            tensor.shape.dim.add().dim_value = 2
    elif kind == "none":
        value.ClearField("type")
    else:
        value.type.sequence_type.elem_type.tensor_type.elem_type = 1
    return f"the {kind} of value {value.name}"


def weight(model: Model, rng: random.Random) -> str:
    if not model.graph.initializer:
        return ""
    tensor = rng.choice(model.graph.initializer)
    kind = rng.choice(["dims", "dtype", "data", "place", "name", "fields"])
    if kind == "dims":
        values = rng.choice([[], [rng.choice(HUGE)], [rng.choice(HUGE)] * 3, [2] * 200])
        del tensor.dims[:]
        tensor.dims.extend(values)
    elif kind == "dtype":
        tensor.data_type = rng.choice([0, 1, 7, 8, 9, 16, 17, 23, 99])
    elif kind == "data":
        tensor.raw_data = tensor.raw_data[: rng.randrange(len(tensor.raw_data) + 1)] + rng.choice([b"", b"x"])
    elif kind == "name":
        tensor.name = rng.choice(["", "missing", model.graph.input[0].name if model.graph.input else "x"])
    elif kind == "fields":
        tensor.float_data.extend([1.0] * 3)
    else:
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        location = rng.choice(["../weights", "/etc/passwd", "", ".", "m.onnx", "none", "a\0b", "x" * 5000])
        for key, value in (("location", location), ("offset", str(rng.choice(HUGE))), ("length", str(rng.choice(HUGE)))):
            if rng.random() < 0.8:
                tensor.external_data.add(key=key, value=value)
    return f"the {kind} of initializer {tensor.name}"


def version(model: Model, rng: random.Random) -> str:
    kind = rng.choice(["ir", "opset", "domain", "none"])
    if kind == "ir":
        model.ir_version = rng.choice([0, 1, 3, 99, 2**62, -1])
    elif kind == "opset":
        opset = model.opset_import[0] if model.opset_import else model.opset_import.add()  # another change may have taken it
        opset.version = rng.choice([0, 1, 5, 6, 7, 28, 29, 2**31, 2**62, -1])
    elif kind == "domain":
        any_node(model, rng).domain = rng.choice(["com.microsoft", "ai.onnx.ml", "missing"])
    else:
        del model.opset_import[:]
    return f"the version of {kind}"


def order(model: Model, rng: random.Random) -> str:
    graph = model.graph
    kind = rng.choice(["shuffled", "twice", "cycle", "outputs", "no inputs"])
    if kind == "shuffled":
        nodes = list(graph.node)
        rng.shuffle(nodes)
        copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
        del graph.node[:]
        graph.node.extend(copies)
    elif kind == "twice":
        graph.node.add().CopyFrom(rng.choice(graph.node))
    elif kind == "cycle":
        if graph.node[0].input and graph.node[-1].output:
            graph.node[0].input[0] = graph.node[-1].output[0]
    elif kind == "outputs":
        graph.output.add().name = rng.choice(["missing", graph.output[0].name if graph.output else "x"])
    else:
        del graph.input[:]
    return f"nodes: {kind}"


def other_operator(model: Model, rng: random.Random) -> str:
    node = any_node(model, rng)
    before = node.op_type
    node.op_type = rng.choice(["Loop", "If", "Scan", "Conv", "Reshape", "Concat", "Gather", "Gemm", "Resize", "Split", "LSTM", "Missing", "", "Constant", "Slice", "Pad"])
    return f"{before} is {node.op_type}"


CHANGES: List[Change] = [operand, operand, result, attribute, attribute, declared, weight, weight, version, order, other_operator]


def damage(content: bytes, rng: random.Random) -> Tuple[bytes, str]:
    kind = rng.random()
    if kind < 0.1:
        end = rng.randrange(len(content))
        return content[:end], f"cut off at byte {end}"
    if kind < 0.3:
        changed = bytearray(content)
        places = sorted(rng.randrange(len(changed)) for _ in range(rng.choice([1, 1, 1, 4, 32])))
        for place in places:
            changed[place] = rng.randrange(256)
        return bytes(changed), f"bytes {places[:4]} changed"
    model = Model.FromString(content)
    changes = [change(model, rng) for change in rng.choices(CHANGES, k=rng.choice([1, 1, 1, 2]))]
    return model.SerializeToString(), "; ".join(filter(None, changes)) or "nothing"


def leftovers(folder: Path) -> List[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "m.onnx")


def problem_of(reply: Any, folder: Path, program: str) -> Optional[str]:
    left = leftovers(folder)
    if not reply.ok and reply.code in BLAMES_US:
        return f"{reply.code} {reply.message}"
    if not reply.ok and left:
        return f"refused ({reply.code}), but {', '.join(left)} was written"
    if reply.ok and program not in left:
        return "reported success, but wrote no program"
    if reply.ok and set(left) - {program, "out.pdiparams"}:
        return f"left {', '.join(left)}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fluid2onnx", metavar="FILE", help="the converter (default: as the Python package finds it)")
    parser.add_argument("--opgen", metavar="FILE", help="opgen, to ask for the examples (default: beside the converter)")
    parser.add_argument("--cases", type=int, default=2000, help="how many (default: %(default)d)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", choices=["pdmodel", "json"], default="pdmodel", help="json: Paddle 3's own format")
    parser.add_argument("--only", metavar="OP[:EXAMPLE]", action="append", default=[])
    parser.add_argument("--cache", metavar="DIR", type=Path, help="where references are kept (default: as tests/conformance/run.py)")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="leave the models that fail there")
    options = parser.parse_args()
    command = [executable.use(options.fluid2onnx), "batch"]
    cache = options.cache or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fluid2onnx" / "references"
    opgen = options.opgen or str(Path(command[0]).with_name("opgen"))
    cases = [case for case in select(read_cases(ask_opgen(opgen, ROOT)), options.only) if not case.refused and not case.of_paddle_3]
    folders = []
    for case in cases:
        key = case.key("2.6.2")
        if (cache / key[:2] / key / "reference.json").exists():
            folders.append((case.name, cache / key[:2] / key))
    if not folders:
        print("damaged.py: error: no references; run tests/conformance/run.py first", file=sys.stderr)
        return 2
    rng = random.Random(options.seed)
    program = f"out.{options.format}"
    counts: Counter[str] = collections.Counter()
    failures = []
    batch = Batch(command, TIMEOUT)
    with tempfile.TemporaryDirectory(prefix="damaged-") as scratch:
        folder = Path(scratch)
        for number in range(options.cases):
            name, reference_folder = rng.choice(folders)
            reference = load_reference(reference_folder)
            assert reference is not None
            there = folder / "m.onnx"
            reply = batch.convert(reference.model, reference.params, str(there), rng.choice([9, 13, 17, 21]))
            if not reply.ok:
                counts["not in ONNX at this opset"] += 1
                continue
            content, what = damage(there.read_bytes(), rng)
            there.write_bytes(content)
            reply = batch.convert(str(there), None, str(folder / program), None)  # type: ignore[arg-type]
            problem = problem_of(reply, folder, program)
            if problem:
                failures.append(f"case {number}, {name}, {what}: {problem}")
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    (options.keep / f"case-{number}.onnx").write_bytes(content)
            counts["failed" if problem else "ok" if reply.ok else reply.code] += 1
            for path in folder.iterdir():
                path.unlink()
    print(json.dumps(dict(counts.most_common()), indent=1))
    for failure in failures:
        print(f"FAILED {failure[:600]}")
    failed = counts["failed"]
    print(f"{sum(counts.values()) - failed - counts['not in ONNX at this opset']} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

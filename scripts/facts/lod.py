#!/usr/bin/env python3
"""Writes opspecs/facts/lod.json: which operators of Paddle pass on the LoD of an operand, and to which result.

    python scripts/facts/lod.py [--opgen build/release/bin/opgen] [output]

Run it with the Python that has paddlepaddle 2.6. Paddle does not document this: it is defined in the kernels and in the
inference of shapes. So each example of each spec is run once for each of its operands, which gets a LoD that no other
operand has; then with LoD on all of them, to see whose wins.
"""

import argparse
import collections
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "conformance"), str(ROOT / "python")]

import paddle  # noqa: E402
from harness import oracle  # noqa: E402
from harness.cases import ask_opgen, read_cases  # noqa: E402

import tables  # noqa: E402

OUTPUT = ROOT / "opspecs" / "facts" / "lod.json"


def offsets(rows, which):
    """Offsets of sequences that cover all rows, another number of sequences for each operand."""
    return [[0] * (which + 1) + [rows]]


def tensor(array, lod):
    result = paddle.base.core.LoDTensor()
    result.set(array, paddle.CPUPlace())
    if lod:
        result.set_lod(lod)
    return result


def run(builder, lods):
    """The LoD of every result, by its name."""
    executor = paddle.static.Executor(paddle.CPUPlace())
    with paddle.static.scope_guard(paddle.static.Scope()):
        feed = {name: tensor(array, lods.get(name)) for name, array in builder.inputs.items()}
        got = executor.run(builder.program, feed=feed, fetch_list=builder.fetches, return_numpy=False)
    return {name: item.lod() for name, item in zip(builder.fetches, got) if hasattr(item, "lod")}


def observe(case):
    """What became of LoD: [what, result, operand], each as "SLOT.INDEX".

    "kept" and "lost": of the operand that alone had one; "made": the result has another one. "first": the operand whose
    LoD the result had when all operands had one.
    """
    case.data["const"] = []  # weights may have LoD as well
    builder = oracle._Builder(case)
    builder.build([])
    place = {}
    for slot, operands in case.data["inputs"].items():
        for index, operand in enumerate(operands):
            place.setdefault(str(operand["name"]), f"{slot}.{index}")
    fed = [name for name, array in builder.inputs.items() if array.ndim and array.shape[0]]
    given = {name: offsets(builder.inputs[name].shape[0], which) for which, name in enumerate(fed)}
    seen = []
    for name in fed:
        for result, lod in run(builder, {name: given[name]}).items():
            what = "lost" if not lod else "kept" if lod == given[name] else "made"
            seen.append((what, result.replace(".result", "."), place[name]))
    if len(fed) > 1:
        for result, lod in run(builder, given).items():
            owner = next((name for name in fed if given[name] == lod), None)
            if lod:
                seen.append(("first" if owner else "made", result.replace(".result", "."), place[owner] if owner else ""))
    return seen


def observe_apart(case):
    """As observe, in a separate process: kernels crash on what they do not expect."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            sys.stderr = open(os.devnull, "w")
            os.dup2(sys.stderr.fileno(), 2)
            text = json.dumps(observe(case))
            with os.fdopen(writer, "w") as file:
                file.write(text)
            status = 0
        except BaseException as error:  # noqa: B902
            with os.fdopen(writer, "w") as file:
                file.write(json.dumps({"error": str(error)[-200:]}))
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader) as file:
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text or '{"error": "crash"}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opgen", default=str(ROOT / "build" / "release" / "bin" / "opgen"))
    parser.add_argument("-v", action="store_true", help="name the examples that Paddle does not run with LoD")
    parser.add_argument("output", nargs="?", default=OUTPUT, type=pathlib.Path)
    arguments = parser.parse_args()
    seen = collections.defaultdict(collections.Counter)
    for case in read_cases(ask_opgen(arguments.opgen, ROOT)):
        if case.refused or case.of_paddle_3 or case.data.get("reference"):
            continue
        rows = observe_apart(case)
        if isinstance(rows, dict):
            if arguments.v:
                print(case.name, rows["error"].replace("\n", " "), file=sys.stderr)
            continue
        for what, result, operand in rows:
            seen[case.op][what, result, operand] += 1
    shares, sometimes, makes = {}, {}, {}
    for op, counts in seen.items():
        always, at_times, made = judge(counts)
        for table, entry in ((shares, always), (sometimes, at_times), (makes, made)):
            if entry:
                table[op] = entry
    tables.write(arguments.output, {"paddle": paddle.__version__, "shares": shares, "sometimes": sometimes, "makes": makes})


def judge(counts):
    """The results that always have an operand's LoD, that sometimes have it, and that have one of the operator's own."""
    always, at_times, made = {}, {}, []
    for slot in sorted({result.partition(".")[0] for _, result, _ in counts}):
        mine = [(what, result, operand, n) for (what, result, operand), n in counts.items() if result.partition(".")[0] == slot]
        if any(what == "made" and not operand for what, _, operand, _ in mine) or all(what == "made" for what, *_ in mine):
            made.append(slot)
            continue
        kept = {(result, operand) for what, result, operand, _ in mine if what == "kept"}
        if not kept:
            continue
        # Of several, the one that comes first, or does so more often (box_coder has two forms).
        often = collections.Counter()
        for what, _, operand, n in mine:
            often[operand.partition(".")[0]] += {"kept": n, "first": 1000 * n}.get(what, 0)
        source = often.most_common(1)[0][0]
        pairs = {(result, operand) for result, operand in kept if operand.startswith(source + ".")}
        each = {(result, operand) for _, result, operand, _ in mine if operand.startswith(source + ".")}
        by_index = {pair for pair in each if pair[0].partition(".")[2] == pair[1].partition(".")[2]}
        by_first = {pair for pair in each if pair[1].endswith(".0")}
        lists = len({operand for _, operand in each}) > 1 and len({result for result, _ in each}) > 1
        wanted = by_index if lists else by_first
        spelt = source + ("" if lists else ".0")
        lost = any(what == "lost" and (result, operand) in wanted for what, result, operand, _ in mine)
        if not pairs <= wanted:
            raise SystemExit(f"{slot}: the LoD of {sorted(pairs - wanted)} is kept as well")
        (at_times if lost else always)[slot] = spelt
    return always, at_times, made


if __name__ == "__main__":
    main()

"""Models of several nodes: sequences that are known only when the program runs, which are Paddle's arrays; results without elements.

    graphs.py [--fluid2onnx BINARY] [--paddle3 PYTHON [--format json]] [--only NAME]...

Each model is converted, run by Paddle, and compared with ONNX Runtime on the same numbers. fluid2onnx refuses what Paddle's
arrays or its .json do not support; each such model lists words of the message. A model at which Paddle itself fails lists
words of Paddle's error, and fails here once Paddle runs it.
"""

import argparse
import fnmatch
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List

import numpy as np
import onnx
import onnxruntime

from common import PaddleError, PaddleProcess
from fluid2onnx import executable


PADDLE_2, PADDLE_3, JSON = "Paddle 2", "Paddle 3", "Paddle 3's own format"


@dataclass
class Case:
    inputs: str
    outputs: str
    nodes: str
    feeds: List[Dict[str, np.ndarray]]
    refused: str = ""
    refused_in_json: str = ""
    fails: Dict[str, str] = field(default_factory=dict)  # by PADDLE_2, PADDLE_3 or JSON: Paddle's error, from one of the feeds on
    opset: int = 17


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype("float32")


def number(n: int) -> np.ndarray:
    return np.array(n, "int64")


X_AND_N = [{"x": floats(5, 3), "n": number(4)}, {"x": floats(5, 3), "n": number(1)}]

CASES = {
    # What Python's list.append in a loop becomes, joined in both ways.
    "collected": Case(
        "float[5, 3] x, int64 n", "float[k, 3] stacked, float[m] joined",
        """
        none = SequenceEmpty()
        all = Loop(n, , none) <body = body (int64 turn, bool go, seq(float[3]) s) => (bool keep, seq(float[3]) more) {
            keep = Identity(go)
            row = Gather(x, turn)
            more = SequenceInsert(s, row)
        }>
        stacked = ConcatFromSequence<axis = 0, new_axis = 1>(all)
        joined = ConcatFromSequence<axis = 0>(all)
        """,
        X_AND_N,
    ),
    # Integers: the dtype of an empty sequence is that of what is put in.
    "integers": Case(
        "int64[5] x, int64 n", "int64[k] y, int64 l",
        """
        none = SequenceEmpty<dtype = 7>()
        all = Loop(n, , none) <body = body (int64 turn, bool go, seq(int64[1]) s) => (bool keep, seq(int64[1]) more) {
            keep = Identity(go)
            axis = Constant<value = int64[1] {0}>()
            at = Unsqueeze(turn, axis)
            row = Gather(x, at)
            l = SequenceLength(s)
            more = SequenceInsert(s, row, l)
        }>
        y = ConcatFromSequence<axis = -1>(all)
        l = SequenceLength(all)
        """,
        [{"x": np.arange(5) * 3, "n": number(4)}, {"x": np.arange(5) * 3, "n": number(2)}],
    ),
    # As this project writes Paddle's write_to_array: in place, or behind the last. Read from both ends.
    "written_in_place": Case(
        "float[5, 3] x, int64 n", "float[k, 3] y, float[3] last",
        """
        zero = Constant<value = float[3] {0, 0, 0}>()
        two = Constant<value = int64 {2}>()
        end = Constant<value = int64 {-1}>()
        start = SequenceConstruct(zero)
        all = Loop(n, , start) <body = body (int64 turn, bool go, seq(float[3]) s) => (bool keep, seq(float[3]) more) {
            keep = Identity(go)
            row = Gather(x, turn)
            at = Mod(turn, two)
            before = SequenceAt(s, end)
            both = Add(row, before)
            length = SequenceLength(s)
            there = Less(at, length)
            more = If(there) <
                then_branch = then () => (seq(float[3]) set) { rest = SequenceErase(s, at) set = SequenceInsert(rest, both, at) },
                else_branch = otherwise () => (seq(float[3]) longer) { longer = SequenceInsert(s, both, at) }
            >
        }>
        y = ConcatFromSequence<axis = 0, new_axis = 1>(all)
        last = SequenceAt(all, end)
        """,
        X_AND_N,
    ),
    # The same outside of a loop, of a sequence whose tensors are known one by one.
    "written_once": Case(
        "float[3] x, int64 at", "float[k, 3] y, float[2, 3] z",
        """
        twice = Add(x, x)
        s = SequenceConstruct(x, twice)
        length = SequenceLength(s)
        there = Less(at, length)
        square = Mul(x, x)
        more = If(there) <
            then_branch = then () => (seq(float[3]) set) { rest = SequenceErase(s, at) set = SequenceInsert(rest, square, at) },
            else_branch = otherwise () => (seq(float[3]) longer) { longer = SequenceInsert(s, square, at) }
        >
        y = ConcatFromSequence<axis = 0, new_axis = 1>(more)
        z = ConcatFromSequence<axis = 0, new_axis = 1>(s)
        """,
        [{"x": floats(3), "at": number(1)}, {"x": floats(3), "at": number(2)}],
    ),
    # A sequence does not change when another one is made of it: arrays do.
    "kept": Case(
        "float[5, 3] x, int64 n", "float[k, 3] y, int64 l, int64[m] lengths",
        """
        none = SequenceEmpty()
        all, lengths = Loop(n, , none) <body = body (int64 turn, bool go, seq(float[3]) s) => (bool keep, seq(float[3]) more, int64 l) {
            keep = Identity(go)
            row = Gather(x, turn)
            more = SequenceInsert(s, row)
            l = SequenceLength(s)
        }>
        zero = Constant<value = float[3] {0, 0, 0}>()
        longer = SequenceInsert(all, zero)
        y = ConcatFromSequence<axis = 0, new_axis = 1>(all)
        l = SequenceLength(longer)
        """,
        X_AND_N, refused_in_json="its loop replaces a tensor array",
    ),
    # An outer one that is the start of each iteration.
    "captured": Case(
        "float[5, 3] x, int64 n", "int64 l, float[k] sums",
        """
        none = SequenceEmpty()
        all = Loop(n, , none) <body = body (int64 turn, bool go, seq(float[3]) s) => (bool keep, seq(float[3]) more) {
            keep = Identity(go)
            row = Gather(x, turn)
            more = SequenceInsert(s, row)
        }>
        yes = Constant<value = bool {1}>()
        sums = Loop(n, yes) <body = second (int64 turn, bool go) => (bool keep, float sum) {
            keep = Identity(go)
            row = Gather(x, turn)
            longer = SequenceInsert(all, row)
            joined = ConcatFromSequence<axis = 0>(longer)
            sum = ReduceSum<keepdims = 0>(joined)
        }>
        l = SequenceLength(all)
        """,
        X_AND_N,
    ),
    # The order of the two loop-carried values alternates between iterations.
    "swapped": Case(
        "float[5, 3] x, int64 n", "float[k, 3] y, float[m, 3] z",
        """
        one = SequenceConstruct(x)
        twice = Add(x, x)
        other = SequenceConstruct(twice, twice)
        a, b = Loop(n, , one, other) <body = body (int64 turn, bool go, seq(float[5, 3]) s, seq(float[5, 3]) t)
                                      => (bool keep, seq(float[5, 3]) more, seq(float[5, 3]) same) {
            keep = Identity(go)
            more = SequenceInsert(t, x)
            same = Identity(s)
        }>
        y = ConcatFromSequence<axis = 0>(a)
        z = ConcatFromSequence<axis = 0>(b)
        """,
        X_AND_N, refused_in_json="its loop replaces a tensor array",
    ),
    "loop_in_loop": Case(
        "float[5, 3] x, int64 n", "float[k, 3] y",
        """
        none = SequenceEmpty()
        all = Loop(n, , none) <body = body (int64 turn, bool go, seq(float[3]) s) => (bool keep, seq(float[3]) more) {
            keep = Identity(go)
            more = Loop(turn, , s) <body = inner (int64 again, bool on, seq(float[3]) t) => (bool still, seq(float[3]) longer) {
                still = Identity(on)
                row = Gather(x, again)
                longer = SequenceInsert(t, row)
            }>
        }>
        y = ConcatFromSequence<axis = 0, new_axis = 1>(all)
        """,
        [{"x": floats(5, 3), "n": number(4)}, {"x": floats(5, 3), "n": number(2)}],
    ),
    # Of one that does not depend on the turns, an element that does.
    "looked_up": Case(
        "float[3] x, int64[m] at", "float[m, 3] y",
        """
        twice = Add(x, x)
        square = Mul(x, x)
        s = SequenceConstruct(x, twice, square)
        size = Size(at)
        yes = Constant<value = bool {1}>()
        y = Loop(size, yes) <body = body (int64 turn, bool go) => (bool keep, float[3] element) {
            keep = Identity(go)
            one = Gather(at, turn)
            element = SequenceAt(s, one)
        }>
        """,
        [{"x": floats(3), "at": np.array([2, 0, 1, -1])}, {"x": floats(3), "at": np.array([-3, 1])}],
    ),
    # Paddle's kernel reads 64 bits of a position, whatever it is given.
    "at_32_bits": Case(
        "float[3] x, int32 i", "float[3] y",
        """
        twice = Add(x, x)
        s = SequenceConstruct(x, twice)
        at = Abs(i)
        y = SequenceAt(s, at)
        """,
        [{"x": floats(3), "i": np.array(i, "int32")} for i in (1, 0, -1)],
    ),
    "chosen": Case(
        "float[5, 3] x, bool c", "float[k, 3] y, int64 l",
        """
        s = If(c) <
            then_branch = then () => (seq(float[5, 3]) one) { one = SequenceConstruct(x) },
            else_branch = otherwise () => (seq(float[5, 3]) two) { twice = Add(x, x) two = SequenceConstruct(x, twice) }
        >
        y = ConcatFromSequence<axis = 0>(s)
        l = SequenceLength(s)
        """,
        [{"x": floats(5, 3), "c": np.array(True)}, {"x": floats(5, 3), "c": np.array(False)}],
    ),
    # By the body that ONNX has for it, a Loop.
    "mapped": Case(
        "float[5, 3] x, float[2, 3] z", "float[7, 3] y",
        """
        s = SequenceConstruct(x, z)
        t = SequenceMap(s) <body = body (float[a, 3] e) => (float[a, 3] f) { f = Neg(e) }>
        y = ConcatFromSequence<axis = 0>(t)
        """,
        [{"x": floats(5, 3), "z": floats(2, 3)}], fails={JSON: "The dims of input in ArrayToTensor must be equal"},
    ),
    # The number of slices, or the size of each, is known at run time.
    "parts": Case(
        "float[n, 3] x", "float[k, 3] y, int64 l, float[3] row, float[m, 3] first",
        """
        two = Constant<value = int64 {2}>()
        s = SplitToSequence<axis = 0>(x, two)
        rows = SplitToSequence<axis = 0, keepdims = 0>(x)
        end = Constant<value = int64 {-1}>()
        start = Constant<value = int64 {0}>()
        y = SequenceAt(s, end)
        first = SequenceAt(s, start)
        row = SequenceAt(rows, end)
        l = SequenceLength(s)
        """,
        [{"x": floats(5, 3)}, {"x": floats(2, 3)}],
    ),
    "parts_of_sizes": Case(
        "float[n, 3] x, int64[3] sizes", "float[k, 3] y, int64 l, float[m, 3] z",
        """
        s = SplitToSequence<axis = 0>(x, sizes)
        at = Constant<value = int64 {1}>()
        y = SequenceAt(s, at)
        end = Constant<value = int64 {-1}>()
        z = SequenceAt(s, end)
        l = SequenceLength(s)
        """,
        [{"x": floats(6, 3), "sizes": np.array([1, 2, 3])}, {"x": floats(4, 3), "sizes": np.array([2, 1, 1])}],
    ),
    # Paddle gives the elements of an array its name and a number, which once was the name of another array.
    "many_results": Case(
        "float[5, 3] x, int64 n", ", ".join(f"float[a{i}, 3] y{i}" for i in range(13)),
        """
        yes = Constant<value = bool {1}>()
        %s = Loop(n, yes) <body = body (int64 turn, bool go) => (bool keep, %s) { keep = Identity(go) row = Gather(x, turn) %s }>
        """ % (
            ", ".join(f"y{i}" for i in range(13)),
            ", ".join(f"float[3] r{i}" for i in range(13)),
            " ".join(f"c{i} = Constant<value_float = {i}.0>() r{i} = Add(row, c{i})" for i in range(13)),
        ),
        X_AND_N,
    ),
    # Paddle joins no tensors to one: of what no turn has collected.
    "no_turns": Case(
        "float[5, 3] x, int64 n", "float[k, 3] y, float[3] z",
        """
        yes = Constant<value = bool {1}>()
        zero = Constant<value = float[3] {0, 0, 0}>()
        z, y = Loop(n, yes, zero) <body = body (int64 turn, bool go, float[3] a) => (bool keep, float[3] b, float[3] row) {
            keep = Identity(go)
            row = Gather(x, turn)
            b = Add(a, row)
        }>
        """,
        [{"x": floats(5, 3), "n": number(2)}, {"x": floats(5, 3), "n": number(0)}],
        fails={PADDLE_2: "array size should > 0", PADDLE_3: "array size should > 0", JSON: "array size should > 0"},
    ),
    # Paddle 3's If hands on no tensor without elements; that of older programs does.
    "branch_without_elements": Case(
        "float[m, 3] x, bool c", "float[k, 3] y",
        """
        y = If(c) <
            then_branch = then () => (float[a, 3] one) { zero = Constant<value = int64[1] {0}>() one = Slice(x, zero, zero, zero) },
            else_branch = otherwise () => (float[b, 3] two) { two = Add(x, x) }
        >
        """,
        [{"x": floats(5, 3), "c": np.array(False)}, {"x": floats(5, 3), "c": np.array(True)}], fails={JSON: "Tensor holds no memory"},
    ),
    # Indices that are fed have no memory in Paddle 2 if there are none; those that are found have.
    "fed_no_indices": Case(
        "float[5, 3] x, int64[m] i", "float[k, 3] y", "y = Gather(x, i)",
        [{"x": floats(5, 3), "i": np.zeros(2, "int64")}, {"x": floats(5, 3), "i": np.zeros(0, "int64")}], fails={PADDLE_2: "Tensor not initialized yet"},
    ),
    "fed_no_updates": Case(
        "float[5, 3] x, int64[m, 1] i, float[m, 3] u", "float[5, 3] y", "y = ScatterND(x, i, u)",
        [
            {"x": floats(5, 3), "i": np.zeros((1, 1), "int64"), "u": floats(1, 3)},
            {"x": floats(5, 3), "i": np.zeros((0, 1), "int64"), "u": floats(0, 3)},
        ],
        fails={PADDLE_2: "The meta data must be valid"},
    ),
    "found_no_indices": Case(
        "float[5, 3] x, float[5] m", "float[k, 3] y",
        """
        i = NonZero(m)
        axis = Constant<value = int64[1] {0}>()
        j = Squeeze(i, axis)
        y = Gather(x, j)
        """,
        [{"x": floats(5, 3), "m": np.array([1, 0, 1, 0, 1], "float32")}, {"x": floats(5, 3), "m": np.zeros(5, "float32")}],
    ),
    # Paddle 3 takes an ellipsis for one axis, and does not broadcast it; what has known sizes gets letters instead.
    "broadcast_ellipsis": Case(
        "float[6, 2, 3, 4] x, float[m, 2, 4, 5] z", "float[6, 2, 3, 5] y", 'y = Einsum<equation = "...ij,...jk->...ik">(x, z)',
        [{"x": floats(6, 2, 3, 4), "z": floats(6, 2, 4, 5)}, {"x": floats(6, 2, 3, 4), "z": floats(1, 2, 4, 5)}],
        fails={PADDLE_3: "Same label have different shapes", JSON: "Same label have different shapes"},
    ),
    # Corners that are aligned lie at 0 where there is one element.
    "resized_to_one": Case(
        "float[1, 2, 4, 5] x, int64[4] sizes", "float[a, b, c, d] y",
        'y = Resize<mode = "linear", coordinate_transformation_mode = "align_corners">(x, , , sizes)',
        [{"x": floats(1, 2, 4, 5), "sizes": np.array([1, 2, 1, 1])}, {"x": floats(1, 2, 4, 5), "sizes": np.array([1, 2, 3, 1])}],
    ),
    # Paddle 3 merges equal expressions, and loses the name of one output.
    "equal_outputs": Case(
        "float[2, 4] x", "float[2, 4] a, float[2, 4] b, float[2, 4] c, float[2, 1] d, float[2, 1] e",
        """
        a = Relu(x)
        b = Relu(x)
        c = Identity(a)
        d = ReduceMax<axes = [1]>(x)
        e = ReduceMax<axes = [1]>(x)
        """,
        [{"x": floats(2, 4)}],
    ),
    # Paddle 3 merges equal lists of sizes, and then overwrites a size that a slice still reads.
    "shared_bound": Case(
        "float[k, 3] x", "float[a, 3] y, float[b, 3] z",
        """
        sizes = Shape(x)
        zero = Constant<value = int64[1] {0}>()
        two = Constant<value = int64[1] {2}>()
        one = Constant<value = int64[1] {1}>()
        four = Constant<value = int64[1] {4}>()
        rows = Slice(sizes, zero, one)
        n = Div(rows, four)
        y = Slice(x, zero, n, zero)
        more = Mul(n, two)
        z = Slice(x, n, more, zero)
        """,
        [{"x": floats(8, 3)}, {"x": floats(12, 3)}],
    ),
    # Paddle 3's If cannot return a tensor without elements.
    "branch_without_elements": Case(
        "float[n, 4] x, bool c", "int64[k] y",
        """
        y = If(c) <
            then_branch = then () => (int64[k] none) { none = Constant<value = int64[0] {}>() },
            else_branch = otherwise () => (int64[k] rows) {
                all = NonZero(x)
                first = Constant<value = int64 {0}>()
                rows = Gather(all, first)
            }
        >
        """,
        [{"x": floats(2, 4), "c": np.array(False)}, {"x": floats(2, 4), "c": np.array(True)}],
        fails={JSON: "Tensor holds no memory"},
    ),
    "taken_out": Case(
        "float[5, 3] x, int64 n", "float[k, 3] y",
        """
        s = SequenceConstruct(x, x, x, x, x)
        t = Loop(n, , s) <body = body (int64 turn, bool go, seq(float[5, 3]) s1) => (bool keep, seq(float[5, 3]) less) {
            keep = Identity(go)
            less = SequenceErase(s1)
        }>
        y = ConcatFromSequence<axis = 0>(t)
        """,
        X_AND_N, refused="a dynamic sequence is changed other than at its end",
    ),
    "put_first": Case(
        "float[5, 3] x, int64 n", "float[k, 3] y",
        """
        none = SequenceEmpty()
        zero = Constant<value = int64 {0}>()
        all = Loop(n, , none) <body = body (int64 turn, bool go, seq(float[3]) s) => (bool keep, seq(float[3]) more) {
            keep = Identity(go)
            row = Gather(x, turn)
            more = SequenceInsert(s, row, zero)
        }>
        y = ConcatFromSequence<axis = 0, new_axis = 1>(all)
        """,
        X_AND_N, refused="a dynamic sequence is changed other than at its end",
    ),
}


def model_of(case: Case) -> onnx.ModelProto:
    text = f'<ir_version: 8, opset_import: ["" : {case.opset}]> g ({case.inputs}) => ({case.outputs}) {{ {case.nodes} }}'
    model = onnx.parser.parse_model(text)
    onnx.checker.check_model(model)
    return model


def check(name: str, case: Case, options: argparse.Namespace, runner: PaddleProcess, folder: Path) -> str:
    """What is wrong; "" if nothing is."""
    model = model_of(case)
    there, back = folder / f"{name}.onnx", folder / f"{name}.{options.format}"
    onnx.save(model, str(there))
    done = subprocess.run([options.fluid2onnx, "convert", there, "-o", back], capture_output=True, text=True)
    refused = case.refused or (case.refused_in_json if options.format == "json" else "")
    if done.returncode != 0:
        message = " ".join(done.stderr.split())
        return "" if refused and refused in message else f"refused: {message}"
    if refused:
        return f"is converted, and should be refused: {refused}"
    session = onnxruntime.InferenceSession(str(there), providers=["CPUExecutionProvider"])
    fails = case.fails.get(JSON if options.format == "json" else PADDLE_3 if options.paddle3 else PADDLE_2, "")
    failed = False
    for number, feeds in enumerate(case.feeds, 1):
        wanted = session.run(None, feeds)
        try:
            got = runner.run(back, [feeds[port.name] for port in session.get_inputs()])
        except PaddleError as error:
            if not fails or fails not in str(error):
                return f"feed {number}: {error}"
            failed = True
            continue
        if failed:
            return f"feed {number} runs behind one that fails"
        if len(got) != len(wanted):
            return f"{len(got)} outputs, expected {len(wanted)}"
        for port, a, b in zip(session.get_outputs(), wanted, got):
            a = np.asarray(a)
            if a.shape != b.shape or a.dtype != b.dtype or not np.allclose(a, b, rtol=1e-5, atol=1e-6):
                return f"{port.name} is {b.dtype}{list(b.shape)} {b.ravel()[:6]}, expected {a.dtype}{list(a.shape)} {a.ravel()[:6]}"
    return f"runs, and should fail: {fails}" if fails and not failed else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fluid2onnx", metavar="FILE", help="the converter (default: as the Python package finds it)")
    parser.add_argument("--paddle3", metavar="PYTHON", help="run the programs by this Python's Paddle 3 (default: this one's Paddle 2)")
    parser.add_argument("--format", choices=["pdmodel", "json"], default="pdmodel", help="json: Paddle 3's own format; needs --paddle3")
    parser.add_argument("--only", metavar="NAME", action="append", default=[], help="only these models, or patterns of them (repeatable)")
    options = parser.parse_args()
    if options.format == "json" and not options.paddle3:
        parser.error("--format json needs --paddle3")
    options.fluid2onnx = executable.use(options.fluid2onnx)
    runner = PaddleProcess(options.paddle3, 120)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="graphs-") as folder:
        names = [name for name in CASES if not options.only or any(fnmatch.fnmatchcase(name, one) for one in options.only)]
        for name in names:
            wrong = check(name, CASES[name], options, runner, Path(folder))
            failed += bool(wrong)
            if wrong:
                print(f"{name}: {wrong}")
    runner.close()
    print(f"{len(names) - failed} of {len(names)} models give what they should")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())

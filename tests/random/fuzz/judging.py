"""One case through everything: Paddle, the converter at a few opsets, the checker, ONNX Runtime with and without optimisation."""
import json
import math
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence

import numpy as np

from fluid2onnx import onnx_model
from fluid2onnx.compare import Tolerance, compare_all
from fluid2onnx.errors import ModelError
from harness import judge
from harness.batch import Batch, Reply
from harness.cases import Case, Reference
from harness.operands import draw

from .cases import OPERATOR, RandomCase, choose_opsets, references
from .doubt import SAME, Compute, Doubt

# Classes of outcomes. Of a conversion:
AGREE, NOISE, REFUSED, KNOWN, UNDEFINED = "agree", "noise", "refused", "known", "undefined"
UNREASONED, CHECK, DECLARED, LOAD, RUN, DTYPE, SHAPE, VALUE = "unreasoned", "check", "declared", "load", "run", "dtype", "shape", "value"
OPTIMISER, UNOPTIMISED = "optimiser", "unoptimised"
FAILURES = (UNREASONED, CHECK, DECLARED, LOAD, RUN, DTYPE, SHAPE, VALUE, OPTIMISER, UNOPTIMISED)
# Of a whole case, which is not converted then:
REJECTED = "rejected"

# The stage in which a crash is Paddle's.
PADDLE = "paddle"

# What the numbers of a case may be: any, or ordinary ones only. Those are finite, also what Paddle makes of them, and the operands'
# floats that are not 0 are of such a magnitude.
ANY, ORDINARY = "any", "ordinary"
MAGNITUDES = (1e-6, 1e3)

# Refusals that are internal errors.
_UNREASONED_CODES = {"", "E_CHECK", "E_CONSTANT_DTYPE", "E_INTERNAL", "E_SHAPE", "CRASH", "TIMEOUT", "E_BAD_PROGRAM", "E_TOO_LARGE"}


@dataclass(frozen=True)
class Met:
    """What there is in a tensor, or in some of them."""

    nan: bool = False
    infinite: bool = False
    empty: bool = False
    ties: bool = False  # equal numbers in one tensor
    poles: bool = False  # a float that is 0 or a negative integer
    least: float = math.inf  # of the floats
    apart: float = 0.0  # the distance between two floats of one tensor
    largest: float = 0.0  # magnitude of the floats, infinity among them

    @staticmethod
    def of(array: np.ndarray) -> "Met":
        """What there is in one tensor."""
        ties = bool(np.unique(array).size < array.size)
        if array.dtype.kind == "c":
            array = onnx_model.parts(array)
        floats = array[array == array].astype(np.float64) if array.dtype.kind == "f" else np.zeros(0)
        if not floats.size:
            return Met(nan=array.dtype.kind == "f" and array.size > 0, empty=array.size == 0, ties=ties)
        least, most = float(floats.min()), float(floats.max())
        return Met(
            nan=floats.size < array.size,
            infinite=math.isinf(least) or math.isinf(most),
            ties=ties,
            poles=bool(((floats <= 0) & (floats == np.floor(floats))).any()),
            least=least,
            apart=most - least if most > least else 0.0,
            largest=max(abs(least), abs(most)),
        )

    @staticmethod
    def among(every: Iterable["Met"]) -> "Met":
        """What there is in one of them at least."""
        every = list(every)
        return Met(
            nan=any(met.nan for met in every),
            infinite=any(met.infinite for met in every),
            empty=any(met.empty for met in every),
            ties=any(met.ties for met in every),
            poles=any(met.poles for met in every),
            least=min((met.least for met in every), default=math.inf),
            apart=max((met.apart for met in every), default=0.0),
            largest=max((met.largest for met in every), default=0.0),
        )


@dataclass
class Outcome:
    """What became of a case at one opset; at opset 0, of the case itself."""

    opset: int
    kind: str
    detail: str = ""
    op: str = ""  # the refused operator, if the converter reports it
    share: float = math.inf  # of other values: the largest difference by the largest number of its output
    numberless: bool = False  # of other values: where they differ, one is NaN and one infinite
    met: Dict[str, Met] = field(default_factory=dict)  # of failures: by the names of operands, and of what calls give
    given: Met = field(default_factory=Met)  # of failures: in what Paddle gives
    ordinary: bool = False  # the numbers of the case, see ORDINARY

    @property
    def failed(self) -> bool:
        return self.kind in FAILURES

    @property
    def signature(self) -> str:
        """Equal for outcomes that probably have one cause."""
        return f"{self.kind}: {normal(self.detail)[:90]}"


def normal(message: str) -> str:
    """A message without what is a case's own: numbers, names, places."""
    message = re.sub(r"^block \d+, op \d+ ", "", message)
    message = re.sub(r" \([\w./-]+\.py:\d+ in \w+\)", "", message)
    message = re.sub(r"'[\w./@-]*(result|tmp|x\d|c\d)[\w./@-]*'", "'_'", message)
    return re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", "N", message)


@dataclass
class Tools:
    """What a worker keeps from case to case. `compute` saves and runs a program; `newest` is the last opset that is run."""

    batch: Batch
    compute: Compute
    newest: int = judge.RUNTIME_OPSET
    opsets: int = 3
    values: str = ANY
    stage: Callable[[Any], None] = print  # called before something that may crash: PADDLE, or the opset
    folder: "tempfile.TemporaryDirectory[str]" = field(default_factory=lambda: tempfile.TemporaryDirectory(prefix="random-"))


def examine(tools: Tools, case: RandomCase, opsets: Optional[Sequence[int]] = None) -> List[Outcome]:
    """Everything about a case."""
    folder = Path(tools.folder.name) / "model"
    _empty(folder)
    tools.stage(PADDLE)
    try:
        reference = tools.compute(case, folder, SAME)
    except ModelError as error:
        return [Outcome(0, REJECTED, str(error))]
    floats = [array for array in reference.outputs if array.dtype.kind in "fc" and array.size]
    if floats and not any(np.isfinite(array).any() for array in floats):
        return [Outcome(0, REJECTED, "nothing but NaN and infinity comes out")]
    ordinary = all(_within(array, *MAGNITUDES) for array in _operands(case).values()) and all(np.isfinite(array).all() for array in floats)
    if tools.values == ORDINARY and not ordinary:
        return [Outcome(0, REJECTED, "numbers that are not ordinary")]
    examination = _Examination(tools, case, reference)
    for opset in opsets or choose_opsets(case, tools.opsets, tools.newest):
        examination.at(opset)
    examination.excuse()
    for outcome in examination.outcomes.values():
        outcome.ordinary = ordinary
    return [examination.outcomes[opset] for opset in sorted(examination.outcomes)]


def _empty(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()


class _Examination:
    def __init__(self, tools: Tools, case: RandomCase, reference: Reference):
        self._tools, self._case, self._reference = tools, case, reference
        self._tolerance = Case(case.example()).tolerance if case.kind == OPERATOR else Tolerance()
        self._doubt: Optional[Doubt] = None
        self._path = ""  # of the model that is judged
        self.outcomes: Dict[int, Outcome] = {}

    def at(self, opset: int, named: bool = False) -> None:
        """`named`: an earlier refusal names this opset."""
        if opset in self.outcomes:
            return
        path = os.path.join(self._tools.folder.name, "model.onnx")
        judge.remove(path)
        self._tools.stage(opset)
        options = {"lod": "lengths"} if any(self._reference.output_lod) else {}
        reply = self._tools.batch.convert(self._reference.model, self._reference.params, path, opset, **options)
        if reply.ok:
            self._path = path
            outcome = self._judge(path, opset)
            outcome.opset = opset
            self.outcomes[opset] = outcome
            return
        self.outcomes[opset] = _refusal(reply, opset, named)
        lowest = reply.lowest_opset
        if lowest is not None and lowest <= self._tools.newest and not named:
            self.at(lowest, named=True)

    def _judge(self, path: str, opset: int) -> Outcome:
        if not os.path.exists(path):
            return Outcome(opset, UNREASONED, "reported success, but wrote no file")
        problem = judge.check(path, opset)
        if problem:
            return Outcome(opset, CHECK, problem)
        ports = judge.declared_ports(path)
        plain = self._run(path, opset, ports, optimize=False)
        optimised = self._run(path, opset, ports, optimize=True)
        if optimised.failed and plain.failed:
            return optimised if optimised.kind != plain.kind else plain
        if optimised.failed:
            return Outcome(opset, OPTIMISER, f"{optimised.kind}: {optimised.detail}", share=optimised.share, numberless=optimised.numberless)
        if plain.failed:
            return Outcome(opset, UNOPTIMISED, f"{plain.kind}: {plain.detail}", share=plain.share, numberless=plain.numberless)
        return optimised

    def _run(self, path: str, opset: int, ports: Any, optimize: bool) -> Outcome:
        try:
            session = onnx_model.session(path, optimize=optimize)
        except ModelError as error:
            return Outcome(opset, LOAD, str(error).replace(path, "model"))
        try:
            feeds = onnx_model.match_inputs([node.name for node in session.get_inputs()], self._reference.inputs, self._reference.lod)
            got = onnx_model.run(session, feeds)
        except ModelError as error:
            return Outcome(opset, RUN, str(error))
        # Lengths of sequences come behind what Paddle gives, as outputs of their own.
        own = [index for index, port in enumerate(ports[1]) if len(got) == len(self._reference.names) or not onnx_model.are_lengths(port.name)]
        lengths = {port.name: got[index] for index, port in enumerate(ports[1]) if index not in own}
        ports = (ports[0], [ports[1][index] for index in own])
        problem = judge.compare_lengths(lengths, [port.name for port in ports[1]], self._reference.lod, self._reference.output_lod)
        if problem:
            return Outcome(opset, VALUE, problem)
        return self._compare(ports, feeds, [np.asarray(got[index]) for index in own], opset)

    def _compare(self, ports: Any, feeds: Dict[str, np.ndarray], got: List[np.ndarray], opset: int) -> Outcome:
        wanted = self._reference.outputs
        differences, problem = compare_all(self._reference.names, got, wanted, self._tolerance)
        if problem:
            verdicts = {difference.verdict for difference in differences}
            kind = DTYPE if "dtype" in verdicts else SHAPE if "shape" in verdicts or not differences else VALUE
            if kind == DTYPE or not self._explained(got):
                if kind != VALUE:
                    return Outcome(opset, kind, problem)
                return Outcome(opset, kind, problem, share=_share(got, wanted), numberless=_numberless(got, wanted, self._tolerance))
        problem = judge.broken_promise(ports, feeds, got)
        if problem:
            return Outcome(opset, DECLARED, problem)
        return Outcome(opset, NOISE if self._doubt is not None else AGREE)

    def excuse(self) -> None:
        """Where Paddle's own answer is whatever the memory held, nothing that was found counts."""
        failed = [outcome for outcome in self.outcomes.values() if outcome.failed]
        if failed and self._ask_again().unstable:
            for outcome in failed:
                outcome.kind = UNDEFINED
        met = self._meets() if failed else {}
        for outcome in failed:
            outcome.met = met
            outcome.given = Met.among(map(Met.of, map(np.asarray, self._reference.outputs)))

    def _meets(self) -> Dict[str, Met]:
        found = {name: Met.of(array) for name, array in _operands(self._case).items()}
        if self._case.kind == OPERATOR:
            return found
        data = self._case.data
        names = sorted({call["name"] for call in data["calls"]} | {name for name in references(data["calls"]) if name not in found})
        self._tools.stage(PADDLE)
        try:
            every = self._tools.compute(self._case.with_data({**data, "fetch": names}), Path(self._tools.folder.name) / "doubt", SAME)
        except ModelError:
            return found
        return {**found, **{name: Met.of(np.asarray(array)) for name, array in zip(names, every.outputs)}}

    def _ask_again(self) -> Doubt:
        if self._doubt is None:
            folder = Path(self._tools.folder.name) / "doubt"
            folder.mkdir(exist_ok=True)
            self._tools.stage(PADDLE)
            self._doubt = Doubt(self._tools.compute, self._case, self._reference, folder)
        return self._doubt

    def _explained(self, got: List[np.ndarray]) -> bool:
        doubt = self._ask_again()
        limits = [self._tolerance.of(np.asarray(want)) for want in self._reference.outputs]
        rtol, atol = max(limit[0] for limit in limits), max(limit[1] for limit in limits)
        return doubt.explains(got, rtol, atol) or _casts_to_float32(self._path) and doubt.explains(got, rtol, atol, coarse=True)


def _casts_to_float32(path: str) -> bool:
    """Whether float64 becomes float32 somewhere in a model, as it does where ONNX Runtime has no kernel for it."""
    import onnx  # not there beside Paddle 3
    import onnx.shape_inference

    model = onnx.shape_inference.infer_shapes(onnx.load(path))
    wide = set(_doubles(model.graph))
    casts = (node for node in _nodes(model.graph) if node.op_type == "Cast" and node.input[0] in wide)
    return any(attribute.name == "to" and attribute.i == onnx.TensorProto.FLOAT for node in casts for attribute in node.attribute)


def _doubles(graph: Any) -> Iterator[str]:
    """The names of what is float64, also within the graphs of nodes."""
    double = 11  # TensorProto.DOUBLE
    yield from (value.name for value in (*graph.input, *graph.value_info, *graph.output) if value.type.tensor_type.elem_type == double)
    yield from (tensor.name for tensor in graph.initializer if tensor.data_type == double)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _doubles(attribute.g)


def _nodes(graph: Any) -> Iterator[Any]:
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _nodes(attribute.g)


def _operands(case: RandomCase) -> Dict[str, np.ndarray]:
    if case.kind != OPERATOR:
        return {operand["name"]: draw(operand, case.name) for operand in case.data["inputs"]}
    name = Case(case.example()).name
    return {operand["name"]: draw(operand, name) for operands in case.data["inputs"].values() for operand in operands}


def _within(array: np.ndarray, low: float, high: float) -> bool:
    """Whether its floats are 0 or of such a magnitude."""
    if array.dtype.kind not in "fc":
        return True
    magnitudes = np.abs(onnx_model.parts(array).astype(np.float64))
    return bool(((magnitudes == 0) | (magnitudes >= low) & (magnitudes <= high)).all())


def _share(got: Sequence[np.ndarray], wanted: Sequence[np.ndarray]) -> float:
    worst_share = 0.0
    for a, b in zip(got, (onnx_model.parts(np.asarray(item)) for item in wanted)):
        if b.size and b.dtype.kind in "biuf":
            with np.errstate(all="ignore"):
                share = float(np.max(np.abs(a.astype(np.float64) - b.astype(np.float64))) / np.max(np.abs(b.astype(np.float64))))
            worst_share = max(worst_share, math.inf if math.isnan(share) else share)
    return worst_share


def _numberless(got: Sequence[np.ndarray], wanted: Sequence[np.ndarray], tolerance: Tolerance) -> bool:
    for a, want in zip(got, wanted):
        b = onnx_model.parts(np.asarray(want))
        if b.dtype.kind not in "biuf" or a.shape != b.shape:
            return False
        rtol, atol = tolerance.of(np.asarray(want))
        with np.errstate(all="ignore"):
            close = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
        if not (close | (np.isnan(a) & np.isinf(b)) | (np.isinf(a) & np.isnan(b))).all():
            return False
    return True


def _refusal(reply: Reply, opset: int, named: bool) -> Outcome:
    refusal = f"{reply.message} [{reply.code}]"
    ops = (reply.raw or {}).get("ops") or {}
    op = next(iter(ops), "")
    if named:
        return Outcome(opset, UNREASONED, f"a refusal names this opset, at which it is refused: {refusal}", op)
    return Outcome(opset, UNREASONED if reply.code in _UNREASONED_CODES else REFUSED, refusal, op)


def worst(outcomes: Sequence[Outcome]) -> Optional[Outcome]:
    """The first failure."""
    return next((outcome for outcome in outcomes if outcome.failed), None)

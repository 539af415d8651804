"""One example through everything: reference, conversion at every opset, judgement of every distinct rendering."""
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, FrozenSet, List, Optional, Sequence

from fluid2onnx import executable
from fluid2onnx.errors import ModelError

from . import ROOT, judge
from .batch import Batch, Reply
from .cases import Case, Reference, load_reference, load_rejection, save_rejection
from .operands import OperandError
from .paddle_3 import Paddle3
from .pool import Emit, Stage
from .program_runner import PaddleProcess

PASSED, REFUSED, FAILED, SKIPPED, REJECTED = "passed", "refused", "failed", "skipped", "rejected"

# Codes of refusals that are not about a dtype by design: a recipe that happens not to be for it.
_UNREASONED = ("E_BAD_PROGRAM", "E_CHECK", "E_CONSTANT_DTYPE", "E_INTERNAL", "E_NO_VARIANT")


@dataclass
class Check:
    """The verdict for one rendering, over the opsets that share it. Without opsets it is about the whole case."""

    opsets: List[int]
    status: str
    reason: str = ""
    ran: bool = True
    gap: str = ""  # why it was not run: an operator that onnx.reference lacks
    lines: str = ""  # of the spec, where the conversion failed


@dataclass
class Task:
    """A case to verify; `skip` are opsets whose verdict is known from an earlier try that crashed."""

    case: Case
    folder: Path
    opsets: Sequence[int] = field(default_factory=executable.opsets)
    skip: FrozenSet[int] = frozenset()
    keep: Optional[str] = None


@dataclass
class Tools:
    """What a worker keeps from task to task."""

    batch: Batch
    can_make_references: bool
    paddle_3: Optional[Paddle3] = None
    paddle_3_programs: Optional[PaddleProcess] = None  # runs what examples of ONNX's operators become
    request: Dict[str, str] = field(default_factory=dict)  # members of each request
    folder: "tempfile.TemporaryDirectory[str]" = field(default_factory=lambda: tempfile.TemporaryDirectory(prefix="conformance-"))


def verify(tools: Tools, task: Task, emit: Emit) -> None:
    """Emits a `Check` for every rendering."""
    emit(Stage(None))
    rejection = load_rejection(task.folder)
    if rejection is not None:
        emit(Check([], REJECTED, rejection))
        return
    try:
        reference = _reference(tools, task)
    except (ModelError, OperandError) as error:
        emit(no_reference(task, str(error)))
        return
    if reference is None:
        missing = "Paddle 3" if task.case.of_paddle_3 else "Paddle"
        emit(Check([], SKIPPED, f"{missing} is not installed, and the reference is not in the cache"))
        return
    random = bool(task.case.data.get("random"))
    for name, output in zip(reference.names, reference.outputs):
        if random and output.size < judge.ENOUGH_TO_COMPARE:
            emit(Check([], FAILED, f"{name}: {output.size} random numbers are too few, give {judge.ENOUGH_TO_COMPARE}"))
            return
    paths = {opset: os.path.join(task.keep or tools.folder.name, f"opset{opset}.onnx") for opset in executable.opsets()}
    options = {**tools.request, **reference.request}
    replies: Dict[int, Reply] = {}
    for opset in task.opsets:
        replies[opset] = _convert(tools, reference, paths, opset, **options)
    for opset in [reply.lowest_opset for reply in replies.values()]:
        if opset in paths and opset not in replies:  # not all opsets are run: is what the refusal names true?
            replies[opset] = _convert(tools, reference, paths, opset, **options)
    checks, converted = check_refusals(task.case, replies)
    for check in checks:
        if check.status == FAILED and check.opsets and not replies[check.opsets[0]].ok:
            check.lines = lines_of_spec(tools, task.case, reference, check.opsets[0], **options)
        if not task.skip.issuperset(check.opsets) and set(check.opsets) & set(task.opsets) or not check.opsets:
            emit(check)
    expected = judge.Expected(
        reference.inputs, reference.outputs, reference.names, task.case.tolerance, reference.lod,
        reference.output_lod, random=random,
    )
    groups: Dict[bytes, List[int]] = {}
    for opset in converted:
        if opset in task.opsets and not (tools.request and _is_plain(tools, reference, paths, opset)):
            groups.setdefault(_fingerprint(paths[opset], opset), []).append(opset)
    for opsets in groups.values():
        if not task.skip.issuperset(opsets):
            emit(Stage(opsets))
            emit(_judge(paths, opsets, expected))


def no_reference(task: Task, reason: str) -> Check:
    """The verdict when Paddle cannot run the case. For a variant that is no fault: it need not run."""
    if not task.case.variant:
        return Check([], FAILED, f"no reference: {reason}")
    save_rejection(task.folder, reason)
    return Check([], REJECTED, reason)


def _reference(tools: Tools, task: Task) -> Optional[Reference]:
    reference = load_reference(task.folder)
    if reference is None and task.case.of_paddle_3:
        return tools.paddle_3.make_reference(task.case, task.folder) if tools.paddle_3 else None
    if reference is None and tools.can_make_references:
        from . import oracle

        reference = oracle.make_reference(task.case, task.folder)
    return reference


def _convert(tools: Tools, reference: Reference, paths: Dict[int, str], opset: int, **options: str) -> Reply:
    judge.remove(paths[opset])
    reply = tools.batch.convert(reference.model, reference.params, paths[opset], opset, **options)
    if reply.ok and not os.path.exists(paths[opset]):
        return Reply(False, "CRASH", "reported success, but wrote no file")
    return reply


def _is_plain(tools: Tools, reference: Reference, paths: Dict[int, str], opset: int) -> bool:
    """Whether the further members of the requests change nothing: that file is judged elsewhere."""
    plain = {opset: os.path.join(tools.folder.name, "plain.onnx")}
    return _convert(tools, reference, plain, opset, **reference.request).ok and _fingerprint(plain[opset], opset) == _fingerprint(paths[opset], opset)


def lines_of_spec(tools: Tools, case: Case, reference: Reference, opset: int, **options: str) -> str:
    """The lines of its spec by which an example is refused, as the converter reports them for specs at run time; "" if it
    reports none."""
    spec = ROOT / str(case.data.get("spec"))
    if not spec.is_file():
        return ""
    out = os.path.join(tools.folder.name, "again.onnx")
    reply = tools.batch.convert(reference.model, reference.params, out, opset, specs=[str(spec)], **options)
    judge.remove(out)
    return str(reply.raw.get("spec") or "").replace(f"{ROOT}{os.sep}", "").replace("fluid2onnx:opspecs", "opspecs")


def _fingerprint(path: str, opset: int) -> bytes:
    try:
        return judge.fingerprint(path, opset)
    except Exception:  # not even a protobuf: the judge will say so
        return str(opset).encode()


def _judge(paths: Dict[int, str], opsets: List[int], expected: judge.Expected) -> Check:
    verdict = judge.judge(paths[opsets[0]], opsets[0], expected)
    # The same nodes in the same versions: that the newest opset is accepted, too, is all that can still differ.
    newest = max((opset for opset in opsets[1:] if opset <= judge.RUNTIME_OPSET), default=None)
    if verdict.ok and newest is not None:
        newer = judge.load(paths[newest], newest)
        verdict = newer if not newer.ok else verdict
    if verdict.ok:
        return Check(opsets, PASSED, ran=verdict.ran, gap=verdict.gap)
    return Check(opsets, FAILED, f"{verdict.status}: {verdict.reason}")


def check_refusals(case: Case, replies: Dict[int, Reply]) -> "tuple[List[Check], List[int]]":
    """Judges what the converter refused, and what it should have; returns the opsets that remain to be judged."""
    converted = sorted(opset for opset, reply in replies.items() if reply.ok)
    checks: Dict[Any, Check] = {}

    def note(opset: int, status: str, reason: str) -> None:
        checks.setdefault((status, reason), Check([], status, reason)).opsets.append(opset)

    for opset, reply in sorted(replies.items()):
        if case.refused:
            if reply.ok:
                note(opset, FAILED, f"converted, but has to be refused with {case.refused}")
            elif reply.code != case.refused:
                note(opset, FAILED, f"refused with {_answer(reply)}, not with {case.refused}")
            else:
                note(opset, REFUSED, reply.code)
        elif not reply.ok:
            problem = _problem(reply, opset, converted, case)
            note(opset, FAILED if problem else REFUSED, problem or _answer(reply))
    return list(checks.values()), [] if case.refused else converted


def _problem(reply: Reply, opset: int, converted: List[int], case: Case) -> str:
    """What is wrong with a refusal, or nothing."""
    if reply.broken:
        return reply.message
    if not converted:
        reasoned = case.variant and reply.code not in _UNREASONED
        return "" if reasoned else f"refused at every opset: {_answer(reply)}"
    if case.data.get("opsets") and not case.variant:  # named for the example's own dtypes
        return f"refused, but the example names this opset: {_answer(reply)}"
    higher = [other for other in converted if other > opset]
    named = reply.lowest_opset
    if higher and named != higher[0]:
        return f"the refusal names {f'opset {named}' if named else 'no opset'}, but it converts at {higher[0]}: {_answer(reply)}"
    if not higher and named is not None and named not in converted:
        return f"the refusal names opset {named}, at which it does not convert: {_answer(reply)}"
    if not higher and not case.variant:
        return f"converts up to opset {converted[-1]}, but not here: {_answer(reply)}"
    return ""


def _answer(reply: Reply) -> str:
    return f"{reply.code or 'no code'}: {reply.message}" if reply.message else reply.code or "no code"

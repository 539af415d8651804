"""What a worker does with a task: makes a case by its number, or takes one; judges it; makes a failing one smaller."""
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence

from fluid2onnx.errors import ModelError
from harness.pool import Emit, Stage

from .cases import RandomCase
from .judging import PADDLE, REJECTED, Outcome, Tools, examine, worst


@dataclass
class Task:
    """Either a case (`text`, as `RandomCase.to_json` writes it) or the number of one to be made, of any operator or of `op`."""

    seed: int
    index: int
    text: str = ""
    opsets: Sequence[int] = ()
    shrink: bool = False
    op: str = ""


@dataclass
class Made:
    """The case of a task, before anything is done with it that may crash."""

    text: str


@dataclass
class Judged:
    """All about a case; of one that was made smaller, that of the smallest."""

    text: str
    outcomes: List[Outcome]


@dataclass
class State:
    """Of a worker."""

    tools: Tools
    make: Callable[[int, int, str], RandomCase]


def work(state: State, task: Task, emit: Emit) -> None:
    """Emits a `Made` and `Judged`s."""
    emit(Stage(PADDLE))
    state.tools.stage = lambda stage: emit(Stage(stage))
    try:
        case = RandomCase.from_json(json.loads(task.text)) if task.text else state.make(task.seed, task.index, task.op)
    except ModelError as error:
        emit(Judged("", [Outcome(0, REJECTED, str(error))]))
        return
    emit(Made(case.to_json()))
    outcomes = examine(state.tools, case, task.opsets)
    emit(Judged(case.to_json(), outcomes))
    first = worst(outcomes)
    if task.shrink and first is not None:
        _shrink(state, case, first, emit)


def _shrink(state: State, case: RandomCase, first: Outcome, emit: Emit) -> None:
    from .shrink import shrink

    opsets = [first.opset]

    def still(candidate: RandomCase) -> Optional[Outcome]:
        found = worst(examine(state.tools, candidate, opsets))
        return found if found is not None and found.kind == first.kind else None

    for smaller, outcome in shrink(case, first, still):
        emit(Judged(smaller.to_json(), [outcome]))


def maker(root: Path, examples: Any, only: Sequence[str], kinds: Sequence[str], lod: bool = False) -> Callable[[int, int, str], RandomCase]:
    """A function from (seed, index, operator or nothing) to cases."""
    from . import chains
    from .cases import CALLS, OPERATOR, pick
    from .mutate import Mutator

    mutator = Mutator(root, examples, only, lod)
    names = [name for name in chains.available() if not only or name in only]
    possible: Dict[str, bool] = {OPERATOR: bool(mutator.operators) and OPERATOR in kinds, CALLS: bool(names) and CALLS in kinds}
    choices = [kind for kind, there in possible.items() if there]
    if not choices:
        raise ValueError(f"no operator with examples and no function is called {', '.join(only) or 'anything'}")

    def make(seed: int, index: int, op: str = "") -> RandomCase:
        case = RandomCase({}, seed, index)
        if op or pick(f"{case.name}/kind", choices) == OPERATOR:
            return case.with_data(mutator.make(case.name, op))
        return case.with_data(chains.make(case.generator("case"), case.name, names))

    return make

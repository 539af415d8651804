"""Random calls of Paddle's public functions, each run at once so that the next knows its operands."""
import functools
import random
from typing import Any, Dict, List, Sequence

import paddle

from fluid2onnx.errors import ModelError

from . import programs
from .cases import Data, owner, pick, references
from .context import Context, NotNow, Value
from .functions import MAKERS

TRIES = 4  # for one call
LARGEST = 1 << 14  # elements of a result


def make(rng: random.Random, seed: str, names: Sequence[str]) -> Data:
    """A chain of calls. The first is one of `names`.

    Raises:
        ModelError: Paddle accepts none of the calls that were tried.
    """
    context = Context(rng)
    length = rng.choice((1, 1, 1, 2, 2, 3, 4, 5))
    calls: List[Data] = []
    results: Dict[str, List[Any]] = {}
    paddle.disable_static()
    try:
        for position in range(length):
            item = _one(context, names if not position else available(), results, seed, f"c{position}")
            if item is None:
                break
            calls.append(item)
    finally:
        paddle.enable_static()
    if not calls:
        raise ModelError("Paddle rejects every call that was tried")
    fetch = [name for item in calls for name in _names(item["name"], results) if item is calls[-1] or rng.random() < 0.2]
    read = {owner(name)[0] for name in references(calls)}
    inputs = [operand for operand in context.inputs if operand["name"] in read]
    data = {"inputs": inputs, "calls": calls, "fetch": fetch}
    _choose_sources(data, rng)
    return data


@functools.lru_cache(maxsize=None)
def available() -> List[str]:
    """The functions that this Paddle has."""
    return [name for name in sorted(MAKERS) if programs.exists(name)]


def _one(context: Context, names: Sequence[str], results: Dict[str, List[Any]], seed: str, name: str) -> Any:
    """A call that Paddle accepts, or None."""
    for _ in range(TRIES):
        values, inputs = list(context.values), list(context.inputs)
        try:
            item = context.choice(MAKERS[pick(str(context.rng.random()), names)])(context)
            fresh = [operand for operand in context.inputs if operand["name"] not in results]
            known = dict(results)
            known.update((key, [paddle.to_tensor(array)]) for key, array in programs.values_of({"inputs": fresh}, seed).items())
            got = programs.call(item, known)
            if not got or any(tensor.size > LARGEST for tensor in got):
                raise NotNow
        except Exception:  # Paddle's many types, and combinations that do not exist
            context.values, context.inputs = values, inputs
            continue
        results.update(known)
        results[name] = got
        for label, tensor in zip(_names(name, results), got):
            context.add_result(Value(label, str(tensor.dtype).rpartition(".")[2], tensor.shape))
        return {"name": name, **item}
    return None


def _names(call: str, results: Dict[str, List[Any]]) -> List[str]:
    return [call if len(results[call]) == 1 else f"{call}.{index}" for index in range(len(results[call]))]


def _choose_sources(data: Data, rng: random.Random) -> None:
    """Which inputs are constants of the model, and which sizes it leaves open."""
    style = rng.random()
    constants = rng.choice((0.0, 0.2, 0.5))
    for position, operand in enumerate(data["inputs"]):
        rank = len(operand["shape"])
        if operand["dtype"] in ("int32", "int64") and operand.get("values") is not None:
            operand["const"] = rng.random() < 0.5  # a parameter as a tensor
        elif position:
            operand["const"] = rng.random() < constants and 0 not in operand["shape"]
        if operand.get("const") or not rank or operand.get("values") is not None:
            continue
        if 0 in operand["shape"]:
            operand["dyn"] = [0]  # where there are no rows, their number is dynamic, and nothing else is
        elif style < 0.25:
            operand["dyn"] = list(range(rank))
        elif style < 0.45:
            operand["dyn"] = [0]
        elif style < 0.6:
            operand["dyn"] = [axis for axis in range(rank) if rng.random() < 0.5]

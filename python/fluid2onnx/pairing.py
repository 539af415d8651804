"""Which output of a conversion is which of the program's, and how they compare."""
import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import divergence, engine, onnx_model, roles
from .compare import Difference, Tolerance, compare, compare_all
from .errors import Fluid2OnnxError, ModelError
from .files import PathLike
from .inputs import Inputs
from .validation_result import Run


def cut(loaded: Any, outputs: Sequence[str], model: PathLike, params: Optional[PathLike]) -> Any:
    """The program with these variables as its outputs."""
    return loaded.cut(outputs, places(model, params) if loaded.nameless else None)


def names_of_outputs(loaded: Any, model: PathLike, params: Optional[PathLike]) -> List[str]:
    """As the converter calls them; those of a PIR program have no names in Paddle."""
    if not loaded.nameless:
        return list(loaded.outputs)
    request = {"model": os.fspath(model), **({} if params is None else {"params": os.fspath(params)})}
    try:
        found = [str(entry["name"]) for entry in engine.call("inspect", request)["outputs"]]
    except Fluid2OnnxError:
        return list(loaded.outputs)
    return found if len(found) == len(loaded.outputs) else list(loaded.outputs)


def places(model: PathLike, params: Optional[PathLike]) -> "Dict[str, Tuple[int, int]]":
    """The operator of the main block that writes a variable, and which of its results it is."""
    found: Dict[str, Tuple[int, int]] = {}
    for op in roles.program_ops(model, params):
        for args in op["outputs"].values() if op["block"] == 0 else ():
            found.update((name, divergence.writer_of([op], name)) for name in args)
    return found


def select(loaded: Any, ports: Sequence[str], model: PathLike, params: Optional[PathLike], asked: Sequence[str]) -> "Tuple[List[str], List[str]]":
    """The variables of the program for an ONNX model's outputs, in order, and the notes about them.

    They are those of the same names, within the program where the model was cut, unless `asked` names the outputs;
    outputs of other names are the remaining ones of the program, in its order. Nothing: as the program has them.
    """
    program = list(asked) or names_of_outputs(loaded, model, params)
    own = [name for name in ports if name in program or not onnx_model.are_lengths(name)]
    others = [] if asked else [name for name in own if name not in program]
    within = _within(loaded, others, model, params)
    chosen = matching(program, own, lambda name: name in others and within(name))
    if chosen == program:
        return [], []
    inside = [name for name in chosen if name not in program]
    if inside:
        return chosen, [f"the ONNX model ends within the program, with whose variables it is compared: {', '.join(inside)}"]
    left = [name for name in program if name not in chosen]
    return chosen, [f"outputs of the program that the ONNX model does not have are not compared: {', '.join(left)}"] if left else []


def matching(program: Sequence[str], ports: Sequence[str], within: "Callable[[str], bool]") -> List[str]:
    """A name of the program for each of `ports`; `program` itself where there are too few, or it is open which."""
    free = list(program)
    found: List[Optional[str]] = []
    for port in ports:
        known = port in free or within(port)
        found.append(port if known else None)
        if port in free:
            free.remove(port)
    others = found.count(None)
    if others and others != len(free):
        return list(program)
    return [free.pop(0) if name is None else name for name in found]


def check_inputs(loaded: Any, wanted: Sequence[str], model: PathLike, params: Optional[PathLike]) -> None:
    """Raises ModelError where the ONNX model begins within the program."""
    feeds = [feed.name for feed in loaded.feeds]
    within = _within(loaded, [name for name in wanted if name not in feeds and not onnx_model.are_lengths(name)], model, params)
    for name in wanted:
        if name not in feeds and within(name):
            raise ModelError(
                f"the ONNX model takes '{name}', a variable within the program: Paddle runs a program from its own inputs on "
                f"({', '.join(feeds) or 'none'}), so that what was cut with --inputs cannot be compared"
            )


def _within(loaded: Any, names: Sequence[str], model: PathLike, params: Optional[PathLike]) -> "Callable[[str], bool]":
    """Whether a variable of the program is called so."""
    if not loaded.nameless:
        return loaded.has_tensor  # type: ignore[no-any-return]
    return places(model, params).__contains__ if names else lambda name: False


def session_of_program(session: Any, onnx: PathLike, program: Sequence[str], libraries: Sequence[str]) -> "Tuple[Any, List[str]]":
    """A session of the ONNX model that a program was made of, with the outputs of the program, which may be cut; and what to tell."""
    ports = [item.name for item in session.get_outputs()]
    if set(program) == set(ports):
        return session, []
    with open(onnx, "rb") as file:
        values = divergence.values(file.read())
    if not set(program) <= values | set(ports):
        return session, []
    inside = [name for name in program if name not in ports]
    note = f"the program ends within the ONNX model, with whose values it is compared: {', '.join(inside)}"
    return divergence.session_with_outputs(os.fspath(onnx), program, libraries), [note] if inside else []


def compared(
    session: Any,
    got: Sequence[Any],
    names: Sequence[str],
    want: Sequence[np.ndarray],
    levels: "Sequence[Sequence[Sequence[int]]]",
    inputs: Inputs,
    tolerance: Tolerance,
) -> Run:
    ports = [item.name for item in session.get_outputs()]
    lengths = {name: array for name, array in zip(ports, got) if onnx_model.are_lengths(name) and len(got) > len(want)}
    rows = [(name, array) for name, array in zip(ports, got) if name not in lengths]
    outputs, error = compare_all(_output_names(names, [name for name, _ in rows]), [array for _, array in rows], want, tolerance, ties=True)
    errors = [error] if error else []
    known = [offsets for levels_of in inputs.lod.values() for offsets in levels_of]
    takes_lengths = any(onnx_model.are_lengths(item.name) for item in session.get_inputs())
    for (port, _), levels_of in zip(rows, levels):
        for level, (name, wanted) in enumerate(onnx_model.lengths_of(port, levels_of).items()):
            if name in lengths:
                outputs.append(compare(name, lengths.pop(name), wanted))
                errors += [] if outputs[-1].ok else [outputs[-1].describe()]
            elif takes_lengths and list(levels_of[level]) not in known:
                errors.append(f"{name}: missing, Paddle has {wanted.tolist()}")
    errors += [f"{name}: Paddle has no such sequences" for name in lengths]
    expected = {name: onnx_model.parts(array) for (name, _), array in zip(rows, want)}
    for (port, _), levels_of in zip(rows, levels):
        expected.update((name, array) for name, array in onnx_model.lengths_of(port, levels_of).items() if name in ports)
    tell_empty(outputs)
    return Run(inputs, outputs, "; ".join(errors), expected)


def tell_empty(outputs: Sequence[Difference]) -> None:
    """Outputs without elements agree, but say nothing."""
    for item in outputs:
        if item.ok and not item.size and not item.note:
            item.note = "no elements to compare"


def _output_names(paddle: Sequence[str], onnx: Sequence[str]) -> Sequence[str]:
    """A PIR program has no names for its outputs, but its conversion has."""
    nameless = len(paddle) == len(onnx) and all(name == f"output {index}" for index, name in enumerate(paddle))
    return onnx if nameless else paddle

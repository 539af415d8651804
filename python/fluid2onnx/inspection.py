"""Telling what a model consists of, and which operators can be converted."""
from contextlib import ExitStack
from typing import Any, Dict, List, Mapping, Optional, Sequence

from . import engine
from .files import PathLike, Source, as_file
from .report import Inspection, Operator, read_inspection
from .request import Dims, add, names, paths, shapes


def inspect(
    model: Source,
    *,
    params: Optional[Source] = None,
    opset: Optional[int] = None,
    input_shapes: Optional[Mapping[str, Dims]] = None,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    specs: Sequence[PathLike] = (),
) -> Inspection:
    """Lists the contents of a model, and the operators that cannot be converted. The arguments are those of `convert`.

    Raises:
        ConversionError: the model cannot be read, or does not have these inputs or outputs.
        MissingPackageError: neither the wheel's module nor the executable is installed.
    """
    request: Dict[str, Any] = {}
    add(request, opset=opset and int(opset), input_shapes=shapes(input_shapes))
    add(request, inputs=names(inputs), outputs=names(outputs), specs=paths(specs))
    with ExitStack() as stack:
        request["model"] = stack.enter_context(as_file(model))
        if params is not None:
            request["params"] = stack.enter_context(as_file(params))
        return read_inspection(engine.call("inspect", request))


def operators() -> List[Operator]:
    """The operators that can be converted."""
    return [Operator(entry["op"], entry["lowest_opset"], entry["doc"], entry["spec"]) for entry in engine.call("operators", {})]

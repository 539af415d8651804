"""Real Paddle as the oracle: a program of one operator, saved and run. Importing this module imports Paddle.

The program is written here rather than by paddle.static.save_inference_model, which puts a `scale` behind every output:
what is tested would then be two operators, and those dtypes only that `scale` has.
"""
import itertools
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import paddle
from paddle.base import core
from paddle.base.framework import OpProtoHolder
from paddle.base.proto import framework_pb2

from fluid2onnx import paddle_model
from fluid2onnx.errors import ModelError

from .cases import Case, Reference
from .operands import OperandError, draw
from .static_program import StaticProgram

VERSION = paddle.__version__


def make_reference(case: Case, folder: Path) -> Reference:
    """Builds, saves and runs the program of an example, and keeps what it gives.

    Raises:
        ModelError: Paddle rejects the operator. (It may also crash the process.)
    """
    result = compute(case, folder)
    floats = [array for array in result.outputs if array.dtype.kind in "fc" and array.size]
    if floats and not any(np.isfinite(array).any() for array in floats):
        raise ModelError("the outputs are NaN or infinite throughout, which proves nothing; give the operands a range")
    result.save()
    return result


def compute(case: Case, folder: Path, values: Optional[Mapping[str, np.ndarray]] = None) -> Reference:
    """As `make_reference`, but only the program is kept. `values` are of operands, by name; the others' are drawn.

    Raises:
        ModelError: Paddle rejects the operator.
    """
    folder.mkdir(parents=True, exist_ok=True)
    builder = _Builder(case, values)
    outputs: List[np.ndarray] = []
    levels: List[Any] = []
    try:
        if case.data.get("reference"):
            outputs, levels = _run_substitute(case)
        builder.build(outputs)
        builder.save(folder)
    except (ModelError, OperandError):
        raise
    except Exception as error:  # Paddle's many types
        raise ModelError(f"Paddle rejects the operator: {paddle_model.essence(error)}") from error
    if not case.refused and not outputs:
        outputs, levels = paddle_model.load(folder / "model.pdmodel").run_with_lod(builder.inputs, builder.lod)
    return Reference(folder, builder.inputs, outputs, builder.fetches if outputs else [], builder.lod, levels)


def _run_substitute(case: Case) -> "Tuple[List[np.ndarray], List[Any]]":
    """Paddle no longer has the operator: runs the reference of the example."""
    substitute = _Builder(case)
    substitute.build_reference()
    with tempfile.TemporaryDirectory(prefix="fluid2onnx-") as folder:
        substitute.save(Path(folder))
        return paddle_model.load(Path(folder) / "model.pdmodel").run_with_lod(substitute.inputs, substitute.lod)


class _Builder(StaticProgram):
    def __init__(self, case: Case, values: Optional[Mapping[str, np.ndarray]] = None):
        super().__init__()
        self._case = case
        self._data = case.data
        self._values = values or {}
        self._vars: Dict[str, Any] = {}

    def build(self, results: Sequence[np.ndarray]) -> None:
        """A program of the example's own operator. `results` are those of its substitute, if it has one."""
        data = self._data
        inputs = self._operands()
        outputs = {slot: [f"{slot}.result{i}" for i in range(count)] for slot, count in data["outputs"].items()}
        slots = data.get("compare") or list(data["outputs"])
        fetched = [name for slot in slots for name in outputs[slot]]
        attrs = data.get("attrs") or {}
        known = data["op"] in core.get_all_op_names() and not (results and _newer_attrs(data["op"], attrs))
        if known and not self._case.refused and (not results or data["op"] in core._get_all_register_op_kernels("all")):
            self._append(data["op"], inputs, outputs, attrs)
        elif results or self._case.refused:  # Paddle may refuse it as well
            arrays = dict(zip(fetched, results))
            for name in itertools.chain.from_iterable(outputs.values()):
                array = arrays.get(name, np.zeros((), np.float32))
                self.block.create_var(name=name, dtype=str(array.dtype), shape=list(array.shape))
            self.foreign = _op_desc(data["op"], inputs, outputs, attrs)
        else:
            raise ModelError(f"Paddle {VERSION} has no operator '{data['op']}', and the example gives no reference")
        self.fetch(fetched)

    def build_reference(self) -> None:
        """A program of the operators in the example's `reference`.

        A list of {"op", "in": {slot: name or names}, "out": {slot: name or names}, "attrs": {name: value}}. A name is
        that of an operand's slot (SLOT.INDEX in a list), of an earlier result, or, for the results that are compared,
        that of an output's slot (SLOT.INDEX in a list).
        """
        known: Dict[str, Any] = {}
        for slot, variables in self._operands().items():
            for index, variable in enumerate(variables):
                known[f"{slot}.{index}"] = known[variable.name] = variable
            if variables:
                known[slot] = variables[0]
        for step in self._data["reference"]:
            inputs = {slot: [known[name] for name in _as_list(names)] for slot, names in _either(step, "in", "inputs").items()}
            outputs = {slot: _as_list(names) for slot, names in _either(step, "out", "outputs").items()}
            # A result may be named like an operand of the same program: X and Out = X, step by step.
            fresh = {slot: [f"{name}@{len(self.block.ops)}" for name in names] for slot, names in outputs.items()}
            self._append(step["op"], inputs, fresh, step.get("attrs") or {})
            for slot, names in outputs.items():
                known.update(zip(names, (self.block.var(name) for name in fresh[slot])))
        fetched = []
        for slot in self._data.get("compare") or list(self._data["outputs"]):
            for index in range(self._data["outputs"][slot]):
                name = f"{slot}.{index}"
                fetched.append(known[name if name in known else slot].name)
        self.fetch(fetched)

    def _operands(self) -> Dict[str, List[Any]]:
        constant = set(self._data.get("const") or ())
        return {
            slot: [self._operand(slot, operand, slot in constant) for operand in operands]
            for slot, operands in self._data["inputs"].items()
        }

    def _operand(self, slot: str, operand: Dict[str, Any], constant: bool) -> Any:
        name, dtype = str(operand["name"]), str(operand["dtype"])
        if name in self._vars:  # the same operand twice
            return self._vars[name]
        array = self._values[name] if name in self._values else draw(operand, self._case.name)
        if constant:
            variable = self.parameter(name, array, dtype)
        else:
            variable = self.feed(name, array, dtype, self._dims(slot, list(array.shape)), operand.get("lod"))
        self._vars[name] = variable
        return variable

    def _dims(self, slot: str, shape: List[int]) -> List[int]:
        dyn = self._data.get("dyn") or {}
        if dyn == "all":
            return [-1] * len(shape)
        for axis in dyn.get(slot, ()):
            shape[axis] = -1
        return shape

    def _append(self, op: str, inputs: Dict[str, List[Any]], outputs: Dict[str, List[str]], attrs: Dict[str, Any]) -> None:
        proto = OpProtoHolder.instance().get_op_proto(op)
        slots = {slot.name for slot in proto.inputs}
        values = {name: _attribute(attribute) for name, attribute in attrs.items()}
        operands = {}
        for slot, variables in inputs.items():
            if slot in slots:
                operands[slot] = variables
            else:  # an attribute that a tensor gives
                values[slot] = variables[0] if len(variables) == 1 else variables
        first = next((variable for variables in operands.values() for variable in variables), None)
        dtype = first.dtype if first is not None else "float32"
        required = {slot.name: [f"{slot.name}@{len(self.block.ops)}"] for slot in proto.outputs if not slot.dispensable}
        results = {
            slot: [self.block.create_var(name=name, dtype=dtype) for name in names]
            for slot, names in {**required, **outputs}.items()
        }
        for slot, operand in _UPDATED.get(op, {}).items():
            results[slot] = operands[operand]
        # An example has them all, a step of a reference only those that matter.
        for name, value in core.get_op_attrs_default_value(op.encode()).items():
            values.setdefault(name, value)
        self.block.append_op(type=op, inputs=operands, outputs=results, attrs={k: v for k, v in values.items() if v is not None})


def _either(step: Dict[str, Any], short: str, long: str) -> Dict[str, Any]:
    return step.get(short) or step.get(long) or {}


def _as_list(names: Any) -> List[Any]:
    return list(names) if isinstance(names, (list, tuple)) else [names]


_ATTRIBUTES = {
    "bool": bool,
    "int": int,
    "long": int,
    "float": float,
    "float64": float,
    "double": float,
    "string": str,
    "bools": lambda values: [bool(value) for value in values],
    "ints": lambda values: [int(value) for value in values],
    "longs": lambda values: [int(value) for value in values],
    "floats": lambda values: [float(value) for value in values],
    "doubles": lambda values: [float(value) for value in values],
    "strings": lambda values: [str(value) for value in values],
}


def _attribute(attribute: Any) -> Any:
    """A value in the Python type that Paddle wants; scalars keep theirs."""
    if not isinstance(attribute, dict) or "type" not in attribute:
        return attribute
    value: Any = attribute["value"]
    if value is None:
        return None
    convert: Optional[Any] = _ATTRIBUTES.get(attribute["type"])
    return convert(value) if convert else value


# Outputs that Paddle wants to be an operand, which the operator updates in training.
_UPDATED = {"batch_norm": {"MeanOut": "Mean", "VarianceOut": "Variance"}}

# The member of an attribute's protobuf that holds a value, and its AttrType.
_MEMBERS = {
    "bool": ("b", "BOOLEAN"),
    "int": ("i", "INT"),
    "long": ("l", "LONG"),
    "float": ("f", "FLOAT"),
    "float64": ("float64", "FLOAT64"),
    "string": ("s", "STRING"),
    "bools": ("bools", "BOOLEANS"),
    "ints": ("ints", "INTS"),
    "longs": ("longs", "LONGS"),
    "floats": ("floats", "FLOATS"),
    "strings": ("strings", "STRINGS"),
}


def _newer_attrs(op: str, attrs: Dict[str, Any]) -> bool:
    """Whether there are attributes that only a newer Paddle's operator has; without a reference they change nothing."""
    return not set(attrs) <= {attr.name for attr in OpProtoHolder.instance().get_op_proto(op).attrs}


def _set_scalar(scalar: Any, number: Any) -> None:
    if isinstance(number, bool):
        scalar.type, scalar.b = framework_pb2.Scalar.BOOLEAN, number
    elif isinstance(number, int):
        scalar.type, scalar.i = framework_pb2.Scalar.LONG, number
    else:
        scalar.type, scalar.r = framework_pb2.Scalar.FLOAT64, float(number)


def _op_desc(op: str, inputs: Dict[str, List[Any]], outputs: Dict[str, List[str]], attrs: Dict[str, Any]) -> Any:
    """An operator as stored in a file, for those that Paddle's interface refuses to create."""
    desc = framework_pb2.OpDesc(type=op)
    for slot, variables in inputs.items():
        desc.inputs.add(parameter=slot, arguments=[variable.name for variable in variables])
    for slot, names in outputs.items():
        desc.outputs.add(parameter=slot, arguments=names)
    for name, attribute in attrs.items():
        value = _attribute(attribute)
        if value is None or attribute["type"] == "scalars" and not value:
            continue
        if attribute["type"] == "scalars":
            entry = desc.attrs.add(name=name, type=framework_pb2.SCALARS)
            for number in value:
                _set_scalar(entry.scalars.add(), number)
            continue
        scalar = attribute["type"] == "scalar"  # only Paddle 3 has such
        member, kind = _MEMBERS["long" if scalar and isinstance(value, int) else "float64" if scalar else attribute["type"]]
        entry = desc.attrs.add(name=name, type=getattr(framework_pb2, kind))
        if isinstance(value, list):
            getattr(entry, member).extend(value)
        else:
            setattr(entry, member, value)
    return desc

"""One-operator models, from the node cases of ONNX's backend test: what tests/downstream/probe.py runs in each engine.

A probe is an operator with inputs and the outputs that ONNX specifies. Its form specifies which inputs are constants.
"""
import copy
import warnings
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Dict, Iterator, List, Optional, Sequence, Set, Tuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# The dtypes that facts are about. Strings, 4-bit and 8-bit floats are not probed.
PLAIN = ("bfloat16", "bool", "float16", "float32", "float64", "int16", "int32", "int64", "int8", "uint16", "uint32", "uint64", "uint8")
_NAMES = {"float": "float32", "double": "float64"}
_DOMAIN = ("", "ai.onnx")
# The opset of a case is the first of these at which its node is valid.
_USUAL = (13, 17, 18, 16, 19, 20, 21, 22, 23, 24, 25, 26)
# Operators whose results are random or no tensors.
SKIPPED = {
    "Attention", "Bernoulli", "BitCast", "CausalConvWithState", "FlexAttention", "ImageDecoder", "LinearAttention", "Multinomial", "OptionalGetElement",
    "OptionalHasElement", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "RegexFullMatch", "StringConcat",
    "StringNormalizer", "StringSplit", "TfIdfVectorizer", "SequenceMap", "SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss",
}  # fmt: skip


def dtype_name(array: np.ndarray) -> str:
    """ONNX's name of a dtype in the form of the target files."""
    return str(array.dtype)


def code(name: str) -> int:
    """ONNX's number of a dtype."""
    return int(getattr(TensorProto, {"float32": "FLOAT", "float64": "DOUBLE"}.get(name, name.upper())))


def plain_dtypes(types: Sequence[str]) -> List[str]:
    """The dtypes of tensors among type strings such as tensor(float)."""
    inner = [text[len("tensor(") : -1] for text in types if text.startswith("tensor(")]
    return sorted({_NAMES.get(text, text) for text in inner} & set(PLAIN))


@dataclass
class Case:
    """A node with the values of its operands and results; an absent operand is None."""

    name: str
    op: str
    node: onnx.NodeProto
    opset: int
    inputs: List[Optional[np.ndarray]]
    outputs: List[np.ndarray]
    attributes: Dict[str, Any] = field(default_factory=dict)

    @property
    def schema(self) -> onnx.defs.OpSchema:
        """At the opset of the case."""
        return onnx.defs.get_schema(self.op, self.opset, "")

    def formal(self, index: int) -> Any:
        """The schema's description of operand `index`."""
        inputs = self.schema.inputs
        return inputs[min(index, len(inputs) - 1)]

    def model(self, constant: Sequence[int] = (), wrapped: bool = False) -> Tuple[onnx.ModelProto, Dict[str, np.ndarray]]:
        """The model and its inputs. Operands of `constant` are initializers.

        Wrapped, the model's inputs and outputs are float32 and cast inside, because some engines feed nothing else.
        """
        node = copy.deepcopy(self.node)
        nodes, before, weights, ports, values = [node], [], [], [], {}
        for index, array in enumerate(self.inputs):
            if array is None:
                continue
            name = f"in{index}"
            node.input[index] = name
            if index in constant:
                weights.append(numpy_helper.from_array(array, name))
                continue
            if wrapped and array.dtype != np.float32:
                before.append(helper.make_node("Cast", [f"{name}_float"], [name], to=code(dtype_name(array))))
                name, array = f"{name}_float", array.astype(np.float32)
            ports.append(helper.make_tensor_value_info(name, code(dtype_name(array)), array.shape))
            values[name] = array
        results, after = [], []
        names = [name for name in node.output if name]
        for name, array in zip(names, self.outputs):
            dtype = dtype_name(array)
            if wrapped and dtype != "float32":
                after.append(helper.make_node("Cast", [name], [f"{name}_float"], to=TensorProto.FLOAT))
                name, dtype = f"{name}_float", "float32"
            results.append(helper.make_tensor_value_info(name, code(dtype), array.shape))
        if not ports:
            # A model without inputs: some engines need one.
            ports.append(helper.make_tensor_value_info("zero", TensorProto.FLOAT, [1]))
            values["zero"] = np.zeros(1, np.float32)
            first = results[0].name
            after.append(helper.make_node("Cast", [first], ["first"], to=TensorProto.FLOAT))
            after.append(helper.make_node("Add", ["first", "zero"], ["sum"]))
            results[0] = helper.make_tensor_value_info("sum", TensorProto.FLOAT, None)
        graph = helper.make_graph([*before, *nodes, *after], "probe", ports, results, weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = 8 if self.opset <= 18 else 10
        return model, values


def _valid(case: Case) -> bool:
    try:
        model, _ = case.model()
        onnx.checker.check_model(model, full_check=True)
        return True
    except Exception:  # pylint: disable=broad-except
        return False


def _attributes(node: onnx.NodeProto) -> Dict[str, Any]:
    values = {}
    for attribute in node.attribute:
        value = helper.get_attribute_value(attribute)
        if isinstance(value, bytes):
            value = value.decode()
        if isinstance(value, list) and value and isinstance(value[0], bytes):
            value = [item.decode() for item in value]
        values[attribute.name] = value
    return values


def _array(value: Any) -> Any:
    return numpy_helper.to_array(value) if isinstance(value, TensorProto) else value


def collected() -> Dict[str, List[Case]]:
    """The cases by operator."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        tests = collect_testcases(None)
    cases: Dict[str, List[Case]] = defaultdict(list)
    for test in tests:
        node = test.model.graph.node[0]
        if "_expanded" in test.name or len(test.model.graph.node) != 1 or node.domain not in _DOMAIN or node.op_type in SKIPPED:
            continue
        inputs, outputs = test.data_sets[0]
        inputs, outputs = ([_array(value) for value in values] for values in (inputs, outputs))
        fed = dict(zip([port.name for port in test.model.graph.input], inputs))
        arrays: List[Optional[np.ndarray]] = [np.asarray(fed[name]) if isinstance(fed.get(name), (np.ndarray, np.generic)) else None for name in node.input]
        results = [np.asarray(array) for array in outputs if isinstance(array, (np.ndarray, np.generic))]
        whole = len(results) == len([name for name in node.output if name])
        given = all((array is not None) == bool(name) for array, name in zip(arrays, node.input))
        if not whole or not given or any(dtype_name(array) not in PLAIN for array in [*results, *filter(lambda a: a is not None, arrays)]):
            continue
        case = Case(test.name, node.op_type, node, 0, arrays, results, _attributes(node))
        for opset in _USUAL:
            case.opset = opset
            try:
                case.schema
            except onnx.defs.SchemaError:
                continue
            if _valid(case):
                cases[case.op].append(case)
                break
    return dict(cases)


def expected(case: Case) -> Optional[List[np.ndarray]]:
    """What ONNX Runtime computes, or else ONNX's reference; None if neither runs the node."""
    import onnxruntime as ort

    model, values = case.model()
    data = model.SerializeToString()
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    plain = all(dtype_name(array) != "bfloat16" for array in values.values())
    for run in (
        lambda: ort.InferenceSession(data, options, providers=["CPUExecutionProvider"]).run(None, values) if plain else None,
        lambda: onnx.reference.ReferenceEvaluator(model).run(None, values),
    ):
        try:
            results = run()
            if results is not None:
                return [np.asarray(array) for array in results]
        except Exception:  # pylint: disable=broad-except
            continue
    return None


def _cast(array: np.ndarray, dtype: str) -> np.ndarray:
    import ml_dtypes

    kind = np.dtype(ml_dtypes.bfloat16) if dtype == "bfloat16" else np.dtype(dtype)
    if dtype == "bool":
        return array > 0
    if array.dtype.kind == "f" and kind.kind in "iu":
        array = np.nan_to_num(array, nan=0, posinf=3, neginf=-3)
    if array.dtype.kind == "f" and kind.kind in "iu" and not np.array_equal(array, np.round(array)):
        return (np.abs(array) * 3 + 1).astype(kind)
    if array.dtype.kind == "f" and kind.kind == "u":
        return np.abs(array).astype(kind)
    return array.astype(kind)


def variables(case: Case) -> Iterator[Tuple[str, List[int], List[str]]]:
    """Type variables of operands: the variable, its operands, its dtypes other than the case's."""
    schema = case.schema
    allowed = {constraint.type_param_str: list(constraint.allowed_type_strs) for constraint in schema.type_constraints}
    for variable, types in allowed.items():
        operands = [index for index, array in enumerate(case.inputs) if array is not None and case.formal(index).type_str == variable]
        dtypes = plain_dtypes(types)
        if operands and len(dtypes) > 1:
            yield variable, operands, [dtype for dtype in dtypes if dtype != dtype_name(case.inputs[operands[0]])]


def with_dtype(case: Case, operands: Sequence[int], dtype: str) -> Optional[Case]:
    """The case in another dtype."""
    changed = copy.copy(case)
    changed.inputs = [_cast(array, dtype) if index in operands and array is not None else array for index, array in enumerate(case.inputs)]
    return _settled(changed)


def with_rank(case: Case, rank: int) -> Optional[Case]:
    """An element-wise case in another rank."""
    changed = copy.copy(case)
    arrays = [array for array in case.inputs if array is not None]
    if case.attributes.get("axis") is not None or len({array.shape for array in arrays}) != 1 or case.outputs[0].shape != arrays[0].shape:
        return None
    shape = [1] * (rank - 1) + [-1] if rank else []
    changed.inputs = [None if array is None else (array.reshape(shape) if rank else np.asarray(array.reshape(-1)[0])) for array in case.inputs]
    return _settled(changed)


def with_batch_of_one(case: Case) -> Optional[Case]:
    """A case whose first operand, and those of the same shape, have only the first of several items."""
    first = next((array for array in case.inputs if array is not None), None)
    if first is None or first.ndim < 3 or len(first) < 2:
        return None
    changed = copy.copy(case)
    changed.inputs = [array[:1] if array is not None and array.shape == first.shape else array for array in case.inputs]
    return _settled(changed)


def _settled(changed: Case) -> Optional[Case]:
    if not changed.outputs:
        return None
    placeholder = changed.outputs
    results = None
    try:
        # The dtypes and shapes of results follow from the run.
        model, values = changed.model()
        del model.graph.output[:]
        inferred = onnx.shape_inference.infer_shapes(model)
        types = {info.name: info for info in inferred.graph.value_info}
        names = [name for name in changed.node.output if name]
        shapes = []
        for name, old in zip(names, placeholder):
            kind = types[name].type.tensor_type if name in types else None
            shapes.append(np.zeros((0,), helper.tensor_dtype_to_np_dtype(kind.elem_type)) if kind else old)
        changed.outputs = shapes
        results = _expected_loose(changed)
    except Exception:  # pylint: disable=broad-except
        return None
    if results is None or any(dtype_name(array) not in PLAIN for array in results):
        return None
    changed.outputs = results
    return changed if _valid(changed) else None


def _expected_loose(case: Case) -> Optional[List[np.ndarray]]:
    """As expected(), without declared shapes of the results."""
    import onnxruntime as ort

    model, values = case.model()
    for port in model.graph.output:
        port.type.tensor_type.ClearField("shape")
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if all(dtype_name(array) != "bfloat16" for array in values.values()):
            try:
                session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
                return [np.asarray(array) for array in session.run(None, values)]
            except Exception:  # pylint: disable=broad-except
                pass
        try:
            from onnx.reference import ReferenceEvaluator

            return [np.asarray(array) for array in ReferenceEvaluator(model).run(None, values)]
        except Exception:  # pylint: disable=broad-except
            return None


@lru_cache(maxsize=None)
def versions(op: str) -> List[int]:
    """The opsets from 7 on at which the operator has another version."""
    found: Set[int] = set()
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.name == op and schema.domain == "" and not schema.deprecated and schema.since_version <= _USUAL[-1]:
            found.add(max(7, schema.since_version))
    return sorted(found)


def at_opset(case: Case, opset: int) -> Optional[Case]:
    """The case in the form of another opset: operands become attributes of their name, as in older versions."""
    changed = copy.copy(case)
    changed.opset = opset
    changed.node = copy.deepcopy(case.node)
    try:
        schema = changed.schema
    except onnx.defs.SchemaError:
        return None
    for index in reversed(range(1, len(case.inputs))):
        name = case.formal(index).name
        known = [formal.name for formal in schema.inputs]
        if name in known or name not in schema.attributes or case.inputs[index] is None or index + 1 != len(changed.node.input):
            continue
        value = case.inputs[index]
        if not value.size:  # an attribute's type does not follow from an empty list
            return None
        kind = schema.attributes[name].type
        scalar = kind in (onnx.defs.OpSchema.AttrType.INT, onnx.defs.OpSchema.AttrType.FLOAT)
        changed.node.attribute.append(helper.make_attribute(name, value.reshape(-1)[0].item() if scalar else value.reshape(-1).tolist()))
        del changed.node.input[index]
        changed.inputs = changed.inputs[:index]
    changed.attributes = _attributes(changed.node)
    return changed if _valid(changed) else None

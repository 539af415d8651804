#!/usr/bin/env python3
"""Writes opspecs/facts/onnxruntime.json: dtypes that an ONNX schema admits and ONNX Runtime's CPU has no kernel for.

    python scripts/facts/onnxruntime_kernels.py [-v]

Makes a model of one node for each operator, schema version and dtype, and asks ONNX Runtime to load it. With -v,
tells which models it refused for other reasons: those were not judged, and need an entry in a table below.
"""

import collections
import os
import pathlib
import subprocess
import sys

os.environ["ALLOW_RELEASED_ONNX_OPSET_ONLY"] = "0"

import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
import numpy

import tables

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "opspecs" / "facts" / "onnxruntime.json"
FIRST, LAST = 7, 26

# Control flow, sequences, optionals, maps, strings: nothing that a converter picks a dtype for.
SKIPPED = {
    "BitCast", "ConcatFromSequence", "Constant", "If", "ImageDecoder", "Loop", "Optional", "OptionalGetElement",
    "OptionalHasElement", "RegexFullMatch", "Scan", "SequenceAt", "SequenceConstruct", "SequenceEmpty",
    "SequenceErase", "SequenceInsert", "SequenceLength", "SequenceMap", "SplitToSequence", "StringConcat",
    "StringNormalizer", "StringSplit", "TfIdfVectorizer",
}

# Attributes without which a node is refused, beyond what the schema's defaults give.
ATTRIBUTES = {
    "AveragePool": {"kernel_shape": [2, 2]},
    "BitShift": {"direction": "LEFT"},
    "Cast": {"to": TensorProto.FLOAT},
    "Concat": {"axis": 0},
    "Conv": {"kernel_shape": [2, 2]},
    "ConvInteger": {"kernel_shape": [2, 2]},
    "ConvTranspose": {"kernel_shape": [2, 2]},
    "DepthToSpace": {"blocksize": 2},
    "Einsum": {"equation": "ij,ij->i"},
    "GRU": {"hidden_size": 2},
    "GroupNormalization": {"num_groups": 2},
    "LSTM": {"hidden_size": 2},
    "LpPool": {"kernel_shape": [2, 2]},
    "MaxPool": {"kernel_shape": [2, 2]},
    "MaxRoiPool": {"pooled_shape": [2, 2]},
    "MaxUnpool": {"kernel_shape": [2, 2]},
    "Pad": {"pads": [0, 0, 0, 0]},
    "RNN": {"hidden_size": 2},
    "RandomNormal": {"shape": [2]},
    "RandomUniform": {"shape": [2]},
    "Slice": {"starts": [0], "ends": [1]},
    "SpaceToDepth": {"blocksize": 2},
    "TopK": {"k": 1},
    "Transpose": {"perm": [1, 0]},
    "Unsqueeze": {"axes": [0]},
    "Upsample": {"scales": [1.0, 1.0, 2.0, 2.0]},
}
# Attributes that hold the dtype of an output.
DTYPE_ATTRIBUTES = {
    "Bernoulli": "dtype",
    "BlackmanWindow": "output_datatype",
    "Cast": "to",
    "ConstantOfShape": "value",
    "EyeLike": "dtype",
    "HammingWindow": "output_datatype",
    "HannWindow": "output_datatype",
    "MelWeightMatrix": "output_datatype",
    "Multinomial": "dtype",
    "RandomNormal": "dtype",
    "RandomNormalLike": "dtype",
    "RandomUniform": "dtype",
    "RandomUniformLike": "dtype",
}
# Optional inputs that are always given: without them some type variable would not appear, or the node is refused.
GIVEN = {
    "Clip": ["min", "max"],
    "DequantizeLinear": ["x_zero_point"],
    "Pad": ["constant_value"],
    "QuantizeLinear": ["y_zero_point"],
    "Resize": ["scales"],
    "Slice": ["axes", "steps"],
    "Upsample": ["scales"],
}
VARIADIC = {"Einsum": 2, "Split": 2}
# Dtypes of variables that are not under test, where the first that is admitted would not do.
DEFAULTS = {
    "OneHot": {"T1": "int64", "T2": "int64"},
    "QLinearConv": {"T1": "uint8", "T2": "uint8", "T3": "uint8"},
}
PREFERRED = ["float32", "int64", "int32", "bool", "uint8", "int8"]

# Kernels that load and then throw, found by running them: values of inputs, filled with ones where a shape is given,
# and for each value of an attribute that matters the attributes to set.
SCATTER = {"data": [4], "updates": [1]}
RUNS = {
    "GRU": ({"X": [3, 1, 2], "W": [1, 6, 2], "R": [1, 6, 2]}, [None]),
    "LSTM": ({"X": [3, 1, 2], "W": [1, 8, 2], "R": [1, 8, 2]}, [None]),
    "Resize": (
        {"X": [1, 1, 4, 4], "scales": numpy.array([1, 1, 2, 2], numpy.float32)},
        [("mode", "nearest"), ("mode", "linear"), ("mode", "cubic")],
    ),
    "ScatterElements": (
        {**SCATTER, "indices": numpy.array([1])},
        [("reduction", value) for value in ("none", "add", "mul", "max", "min")],
    ),
    "ScatterND": (
        {**SCATTER, "indices": numpy.array([[1]])},
        [("reduction", value) for value in ("none", "add", "mul", "max", "min")],
    ),
}

CAME_LATER = {"max": 18, "min": 18, "linear": 11, "cubic": 11}

DTYPES = {
    "float": "float32",
    "double": "float64",
    **{name: name for name in ("float16", "bfloat16", "bool", "int8", "int16", "int32", "int64")},
    **{name: name for name in ("uint8", "uint16", "uint32", "uint64")},
}
CODES = {dtype: getattr(TensorProto, text.upper()) for text, dtype in DTYPES.items()}

NO_KERNEL = ("Could not find an implementation", "Failed to find kernel")
CANNOT = ("not support", "Tensor type mismatch")
MISSING, FINE, OTHER = "missing", "fine", "other"


def dtypes(type_strings):
    """The dtypes among type strings such as tensor(float); quantised 4-bit, strings and complex ones aside."""
    inner = [text[len("tensor("):-1] for text in type_strings if text.startswith("tensor(")]
    return [DTYPES[text] for text in inner if text in DTYPES]


def schemas():
    versions = collections.defaultdict(dict)
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "" and schema.name not in SKIPPED:
            versions[schema.name][schema.since_version] = schema
    for name in sorted(versions):
        starts = sorted(versions[name])
        for start, following in zip(starts, [*starts[1:], LAST + 1]):
            first, last = max(start, FIRST), min(following - 1, LAST)
            schema = versions[name][start]
            if first <= last and not schema.deprecated:
                yield schema, first, last


class Node:
    """One operator at one schema version: its type variables, and models of it."""

    def __init__(self, schema, opset):
        self.schema, self.opset = schema, opset
        self.expands = schema.has_function or schema.has_context_dependent_function
        self.variables = {v.type_param_str: dtypes(v.allowed_type_strs) for v in schema.type_constraints}
        self.inputs = []
        for formal in schema.inputs:
            option = formal.option
            if option == onnx.defs.OpSchema.FormalParameterOption.Variadic:
                count = VARIADIC.get(schema.name, max(1, formal.min_arity))
                self.inputs += [(f"{formal.name}_{i}", formal.type_str) for i in range(count)]
            elif option == onnx.defs.OpSchema.FormalParameterOption.Single or formal.name in GIVEN.get(schema.name, []):
                self.inputs.append((formal.name, formal.type_str))
            else:
                self.inputs.append(("", formal.type_str))
        while self.inputs and not self.inputs[-1][0]:
            self.inputs.pop()
        self.outputs = []
        for formal in schema.outputs:
            if formal.option == onnx.defs.OpSchema.FormalParameterOption.Variadic:
                self.outputs += [(f"{formal.name}_out{i}", formal.type_str) for i in range(VARIADIC.get(schema.name, 1))]
            elif formal.option == onnx.defs.OpSchema.FormalParameterOption.Single:
                self.outputs.append((formal.name + "_out", formal.type_str))
        if not self.outputs:
            self.outputs.append((schema.outputs[0].name + "_out", schema.outputs[0].type_str))
        used = [kind for name, kind in self.inputs + self.outputs if name]
        self.tested = [kind for kind in dict.fromkeys(used) if len(self.variables.get(kind, [])) > 1]

    def default(self, variable):
        wanted = DEFAULTS.get(self.schema.name, {}).get(variable)
        for dtype in [wanted, *PREFERRED]:
            if dtype in self.variables[variable]:
                return dtype
        return self.variables[variable][0] if self.variables[variable] else "float32"

    def attributes(self, assigned, chosen):
        known = self.schema.attributes
        values = {key: value for key, value in ATTRIBUTES.get(self.schema.name, {}).items() if key in known}
        if chosen:
            values[chosen[0]] = chosen[1]
        name = DTYPE_ATTRIBUTES.get(self.schema.name)
        if name in known:
            dtype = assigned[self.outputs[0][1]]
            if name == "value":
                array = numpy.zeros([1], numpy.float32)
                values[name] = helper.make_tensor("value", CODES[dtype], [1], array)
            else:
                values[name] = CODES[dtype]
        for key, attribute in known.items():
            if attribute.required and key not in values:
                kind = str(attribute.type).rsplit(".", 1)[-1]
                values[key] = {"INT": 1, "INTS": [1], "FLOAT": 1.0, "FLOATS": [1.0], "STRING": ""}[kind]
        return values

    def model(self, assigned, chosen=None):
        def code(kind):
            return CODES[assigned[kind]] if kind in assigned else CODES[dtypes([kind])[0]]

        inputs = [helper.make_tensor_value_info(name, code(kind), None) for name, kind in self.inputs if name]
        outputs = [helper.make_tensor_value_info(name, code(kind), None) for name, kind in self.outputs]
        names = [name for name, _ in self.inputs]
        outs = [name for name, _ in self.outputs]
        node = helper.make_node(self.schema.name, names, outs, **self.attributes(assigned, chosen))
        graph = helper.make_graph([node], "g", inputs, outputs)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        return model.SerializeToString()

    def judge(self, variable, dtype):
        """Other variables take their default, or else the same dtype: normalisations want one for all."""
        verdicts = []
        for same in (False, True):
            assigned = {name: self.default(name) for name in self.variables}
            if same:
                assigned.update({name: dtype for name in self.variables if dtype in self.variables[name]})
            assigned[variable] = dtype
            verdict, text = load(self.model(assigned))
            if verdict == OTHER and self.expands and "Type Error" in text:
                verdict = MISSING  # no kernel, and the expansion in its place does not type-check
            verdicts.append((verdict, text))
            if verdicts[-1][0] == FINE:
                return verdicts[-1]
        return next((verdict for verdict in verdicts if verdict[0] == MISSING), verdicts[0])


    def throws(self, dtype, chosen):
        """Whether the kernel for the first variable's `dtype` raises an error when it runs."""
        values, _ = RUNS[self.schema.name]
        assigned = {name: self.default(name) for name in self.variables}
        assigned[self.tested[0]] = dtype
        feeds = {}
        for name, kind in self.inputs:
            if name:
                value = values.get(name, [])
                feeds[name] = ones(value, assigned.get(kind, "float32")) if isinstance(value, list) else VALUE(value)
        try:
            session = onnxruntime.InferenceSession(self.model(assigned, chosen), OPTIONS)
            session.run_with_ort_values([name for name, _ in self.outputs], feeds)
        except Exception as error:
            return any(sign in str(error) for sign in CANNOT)
        return False


VALUE = onnxruntime.OrtValue.ortvalue_from_numpy


def ones(shape, dtype):
    """numpy has no bfloat16: its bits are those of float32's upper half."""
    if dtype != "bfloat16":
        return VALUE(numpy.ones(shape, dtype))
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(numpy.full(shape, 0x3F80, numpy.uint16), CODES[dtype])


OPTIONS = onnxruntime.SessionOptions()
OPTIONS.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
OPTIONS.log_severity_level = 4
OPTIONS.intra_op_num_threads = 1


def load(model):
    try:
        onnxruntime.InferenceSession(model, OPTIONS, providers=["CPUExecutionProvider"])
    except Exception as error:
        text = str(error)
        return (MISSING if any(sign in text for sign in NO_KERNEL) else OTHER), text
    return FINE, ""


def merged(ranges):
    result = []
    for first, last in sorted(ranges):
        if result and result[-1][1] + 1 == first:
            result[-1][1] = last
        else:
            result.append([first, last])
    return result


def newest(versions, first):
    """The highest opset or IR version that is accepted without the environment variable set above."""
    number = first
    program = "import onnxruntime, sys; onnxruntime.InferenceSession(sys.stdin.buffer.read())"
    environment = {key: value for key, value in os.environ.items() if key != "ALLOW_RELEASED_ONNX_OPSET_ONLY"}
    while True:
        opset, ir_version = versions(number)
        info = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
        graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", [info], [
            helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir_version)
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, input=model.SerializeToString(), env=environment, stderr=subprocess.DEVNULL)
        if done.returncode != 0:
            return number - 1
        number += 1


def spans():
    """Opsets of one verdict. ONNX Runtime does not expand functions whose operators have newer versions at the opset."""
    for schema, first, last in schemas():
        expands = schema.has_function or schema.has_context_dependent_function
        yield from ((schema, opset, opset) for opset in range(first, last + 1)) if expands else [(schema, first, last)]


def main():
    missing = collections.defaultdict(lambda: collections.defaultdict(list))
    other = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
    throwing = collections.defaultdict(lambda: collections.defaultdict(list))
    unjudged, judged = collections.defaultdict(list), 0
    for schema, first, last in spans():
        node = Node(schema, first)
        for position, variable in enumerate(node.tested):
            for dtype in node.variables[variable]:
                verdict, text = node.judge(variable, dtype)
                judged += 1
                if verdict == OTHER:
                    unjudged[f"{schema.name}-{schema.since_version}", variable, text].append(dtype)
                elif verdict == MISSING:
                    table = missing[schema.name] if position == 0 else other[schema.name][variable]
                    table[dtype].append((first, last))
        _, choices = RUNS.get(schema.name, (None, []))
        for chosen in choices:
            if chosen and (chosen[0] not in schema.attributes or first < CAME_LATER.get(chosen[1], 0)):
                continue
            for dtype in node.variables[node.tested[0]]:
                if node.throws(dtype, chosen):
                    if chosen:
                        throwing[schema.name, *chosen][dtype].append((first, last))
                    else:
                        missing[schema.name][dtype].append((first, last))
    if "-v" in sys.argv:
        for (name, variable, text), kinds in unjudged.items():
            print(f"{name} {variable} {' '.join(kinds)}: {' '.join(text.split())[:300]}", file=sys.stderr)
    sections = {
        "version": onnxruntime.__version__,
        "max_opset": newest(lambda opset: (opset, 8), FIRST),
        "max_ir_version": newest(lambda version: (FIRST, version), 8),
        "opsets": [FIRST, LAST],
        "missing": {op: {dtype: merged(found[dtype]) for dtype in sorted(found)} for op, found in missing.items()},
        "missing_for": {
            op: {variable: {dtype: merged(found[dtype]) for dtype in sorted(found)}
                 for variable, found in sorted(variables.items())}
            for op, variables in other.items()
        },
        "missing_when": [
            {"op": op, "attribute": attribute, "value": value,
             "missing": {dtype: merged(found[dtype]) for dtype in sorted(found)}}
            for (op, attribute, value), found in sorted(throwing.items())
        ],
    }
    tables.write(OUTPUT, sections)
    print(f"{judged} models, {sum(map(len, unjudged.values()))} not judged", file=sys.stderr)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes opspecs/facts/paddle-3.3.json: the operators of Paddle 3.3's new IR and their names in older programs.

    python scripts/facts/paddle_3_3.py [output]

Run it with the Python that has paddlepaddle 3.3. Needs g++: it compiles paddle_op_info.cc against the headers
in the wheel and asks the library itself. Counterparts are checked against paddle-2.6.json. The order in which Python
gives arguments, and their default values, are in the headers alone.
"""

import collections
import ctypes
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import paddle
from paddle.base import core

import tables

HERE = pathlib.Path(__file__).resolve().parent
FACTS = HERE.parents[1] / "opspecs" / "facts"

ATTRIBUTE_TYPES = {
    "pir::BoolAttribute": "bool",
    "pir::Int32Attribute": "int",
    "pir::Int64Attribute": "int",
    "pir::FloatAttribute": "float",
    "pir::DoubleAttribute": "float",
    "pir::StrAttribute": "string",
    "pir::ArrayAttribute<pir::Int32Attribute>": "ints",
    "pir::ArrayAttribute<pir::Int64Attribute>": "ints",
    "pir::ArrayAttribute<pir::FloatAttribute>": "floats",
    "pir::ArrayAttribute<pir::DoubleAttribute>": "floats",
    "pir::ArrayAttribute<pir::StrAttribute>": "strings",
    "pir::ArrayAttribute<paddle::dialect::ScalarAttribute>": "scalars",
    "pir::ArrayAttribute": "array",
    "paddle::dialect::IntArrayAttribute": "ints",
    "paddle::dialect::ScalarAttribute": "scalar",
    "paddle::dialect::DataTypeAttribute": "dtype",
    "paddle::dialect::PlaceAttribute": "place",
}

# How files hold an attribute, if files store its type in several forms: int and float are of 32 bits, lists have an element each.
STORED = {
    "pir::Int64Attribute": "i64",
    "pir::DoubleAttribute": "f64",
    "pir::ArrayAttribute<pir::Int64Attribute>": "i64",
    "pir::ArrayAttribute<pir::DoubleAttribute>": "f64",
    "paddle::dialect::IntArrayAttribute": "intarray",
}

# Operators that no model at inference has: gradients, and kernels for sparse tensors or another device.
SKIPPED = re.compile(r"_grad_?$|_grad_(dense_)?s[pr]_?$|_s[pr]_?$|_xpu$|_onednn$")

# Fluid names that Paddle's tables do not give: its translator from old programs has code for these.
FLUID_NAMES = {
    "array_length": "lod_array_length",
    "array_read": "read_from_array",
    "array_write_": "write_to_array",
    "assign_out_": "assign",
    "conv2d_transpose_bias": "conv2d_transpose",
    "full_": "fill_constant",
    "fused_rms_norm_quant": "rms_norm",
    "gammaln": "lgamma",
    "gammaln_": "lgamma",
    "full_with_tensor": "fill_constant",
    "repeat_interleave_with_tensor_index": "repeat_interleave",
    "rms_norm": None,  # which was another operator
    "set_value_with_tensor": "set_value",
    "set_value_with_tensor_": "set_value",
    "shape64": "shape",
    "share_data": "share_data",
    "sync_batch_norm_": "batch_norm",
    "split_with_num": "split",
    "ones": "fill_constant",
    "ones_like": "fill_any_like",
    "tril": "tril_triu",
    "triu": "tril_triu",
    "zeros": "fill_constant",
    "zeros_like": "fill_any_like",
}
# Operators whose results differ from those of the fluid operator since Paddle 3.0, and how. Paddle 3.3 ran the examples of
# paddle_2_6.py's Paddle, and these results differed.
DIFFERENT = {
    "dequantize_linear",  # an attribute has the largest number instead of the bits
    "grid_sample",  # of two equally near elements, the even one is the nearest
    "hardshrink",  # elements that equal the threshold are kept
    "heaviside",  # the operands keep their order if the second has more axes
    "isinf",  # NaN of bfloat16 is not infinite
    "linear_interp",  # a single output element is at the middle
    "lstsq",  # the driver gelsy returns no residuals
    "matrix_rank",  # the result is int64
    "quantize_linear",  # an attribute has the largest number instead of the bits
    "round",  # halves round to even
    "set_value",  # bounds are those of Python
    "set_value_with_tensor",  # bounds are those of Python
    "sigmoid_cross_entropy_with_logits",  # pos_weight multiplies another term
    "strided_slice",  # bounds are those of Python
    "trace",  # the order of the axes counts
    "trilinear_interp",  # a single output element is at the middle
    # These have the same results, but share a spec with linear_interp.
    "bicubic_interp",
    "bilinear_interp",
    "nearest_interp",
}
# Operators that older programs have, but not the Paddle 2.6 for CPUs that the table of fluid operators was made with.
# Specs state their signature.
OF_DEVICES = {"fused_attention", "fused_feedforward", "fused_gemm_epilogue"}
# Fluid attributes that the name of the new operator implies.
FIXED = {
    "ones": {"value": 1.0},
    "ones_like": {"value": 1.0},
    "tril": {"lower": True},
    "triu": {"lower": False},
    "zeros": {"value": 0.0},
    "zeros_like": {"value": 0.0},
}
# The same for arguments: of a pair that became two operators, or of code in the translator.
FLUID_ARGUMENTS = {
    "array_length": {"x": "X", "out": "Out"},
    "array_read": {"array": "X", "i": "I", "out": "Out"},
    "array_write_": {"array": "Out", "x": "X", "i": "I", "out": "Out"},
    "assign_out_": {"x": "X", "out": "Out"},
    "cast": {"dtype": "out_dtype"},
    "conv2d_transpose_bias": {"x": "Input", "filter": "Filter", "bias": "Bias", "out": "Output"},
    "full_": {"out": "Out"},
    "full_with_tensor": {"value": "ValueTensor", "shape": "shape", "out": "Out"},
    "increment": {"value": "step"},
    "increment_": {"value": "step"},
    "one_hot": {"num_classes": "depth"},
    "ones": {"shape": "shape", "dtype": "dtype", "out": "Out"},
    "repeat_interleave_with_tensor_index": {"x": "X", "repeats": "RepeatsTensor", "axis": "dim", "out": "Out"},
    "set_value_with_tensor": {"x": "Input", "values": "ValueTensor", "out": "Out"},
    "set_value_with_tensor_": {"x": "Input", "values": "ValueTensor", "out": "Out"},
    "shape64": {"input": "Input", "out": "Out"},
    "split_with_num": {"x": "X", "axis": "axis", "num": "num", "out": "Out"},
}

# Operators that compute in another dtype than the fluid one: operands are cast to what an attribute names, or the
# result to a dtype.
CAST_OPERANDS = {"arange": "dtype"}
CAST_RESULTS = {"shape64": "int64"}

# Operands that the fluid operator lacks and inference does not need.
IGNORED_OPERANDS = {"rnn": ["dropout_state_in"]}

# Attributes that the fluid operator lacks, with the value at which they change nothing; None: they never do, or the
# reader knows them.
NEUTRAL = {
    "argsort": {"stable": None},
    "assign_value": {"values": None},
    "cumprod": {"exclusive": False, "reverse": False},
    "histogram": {"density": False},
    "kldiv_loss": {"log_target": False},
    "max_pool2d_with_index": {"ceil_mode": False},
    "max_pool3d_with_index": {"ceil_mode": False},
    "nanmedian": {"mode": "avg"},
    "dequantize_linear": {"qmin": -128, "qmax": 127},
    "quantize_linear": {"qmin": -128, "qmax": 127},
    "repeat_interleave": {"output_size": None},
    "repeat_interleave_with_tensor_index": {"output_size": None},
    "round": {"decimals": 0},
    "thresholded_relu": {"value": 0.0},
    "weight_dequantize": {"group_size": -1},
    "weight_only_linear": {"group_size": -1},
}

# glog's headers are not in the wheel.
GLOG = """
#include <iostream>
#define VLOG(level) if (true) {} else std::cerr
"""


def ask_paddle():
    package = pathlib.Path(paddle.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "glog").mkdir()
        (folder / "glog" / "logging.h").write_text(GLOG)
        command = ["g++", "-std=c++17", "-shared", "-fPIC", "-w", f"-I{folder}", f"-I{package}/include"]
        command += [str(HERE / "paddle_op_info.cc"), f"-L{package}/base", "-l:libpaddle.so"]
        subprocess.run([*command, "-o", str(folder / "op_info.so")], check=True)
        paddle.base.core.pir.register_paddle_dialect()
        ctypes.CDLL(str(folder / "op_info.so")).write_op_info(str(folder / "op_info.json").encode())
        return json.loads((folder / "op_info.json").read_text())


# Dtypes that Fluid has too, of a kernel such as "(CPU, Undefined(AnyLayout), float32)".
KERNEL = re.compile(r"\(CPU, [^,]*, (bool|u?int\d+|b?float(?:16|32|64)|complex\d+)\)")
# What makes an operator: its name, and the first function that makes one of it without a table of attributes.
OPERATOR_NAME = re.compile(r'const char \*name\(\) \{ return "pd_op\.(\w+)"; \}')
BUILD = re.compile(r"static void Build\(pir::Builder &\w+, pir::OperationArgument &\w+(?:, )?(.*)\);")
# "const std::vector<int64_t>& axis={1, 2}", one after another
PARAMETERS = re.compile(r'((?:\{[^}]*\}|"[^"]*"|[^,{"])+)')
PARAMETER = re.compile(r"(?P<type>.*[ &])(?P<name>\w+?)_?(?:=(?P<default>.*))?")
NUMBER = re.compile(r"[-+]?[0-9.]+(?:e[-+]?[0-9]+)?f?")


def default_value(text):
    """A default of C++ as JSON; None if it is none, or something that JSON lacks."""
    if text in ("true", "false"):
        return text == "true"
    if text and text[0] == '"':
        return text[1:-1]
    if text and text[0] == "{":
        values = [default_value(item.strip()) for item in text[1:-1].split(",") if item.strip()]
        return None if None in values else values
    if text and NUMBER.fullmatch(text):
        text = text.removesuffix("f")
        return float(text) if set(text) & set(".e") else int(text)
    return None


def ask_headers():
    """By operator, its parameters in the order in which Python gives those that are no tensors, with their defaults."""
    header = pathlib.Path(paddle.__file__).parent / "include/paddle/fluid/pir/dialect/operator/ir/pd_op.h"
    found, name = {}, None
    for line in header.read_text().splitlines():
        if match := OPERATOR_NAME.search(line):
            name = match[1]
        elif name and name not in found and (match := BUILD.search(line)) and "AttributeMap" not in match[1]:
            found[name] = {}
            for part in PARAMETERS.findall(match[1]):
                parameter = PARAMETER.fullmatch(part.strip())
                found[name][parameter["name"]] = default_value(parameter["default"])
    return found


def of_base(table, name):
    """The table's entry for an operator; in-place operators (`relu_`) have that of the other."""
    return table.get(name) or table.get((name or "").removesuffix("_"), {})


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


class Counterparts:
    """Finds what an operator, its operands, results and attributes were called before."""

    def __init__(self, answer, fluid_ops):
        self.arguments = answer["arguments"]
        self.fluid_ops = fluid_ops
        self.names = collections.defaultdict(list)
        for fluid, name in answer["names"].items():
            self.names[name].append(fluid)
        self.renamed = set(answer["names"])

    def operator(self, name):
        """The newest fluid operator that became `name`, or None."""
        if name in FLUID_NAMES:
            return FLUID_NAMES[name]
        became = sorted(fluid for fluid in self.names.get(name, []) if fluid in self.fluid_ops)
        if became and not became[-1].endswith("_v1"):
            return became[-1]
        if name in self.fluid_ops and name not in self.renamed:
            return name
        return self.operator(name[:-1]) if name.endswith("_") else None

    def argument(self, name, fluid, argument, known):
        own = of_base(FLUID_ARGUMENTS, name).get(argument)
        table = self.arguments.get(fluid, {})
        for candidate in (own, table.get(argument), argument, camel(argument)):
            if candidate in known:
                return candidate
        return None


def slots(items):
    result = []
    for item in items:
        entry = {"name": item["name"]}
        if item.get("mutable"):
            entry["mutable"] = ATTRIBUTE_TYPES[item["type"]]
        if item["type"].startswith("pir::VectorType"):
            entry["list"] = True
        if item["type"].endswith("DenseTensorArrayType"):
            entry["array"] = True
        for key in ("optional", "intermediate"):
            if item.get(key):
                entry[key] = True
        result.append(entry)
    return result


def attribute(info):
    entry = {"name": info["name"], "type": ATTRIBUTE_TYPES[info["type"]]}
    if info["type"] in STORED:
        entry["stored"] = STORED[info["type"]]
    return entry


def ordered(entry, parameters):
    """Python's order of the arguments, if it is another than operands first, then attributes."""
    given = [item["name"] for item in entry["inputs"] + entry["attrs"]]
    tensors = [item["name"] for item in entry["inputs"] if "mutable" not in item]
    order = tensors + [name for name in parameters if name in given and name not in tensors]
    return order if sorted(order) == sorted(given) and order != given else None


def operator(name, info, counterparts, parameters, kernels):
    entry = {
        "inputs": slots(info["inputs"]),
        "outputs": slots(info["outputs"]),
        "attrs": [attribute(attr) for attr in info["attrs"]],
    }
    for item in entry["inputs"] + entry["attrs"]:
        if item.get("type") != "place" and parameters.get(item["name"]) is not None:
            item["default"] = parameters[item["name"]]
    if order := ordered(entry, parameters):
        entry["arguments"] = order
    entry["dtypes"] = sorted(set(KERNEL.findall(" ".join(kernels.get(info["kernel"], ())))))
    for item in entry["outputs"]:
        if item["name"] in info["inplace"]:
            item["overwrites"] = info["inplace"][item["name"]]
    if name in OF_DEVICES:
        return {"fluid": name, **with_old_names(entry, counterparts.arguments.get(name, {}))}
    fluid_name = counterparts.operator(name)
    if fluid_name is None:
        return entry
    fluid = counterparts.fluid_ops[fluid_name]
    known = {key: {item["name"] for item in fluid[key]} for key in ("inputs", "outputs", "attrs")}
    for key in ("inputs", "outputs", "attrs"):
        for item in entry[key]:
            if key == "inputs" and "mutable" in item:
                # Slots that may give it instead of the attribute are in params.json.
                fluid_argument = counterparts.argument(name, fluid_name, item["name"], known["attrs"])
                where = "attr"
                if fluid_argument is None:
                    fluid_argument = counterparts.argument(name, fluid_name, item["name"], known["inputs"])
                    where = "slot"
            else:
                fluid_argument = counterparts.argument(name, fluid_name, item["name"], known[key])
                where = "attr" if key == "attrs" else "slot"
            if fluid_argument is not None:
                item[where] = fluid_argument
    add_differences(name, entry)
    changed = "3.0" if name.removesuffix("_") in DIFFERENT else None
    differs = {"fixed": FIXED.get(name), "changed": changed}
    return {"fluid": fluid_name, **{key: value for key, value in differs.items() if value}, **entry}


def with_old_names(entry, table):
    """The same with the slots and attributes of older programs, which are the only known facts."""
    for key, where in (("inputs", "slot"), ("outputs", "slot"), ("attrs", "attr")):
        for item in entry[key]:
            old = table.get(item["name"], item["name"] if where == "attr" else camel(item["name"]))
            item[where] = old
    return entry


def add_differences(name, entry):
    """What the tables above say of an operator that differs from its fluid counterpart."""
    overwritten = [item.get("overwrites") for item in entry["outputs"]]
    for item in entry["inputs"]:
        if name in CAST_OPERANDS:
            item["cast"] = CAST_OPERANDS[name]
        if "slot" not in item and item["name"] in [*of_base(IGNORED_OPERANDS, name), *overwritten]:
            item["ignored"] = True
    for item in entry["outputs"]:
        if name in CAST_RESULTS:
            item["cast"] = CAST_RESULTS[name]
    neutral = of_base(NEUTRAL, name)
    for item in entry["attrs"]:
        if neutral.get(item["name"]) is not None:
            item["neutral"] = neutral[item["name"]]
        elif item["name"] in [*neutral, CAST_OPERANDS.get(name)] or (item["type"] == "place" and "attr" not in item):
            item["ignored"] = True


def sources(answer, counterparts):
    """By fluid operator and attribute, the input slots that may give it, as Paddle's translator looks for them."""
    result = {}
    for fluid_name, arguments in answer["sources"].items():
        fluid = counterparts.fluid_ops.get(fluid_name)
        if fluid is None:
            continue
        attrs = {attr["name"] for attr in fluid["attrs"]}
        entry = {}
        for argument, given_by in sorted(arguments.items()):
            attr = counterparts.argument(None, fluid_name, argument, attrs)
            if attr is not None and given_by:
                entry[attr] = given_by
        if entry:
            result[fluid_name] = entry
    return result


def unmatched(ops, fluid_ops):
    """What has a fluid counterpart but for a part of it: worth a look after a refresh."""
    for name, entry in ops.items():
        if "fluid" not in entry:
            continue
        rest = [item["name"] for key in ("inputs", "outputs", "attrs") for item in entry[key]
                if not {"slot", "attr", "neutral", "ignored", "overwrites"} & item.keys()]
        if rest:
            yield f"{name}: {', '.join(rest)}"


def main():
    if not paddle.__version__.startswith("3.3."):
        sys.exit(f"this needs Paddle 3.3, not {paddle.__version__}")
    answer = ask_paddle()
    fluid_ops = json.loads((FACTS / "paddle-2.6.json").read_text())["ops"]
    counterparts = Counterparts(answer, fluid_ops)
    parameters, kernels = ask_headers(), core._get_registered_phi_kernels("all")
    ops = {}
    for full_name, info in answer["ops"].items():
        dialect, name = full_name.split(".", 1)
        if dialect == "pd_op" and not SKIPPED.search(name) and not info["onednn"]:
            ops[name] = operator(name, info, counterparts, parameters.get(name, {}), kernels)
    arguments = [argument for argument in sys.argv[1:] if argument != "-v"]
    output = arguments[0] if arguments else FACTS / "paddle-3.3.json"
    sections = {
        "paddle": paddle.__version__,
        "dialect": "pd_op",
        "without_signature": [name for name in answer["without_signature"] if not name.startswith("dist_op.")],
        "ops": ops,
        "sources": sources(answer, counterparts),
    }
    tables.write(output, sections)
    if "-v" in sys.argv:
        print("\n".join(unmatched(ops, fluid_ops)), file=sys.stderr)
    with_fluid = sum("fluid" in entry for entry in ops.values())
    print(f"{len(ops)} operators, {with_fluid} with a fluid counterpart", file=sys.stderr)


if __name__ == "__main__":
    main()

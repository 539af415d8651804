#!/usr/bin/env python3
"""Writes opspecs/facts/paddle-2.6.json: the operators that an installed Paddle 2.6 registers.

    python scripts/facts/paddle_2_6.py [output]

Run it with the Python that has paddlepaddle 2.6. Slots, attributes and flags come from Paddle's OpProtos,
default values from its attribute checkers, dtypes from the registered CPU kernels.
"""

import math
import pathlib
import re
import sys

import numpy
import paddle
from paddle.base import core
from paddle.base.proto import framework_pb2

import tables

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "opspecs" / "facts" / "paddle-2.6.json"

# Every operator has these; none changes what it computes.
COMMON = ["op_callstack", "op_device", "op_namescope", "op_role", "op_role_var", "with_quant_attr"]

TYPES = {
    "BOOLEAN": "bool",
    "INT": "int",
    "LONG": "int",
    "FLOAT": "float",
    "FLOAT64": "float",
    "STRING": "string",
    "BOOLEANS": "bools",
    "INTS": "ints",
    "LONGS": "ints",
    "FLOATS": "floats",
    "FLOAT64S": "floats",
    "STRINGS": "strings",
    "BLOCK": "block",
    "BLOCKS": "blocks",
    "VAR": "var",
    "VARS": "vars",
    "SCALAR": "scalar",
    "SCALARS": "scalars",
}
CHECKER_TYPES = {**TYPES, "BOOL": "bool", "BOOLS": "bools"}
SINGLE = {"FLOAT", "FLOATS"}  # stored as float32


# Dtypes as fluid's kernel keys spell them; those of phi are spelt as here.
DTYPES = {
    "float": "float32",
    "double": "float64",
    "int": "int32",
    "int64_t": "int64",
    "int16_t": "int16",
    "int8_t": "int8",
    "uint8_t": "uint8",
    "bool": "bool",
    "::paddle::platform::float16": "float16",
    "::paddle::platform::bfloat16": "bfloat16",
    "::paddle::platform::complex<float>": "complex64",
    "::paddle::platform::complex<double>": "complex128",
}
FLUID_KERNEL = re.compile(r"data_type\[([^]]*)\]; data_layout\[[^]]*\]; place\[Place\(cpu\)\]; library_type\[PLAIN\]")
PHI_KERNEL = re.compile(r"\(CPU, [^,]*, (\w+)\)")


def plain(value):
    """A default as JSON: scalars of Paddle come as their printed form, whatever else is not JSON as None."""
    if isinstance(value, (bool, int, str)) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None


def shortest(value):
    """float32 0.001 is 0.0010000000474974513 in Python; 0.001 denotes the same float32."""
    if isinstance(value, list):
        return [shortest(item) for item in value]
    if isinstance(value, float):
        return float(str(numpy.float32(value)))
    return value


def slot(proto):
    entry = {"name": proto.name}
    for key, flag in (
        ("list", proto.duplicable),
        ("optional", proto.dispensable),
        ("intermediate", proto.intermediate),
        ("extra", proto.extra),
    ):
        if flag:
            entry[key] = True
    return entry


class Kernels:
    """The dtypes of the CPU kernels; those of oneDNN are a matter of how Paddle is built and run."""

    def __init__(self):
        self.fluid = core._get_all_register_op_kernels("all")
        self.phi = core._get_registered_phi_kernels("all")

    def dtypes(self, op):
        """None are known of operators that run without a kernel, or that have none on the CPU."""
        found = {DTYPES[name] for name in FLUID_KERNEL.findall(" ".join(self.fluid.get(op, ())))}
        # A kernel of phi that serves several operators is listed for one of them.
        return sorted(found or set(PHI_KERNEL.findall(" ".join(self.phi.get(op, ())))))


# Paddle 3 spells it right.
attribute_type = getattr(core, "get_attribute_type", None) or core.get_attrtibute_type


def operator(proto, dtypes):
    encoded = proto.type.encode()
    defaults = {name: plain(value) for name, value in core.get_op_attrs_default_value(encoded).items()}
    attrs = []
    for attr in proto.attrs:
        if attr.name in COMMON:
            continue
        kind = framework_pb2.AttrType.Name(attr.type)
        entry = {"name": attr.name, "type": TYPES[kind]}
        default = defaults.get(attr.name)
        if default is not None:
            entry["default"] = shortest(default) if kind in SINGLE else default
        if attr.support_tensor:
            entry["tensor"] = True
        if attr.generated:
            entry["generated"] = True
        if attr.extra:
            entry["extra"] = True
        attrs.append(entry)
    known = {attr["name"] for attr in attrs}
    for name, value in sorted(core.get_op_extra_attrs(proto.type).items()):
        if name not in known and name not in COMMON:
            kind = attribute_type(proto.type, name).name
            entry = {"name": name, "type": CHECKER_TYPES[kind], "default": shortest(plain(value)), "extra": True}
            attrs.append(entry)
    inputs, outputs = [slot(p) for p in proto.inputs], [slot(p) for p in proto.outputs]
    return {"inputs": inputs, "outputs": outputs, "attrs": attrs, "dtypes": dtypes}


def main():
    if not paddle.__version__.startswith("2.6."):
        sys.exit(f"this needs Paddle 2.6, not {paddle.__version__}")
    ops, kernels = {}, Kernels()
    for data in core.get_all_op_protos():
        proto = framework_pb2.OpProto.FromString(data)
        ops[proto.type] = operator(proto, kernels.dtypes(proto.type))
    output = sys.argv[1] if len(sys.argv) > 1 else OUTPUT
    tables.write(output, {"paddle": paddle.__version__, "common_attrs": COMMON, "ops": ops})
    print(f"{len(ops)} operators", file=sys.stderr)


if __name__ == "__main__":
    main()

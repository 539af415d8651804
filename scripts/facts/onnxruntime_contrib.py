#!/usr/bin/env python3
"""Writes opspecs/facts/onnxruntime-contrib.json: operands, results and attributes of ONNX Runtime's own operators.

    python scripts/facts/onnxruntime_contrib.py

ONNX Runtime's optimisers and quantisers write models with them: those of the domain com.microsoft, and some that it
has in ONNX's own domain though ONNX has not, or not so early.
"""

import json
import pathlib

import onnx
import onnx.defs
import onnxruntime
import onnxruntime.capi.onnxruntime_pybind11_state as state

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "opspecs" / "facts" / "onnxruntime-contrib.json"
TYPES = {"INT": "int", "FLOAT": "float", "STRING": "string", "INTS": "ints", "FLOATS": "floats", "STRINGS": "strings"}


def slot(formal) -> dict:
    option = str(formal.option).rsplit(".", 1)[-1]
    entry = {"name": formal.name}
    if option == "Optional":
        entry["optional"] = True
    if option == "Variadic":
        entry["list"] = True
    return entry


def attribute(name: str, formal) -> dict:
    entry = {"name": name, "type": TYPES.get(str(formal.type).rsplit(".", 1)[-1], "other")}
    default = onnx.AttributeProto()
    default.ParseFromString(formal._default_value)
    if default.type != onnx.AttributeProto.UNDEFINED:
        value = onnx.helper.get_attribute_value(default)
        if isinstance(value, bytes):
            value = value.decode()
        elif isinstance(value, float):
            value = float(f"{value:.9g}")
        entry["default"] = value if not hasattr(value, "__iter__") or isinstance(value, str) else list(value)
    return entry


def main() -> None:
    own = {schema.name for schema in onnx.defs.get_all_schemas_with_history() if not schema.domain}
    ops = {}
    for schema in state.get_all_operator_schema():
        if schema.domain == "com.microsoft":
            name = f"com.microsoft.{schema.name}"
        elif not schema.domain and schema.name not in own:
            name = schema.name
        else:
            continue
        ops[name] = {
            "inputs": [slot(formal) for formal in schema.inputs],
            "outputs": [slot(formal) for formal in schema.outputs],
            "attrs": [attribute(key, formal) for key, formal in sorted(schema.attributes.items())],
        }
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(entry)}" for name, entry in sorted(ops.items()))
    OUTPUT.write_text(f'{{\n  "version": {json.dumps(onnxruntime.__version__)},\n  "ops": {{\n{lines}\n  }}\n}}\n')


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes opspecs/facts/paddle-3-programs.json: the differences of Paddle 3's programs in the older format.

    python scripts/facts/paddle_3_programs.py [output]

Run it with the Python that has paddlepaddle 3.3. Its OpProtos are compared with paddle-2.6.json; what specs call the
parts of an operator that Paddle 2.6 does not have is in paddle-3.3.json.
"""

import json
import os
import pathlib
import sys

os.environ["FLAGS_enable_pir_api"] = "0"

import paddle  # noqa: E402
from paddle.base import core  # noqa: E402
from paddle.base.proto import framework_pb2  # noqa: E402

import paddle_2_6  # noqa: E402
import tables  # noqa: E402

FACTS = pathlib.Path(__file__).resolve().parents[2] / "opspecs" / "facts"

# Operands and attributes that the reader translates to the older form, or that change no result.
READ = {"assign_value": ["values"], "argsort": ["stable"], "repeat_interleave": ["output_size"]}
# Named by Paddle's OpProto as operands of every operator with attributes that tensors may give; nothing writes them.
NEVER_WRITTEN = {"assign_value": ["ValuesTensor"]}
# An operator that shares its name with an older one is recognised by an attribute that only it has.
IDENTIFIED_BY = {"rms_norm": "normalized_shape"}


def same_name(old, new):
    return old.lower().replace("_", "") == new.lower().replace("_", "")


def renames(olds, news):
    """What specs call the parts of an operator: names that differ in case, or in the suffix of a tensor for a value."""
    result = {}
    for old in olds:
        for new in news:
            if old != new and (same_name(old, new) or same_name(old, new + "_tensor")):
                result[old] = new
    return result


def newer(name, op, pir):
    """How specs spell an operator that Paddle 2.6 does not have, or another one of its name; None if as Paddle does."""
    fluid = pir.get("fluid")
    entry = {}
    if fluid or name in IDENTIFIED_BY:
        entry["type"] = fluid or name + "_v3"
    if name in IDENTIFIED_BY:
        entry["identified_by"] = IDENTIFIED_BY[name]
    for key in ("inputs", "outputs", "attrs"):
        names = [item["name"] for item in op[key] if not item.get("extra")]
        if fluid:
            where = "attr" if key == "attrs" else "slot"
            target = {item["name"]: item[where] for item in pir[key] if where in item}
            found = {old: target[new] for old in names for new in target if old == new or same_name(old, new)}
            found = {old: new for old, new in found.items() if old != new}
        else:
            found = renames(names, [item["name"] for item in pir[key]])
        if found:
            entry[key] = found
    casts = {item["slot"]: item["cast"] for item in pir["outputs"] if fluid and "cast" in item}
    return {**entry, "casts": casts} if casts else entry


def changed(name, op, old, known):
    """Operands and attributes that Paddle 2.6 does not know, with the value at which an attribute changes nothing."""
    skipped = [*READ.get(name, []), *NEVER_WRITTEN.get(name, [])]
    slots = {item["name"] for item in old["inputs"]}
    attrs = {item["name"] for item in old["attrs"]} | known | set(skipped)
    entry = {}
    inputs = [item["name"] for item in op["inputs"] if item["name"] not in slots and item["name"] not in skipped]
    if inputs:
        entry["new_inputs"] = inputs
    added = {item["name"]: item.get("default") for item in op["attrs"] if item["name"] not in attrs and not item.get("extra")}
    added = {attr: value for attr, value in added.items() if value is not None}
    if added:
        entry["new_attrs"] = added
    return entry


def main():
    if not paddle.__version__.startswith("3.3."):
        sys.exit(f"this needs Paddle 3.3, not {paddle.__version__}")
    old = json.loads((FACTS / "paddle-2.6.json").read_text())["ops"]
    pir = json.loads((FACTS / "paddle-3.3.json").read_text())["ops"]
    # Attributes of the new IR that specs speak of have the same names here.
    known, changes = {}, {}
    for entry in pir.values():
        if "fluid" not in entry:
            continue
        spoken = {item["name"] for item in entry["attrs"] if {"neutral", "attr"} & item.keys()}
        known.setdefault(entry["fluid"], set()).update(spoken)
        if "changed" in entry:
            major, minor = entry["changed"].split(".")
            changes[entry["fluid"]] = int(major) * 1000000 + int(minor) * 1000
    ops = {}
    for data in core.get_all_op_protos():
        proto = framework_pb2.OpProto.FromString(bytes(data))
        name = proto.type
        if "grad" in name:
            continue
        op = paddle_2_6.operator(proto, [])
        entry = {}
        if name in IDENTIFIED_BY or (name not in old and name in pir):
            entry = newer(name, op, pir[name])
        elif name in old:
            entry = changed(name, op, old[name], known.get(name, set()))
            if name in changes:
                entry["changed"] = changes[name]
        if entry:
            ops[name] = entry
    output = sys.argv[1] if len(sys.argv) > 1 else FACTS / "paddle-3-programs.json"
    tables.write(output, {"paddle": paddle.__version__, "ops": ops})
    print(f"{len(ops)} operators", file=sys.stderr)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes opspecs/facts/params.json: attributes of fluid operators that may be given by tensors.

    python scripts/facts/params.py

Made from paddle-2.6.json (which attributes may name a variable), paddle-3.3.json (which slots give which
attribute) and the tables below. Fails if anything named here is not in paddle-2.6.json.
"""

import json
import pathlib
import sys

import tables

FACTS = pathlib.Path(__file__).resolve().parents[2] / "opspecs" / "facts"

LIST_FIRST = ["list", "tensor", "attr"]
TENSOR_FIRST = ["tensor", "list", "attr"]

INTERPOLATIONS = {
    "bicubic_interp": ["out_h", "out_w"],
    "bilinear_interp": ["out_h", "out_w"],
    "linear_interp": ["out_w"],
    "nearest_interp": ["out_d", "out_h", "out_w"],
    "trilinear_interp": ["out_d", "out_h", "out_w"],
}


def interpolation(dims):
    """`attrs` are for the highest rank; with a lower one its last rank - 2 count."""
    return {
        "out_size": {
            "list": "SizeTensor",
            "tensor": "OutSize",
            "attrs": dims,
            "order": LIST_FIRST,
            "note": "any source of scale wins over attributes; a scale also sets the ratio where OutSize sets the size",
        },
        "scale": {"tensor": "Scale", "order": ["tensor", "attr"], "note": "SizeTensor and OutSize win over it"},
    }


# What Paddle's table lacks, because kernels or translators have code for it.
MORE = {
    "data": {"shape": {"list": "ShapeTensorList", "tensor": "ShapeTensor"}},
    "fill_constant": {
        "shape": {"list": "ShapeTensorList", "tensor": "ShapeTensor"},
        "value": {"tensor": "ValueTensor", "note": "then str_value if it is not empty, then value"},
    },
    "batch_norm": {"momentum": {"tensor": "MomentumTensor"}},
    "crop": {"shape": {"like": "Y"}},
    "expand_as_v2": {"target_shape": {"like": "Y", "note": "the attribute wins if not empty; its -1 is Y's size"}},
    "lod_reset": {"target_lod": {"tensor": "Y"}},
    "matrix_rank": {"tol": {"tensor": "TolTensor"}},
    "memory_efficient_attention": {
        "max_seqlen_k": {"tensor": "MaxSeqlenKTensor"},
        "max_seqlen_q": {"tensor": "MaxSeqlenQTensor"},
    },
    "pad2d": {"paddings": {"tensor": "Paddings"}},
    "repeat_interleave": {"Repeats": {"tensor": "RepeatsTensor", "note": "one count for each index"}},
    "set_value": {"values": {"tensor": "ValueTensor"}},
    "split": {
        "axis": {"tensor": "AxisTensor"},
        "sections": {"list": "SectionsTensorList", "note": "sections, if any, win over num"},
    },
    **{f"{name}{suffix}": interpolation(dims) for name, dims in INTERPOLATIONS.items() for suffix in ("", "_v2")},
}

# Measured with both slots given: Paddle 2.6.2's kernels disagree on which of them wins.
ORDERS = {
    **dict.fromkeys(["gaussian_random", "randint", "reshape", "reshape2", "uniform_random"], LIST_FIRST),
    **dict.fromkeys(
        ["crop_tensor", "empty", "expand", "expand_v2", "fill_constant", "slice", "strided_slice", "tile", "unsqueeze2"],
        TENSOR_FIRST,
    ),
    "data": TENSOR_FIRST,  # not measured: it cannot run by itself
    "sparse_reshape": LIST_FIRST,  # not measured
    "sparse_slice": LIST_FIRST,  # not measured
}
ATTRIBUTE_FIRST = {("expand_as_v2", "target_shape")}

# Slots that look like a source and are none: the kernel never reads them (measured).
DEAD = {op: ["AxisTensor", "AxisTensorList"] for op in ("reduce_all", "reduce_amax", "reduce_amin", "reduce_any")}


def param(op, attr, entry, attrs):
    order = entry.get("order")
    if order is None:
        given = [kind for kind in ("list", "tensor", "like") if kind in entry]
        if len(given) == 2:
            order = ORDERS[op]
        else:
            order = ["attr", *given] if (op, attr) in ATTRIBUTE_FIRST else [*given, "attr"]
    result = {key: entry[key] for key in ("list", "tensor", "like", "attrs") if key in entry}
    if attrs.get(attr, {}).get("tensor"):
        result["var"] = True
    result["order"] = order
    if "note" in entry:
        result["note"] = entry["note"]
    return result


def main():
    fluid_ops = json.loads((FACTS / "paddle-2.6.json").read_text())["ops"]
    sources = json.loads((FACTS / "paddle-3.3.json").read_text())["sources"]
    ops, wrong = {}, []
    for op, fluid in fluid_ops.items():
        slots = {slot["name"]: slot for slot in fluid["inputs"]}
        attrs = {attr["name"]: attr for attr in fluid["attrs"]}
        found = {name: {} for name, attr in attrs.items() if attr.get("tensor")}
        for attr, given_by in sources.get(op, {}).items():
            for slot in given_by:
                if slot in slots:
                    found.setdefault(attr, {})["list" if slots[slot].get("list") else "tensor"] = slot
                elif attr not in MORE.get(op, {}):
                    wrong.append(f"{op}: no slot {slot} for {attr}")
        for attr, entry in MORE.get(op, {}).items():
            found.setdefault(attr, {}).update(entry)
        for attr, entry in found.items():
            missing = [name for name in entry.get("attrs", [attr]) if name not in attrs]
            missing += [entry[kind] for kind in ("list", "tensor", "like") if kind in entry and entry[kind] not in slots]
            if "list" in entry and not slots.get(entry["list"], {}).get("list"):
                missing.append(f"a list slot {entry['list']}")
            if "tensor" in entry and slots.get(entry["tensor"], {}).get("list"):
                missing.append(f"a tensor slot {entry['tensor']}")
            wrong += [f"{op}.{attr}: Paddle 2.6 has no {name}" for name in missing]
        if found:
            ops[op] = {attr: param(op, attr, found[attr], attrs) for attr in sorted(found)}
    wrong += [f"no operator {op}" for op in [*MORE, *DEAD, *ORDERS] if op not in fluid_ops]
    if wrong:
        sys.exit("\n".join(wrong))
    tables.write(FACTS / "params.json", {"ops": ops, "dead_slots": DEAD})
    print(f"{len(ops)} operators", file=sys.stderr)


if __name__ == "__main__":
    main()

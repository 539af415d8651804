#!/usr/bin/env python3
"""Lists how inputs and attributes of ONNX operators moved between versions, and checks opspecs/facts/onnx.yaml.

    python scripts/facts/onnx_moves.py

Prints JSON lines, from opset 7 on: what became an input, what else came or went, changed defaults. Exits with 1 if
onnx.yaml names something that no schema has, or an input was renamed and onnx.yaml does not say so.
"""

import collections
import json
import pathlib
import sys

import onnx
import yaml

FACTS = pathlib.Path(__file__).resolve().parents[2] / "opspecs" / "facts"
FIRST = 7
# New inputs in the place of removed ones that are something else: their operators have a barrier there.
NOT_RENAMED = {("Scan", 9)}


def histories():
    versions = collections.defaultdict(list)
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "":
            versions[schema.name].append(schema)
    for name, history in sorted(versions.items()):
        history.sort(key=lambda schema: schema.since_version)
        following = [schema.since_version for schema in history[1:]] + [FIRST + 1]
        yield name, [schema for schema, ends in zip(history, following) if ends > FIRST or schema is history[-1]]


def default(attribute):
    return str(attribute.default_value).strip() if attribute is not None else None


def change(name, old, new, renames):
    old_inputs, new_inputs = [i.name for i in old.inputs], [i.name for i in new.inputs]
    old_attrs, new_attrs = set(old.attributes), set(new.attributes)

    def was(item, among):
        return next((spelling for spelling in [item, *renames.get(item, [])] if spelling in among), None)

    row = {
        "op": name,
        "below": new.since_version,
        "attribute_became_input": {i: was(i, old_attrs) for i in new_inputs if was(i, old_attrs) and i not in old_inputs},
        "input_became_attribute": [a for a in sorted(new_attrs) if a in old_inputs and a not in old_attrs],
        "input_renamed": {i: was(i, old_inputs) for i in new_inputs if i not in old_inputs and was(i, old_inputs)},
        "input_added": [i for i in new_inputs if not was(i, old_inputs) and not was(i, old_attrs)],
        "attribute_added": [a for a in sorted(new_attrs) if not was(a, old_attrs) and a not in old_inputs],
        "input_became_optional": [
            i.name for i in new.inputs for j in old.inputs if i.name == j.name and i.option != j.option
        ],
        "default_changed": [
            a for a in sorted(new_attrs & old_attrs) if default(new.attributes[a]) != default(old.attributes[a])
        ],
    }
    kept = {was(i, old_inputs + sorted(old_attrs)) for i in [*new_inputs, *new_attrs]}
    row["removed"] = [i for i in [*old_inputs, *sorted(old_attrs)] if i not in kept]
    if new.deprecated:
        row["deprecated"] = True
    return {key: value for key, value in row.items() if value}


def main():
    facts = yaml.safe_load((FACTS / "onnx.yaml").read_text())
    wrong, known = [], {}
    for name, history in histories():
        known[name] = history
        for old, new in zip(history, history[1:]):
            row = change(name, old, new, facts["renames"].get(name, {}))
            if len(row) > 2:
                print(json.dumps(row))
            removed_inputs = [i.name for i in old.inputs if i.name in row.get("removed", [])]
            if removed_inputs and not row.get("deprecated") and (name, new.since_version) not in NOT_RENAMED:
                wrong.append(f"{name}-{new.since_version} lost input {', '.join(removed_inputs)}")
    every = collections.defaultdict(list)
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "":
            every[schema.name].append(schema)
    for name, renames in facts["renames"].items():
        names = {i.name for s in every[name] for i in s.inputs} | {a for s in every[name] for a in s.attributes}
        wrong += [f"{name} never had {item}" for new, olds in renames.items() for item in [new, *olds] if item not in names]
    for name, versions in facts["barriers"].items():
        starts = {schema.since_version for schema in every[name]}
        wrong += [f"{name} has no version {version}" for version in versions if version not in starts]
    for name, versions in facts["widened"].items():
        wrong += [f"{name}-{version} is no barrier" for version in versions if version not in facts["barriers"].get(name, {})]
    wrong += [f"there is no {name}" for name in facts["early"] if name not in every]
    for name, attrs in facts["values"].items():
        for attr, values in attrs.items():
            for value, since in values.items():
                schema = next((s for s in known.get(name, []) if s.since_version == since), None)
                if schema is None or attr not in schema.attributes:
                    wrong.append(f"{name}-{since} has no attribute {attr} for {value}")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()

"""The bill of materials of the wheel, as CycloneDX has it: what python/THIRD_PARTY.md lists, with the versions that were built in.

    sbom.py OUTPUT VERSION [NAME=VERSION...] [--table FILE --target NAME [--wheel]]

FILE lists the parts of cross-built programs; parts for other targets than NAME are left out, and without --wheel those of wheels only.
"""
import argparse
import json
import re
import sys
from pathlib import Path

_TABLE = Path(__file__).resolve().parent.parent / "THIRD_PARTY.md"
_ROW = re.compile(r"^\| \[([^\]]+)\]\(([^)]+)\)(?:, with \[([^\]]+)\]\(([^)]+)\) in it)? \| ([^|]+) \| ([^|]+) \| ([^|]+) \|", re.MULTILINE)


def licence_of(text):
    return {"expression": text} if " " in text else {"license": {"id": text}}


def components(versions, table, target, wheel):
    for name, address, inner, inner_address, version, licence, where_used in _ROW.findall(table.read_text(encoding="utf-8")):
        own_target = re.search(r"programs for `([^`]+)`", where_used)
        if (own_target and not target.startswith(own_target[1])) or (where_used.startswith("wheels") and not wheel):
            continue
        for part, where in ((name, address), (inner, inner_address)):
            if part:
                known = versions.get(part, version if re.fullmatch(r"[0-9.]+", version) and part == name else None)
                yield {
                    "type": "library",
                    "name": part,
                    **({"version": known} if known else {}),
                    "licenses": [licence_of(licence.strip())],
                    "externalReferences": [{"type": "website", "url": where}],
                }


def bill(version, versions, table, target, wheel):
    found = list(components(versions, table, target, wheel))
    unknown = set(versions) - {component["name"] for component in found}
    if not found or unknown:
        raise SystemExit(f"{table} lacks {', '.join(sorted(unknown)) or 'its table'}")
    about = {"type": "application", "name": "fluid2onnx", "version": version, "licenses": [{"license": {"id": "Apache-2.0"}}]}
    about.update({"bom-ref": "fluid2onnx", "purl": f"pkg:pypi/fluid2onnx@{version}"})
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": about}, "components": found}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=Path)
    parser.add_argument("version")
    parser.add_argument("versions", nargs="*")
    parser.add_argument("--table", type=Path, default=_TABLE)
    parser.add_argument("--target", default="")
    parser.add_argument("--wheel", action="store_true")
    arguments = parser.parse_args()
    known = dict(word.split("=", 1) for word in arguments.versions)
    built_in = {name: number for name, number in known.items() if number}
    made = bill(arguments.version, built_in, arguments.table, arguments.target, arguments.wheel)
    arguments.output.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")

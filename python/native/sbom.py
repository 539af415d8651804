"""The bill of materials of the wheel, as CycloneDX has it: what python/THIRD_PARTY.md lists, with the versions that were built in.

    sbom.py OUTPUT VERSION [NAME=VERSION...]
"""
import json
import re
import sys
from pathlib import Path

_TABLE = Path(__file__).resolve().parent.parent / "THIRD_PARTY.md"
_ROW = re.compile(r"^\| \[([^\]]+)\]\(([^)]+)\)(?:, with \[([^\]]+)\]\(([^)]+)\) in it)? \| ([^|]+) \| ([^|]+) \|", re.MULTILINE)


def components(versions):
    for name, address, inner, inner_address, version, licence in _ROW.findall(_TABLE.read_text(encoding="utf-8")):
        for part, where in ((name, address), (inner, inner_address)):
            if part:
                known = versions.get(part, version if re.fullmatch(r"[0-9.]+", version) and part == name else None)
                yield {
                    "type": "library",
                    "name": part,
                    **({"version": known} if known else {}),
                    "licenses": [{"license": {"id": licence.strip()}}],
                    "externalReferences": [{"type": "website", "url": where}],
                }


def bill(version, versions):
    found = list(components(versions))
    unknown = set(versions) - {component["name"] for component in found}
    if not found or unknown:
        raise SystemExit(f"{_TABLE} lacks {', '.join(sorted(unknown)) or 'its table'}")
    about = {"type": "application", "name": "fluid2onnx", "version": version, "licenses": [{"license": {"id": "Apache-2.0"}}]}
    about.update({"bom-ref": "fluid2onnx", "purl": f"pkg:pypi/fluid2onnx@{version}"})
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": about}, "components": found}


if __name__ == "__main__":
    known = dict(word.split("=", 1) for word in sys.argv[3:])
    text = json.dumps(bill(sys.argv[2], {name: number for name, number in known.items() if number}), indent=1) + "\n"
    Path(sys.argv[1]).write_text(text, encoding="utf-8")

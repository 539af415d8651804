"""Every operator of ONNX that conversions from Paddle emit can be read back, or is listed below with the reason.

    closure.py

Emitted are the builders that opgen renders, and what C++ emits by name; read back is what has a spec, is derived, or has
a body in ONNX's schema, at every opset where it is emitted.
"""

import re
import sys
from pathlib import Path

import onnx.defs
from common import converters

ROOT = Path(__file__).resolve().parents[2]

REASONS = {
    "BitCast": "Paddle's view_dtype has no kernel for the CPU",
}
OLDEST = 7


def emitted() -> dict[str, list[range]]:
    """The opsets in which each operator is emitted."""
    found: dict[str, list[range]] = {}
    text = (ROOT / "generated/builders.cc").read_text()
    for head, op in re.findall(r"(?m)^((?://.*\n)+)(?:constexpr Step .*(?:\n .*|\n};)*\n)?const (?:List)?Builder \w+\{\"(\w+)\"", text):
        first, last = map(int, re.search(r"opsets (\d+) to\s+(?://\s*)?(\d+)", head).groups())
        found.setdefault(op, []).append(range(first, last + 1))
    for path in [*(ROOT / "runtime").rglob("*.cc")]:
        if path.is_relative_to(ROOT / "runtime/to_paddle") or "passes" in path.parts:
            continue
        for op in re.findall(r'\bnode\("([A-Z]\w*)"', path.read_text()) + re.findall(r'op_type = "([A-Z]\w*)"', path.read_text()):
            found.setdefault(op, [])
    return found


def readable() -> dict[str, list[range]]:
    found: dict[str, list[range]] = {}
    newest = onnx.defs.onnx_opset_version()
    for op, first, last in converters():
        found.setdefault(op, []).append(range(first, (last or newest) + 1))
    return found


def has_body(op: str, opset: int) -> bool:
    try:
        schema = onnx.defs.get_schema(op, opset)
    except onnx.defs.SchemaError:
        return False
    return schema.has_function or schema.has_context_dependent_function


def main() -> int:
    read, missing, listed = readable(), [], set()
    newest = onnx.defs.onnx_opset_version()
    for op, ranges in sorted(emitted().items()):
        wanted = [opset for part in ranges for opset in part if OLDEST <= opset <= newest] or [newest]
        known = [opset for part in read.get(op, []) for opset in part]
        lacking = [opset for opset in wanted if opset not in known and not has_body(op, opset)]
        if lacking and op in REASONS:
            listed.add(op)
        elif lacking:
            missing.append(f"{op}: emitted, and not read at opset {', '.join(map(str, lacking))}")
    stale = [f"{op}: can be read, and is listed" for op in REASONS if op not in listed]
    print("\n".join(missing + stale))
    print(f"{len(emitted())} operators are emitted; {len(listed)} of them cannot be read back, for the reasons listed")
    return 1 if missing or stale else 0


if __name__ == "__main__":
    sys.exit(main())

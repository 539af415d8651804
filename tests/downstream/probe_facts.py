"""Facts of a target from the outcomes of its probes, in the form of opspecs/targets.

A case has factors: the values of its attributes, the ranks of its operands, and which optional operands and results it
has. A failing case blames a factor if it is the only one that no passing case has.
"""
import re
from collections import defaultdict
from pathlib import Path
from typing import Any, DefaultDict, Dict, Iterator, List, Optional, Sequence, Set, Tuple

import probe_cases
from engines import ENGINES

TITLES = {name: ENGINES[name].title for name in ("onnxruntime", "onnxruntime-web", "openvino", "opencv", "mnn", "tract", "ncnn")}
DOMAINS = {"onnxruntime": ["com.microsoft", "ai.onnx.ml"], "onnxruntime-web": ["com.microsoft", "ai.onnx.ml"]}
# What whole models show and single nodes do not: without a convolution, pnnx takes the wrong axis for the batch.
WHOLE_MODELS = {
    "ncnn": {
        "Gather": {"ranks": {"indices": "..0"}, "constant": ["indices"]},  # vision transformers
        "RNN": {"attributes": {"direction": ["forward"]}, "without": ["sequence_lens"]},  # a language model
    }
}
OPSETS = range(7, 27)
USUAL_OPSET = 17
ROOT = Path(__file__).resolve().parents[2]
TOLERATED = 2  # operators that run at another opset only
_FLAGS = ("0", "1")
_CHOICES = {"auto_pad": {"NOTSET", "SAME_LOWER", "SAME_UPPER", "VALID"}}

Factor = Tuple[str, str, str]
Facts = Dict[str, Any]


def file_name(engine: str) -> str:
    """Of the file of facts, without its extension; also the name of the target."""
    return "web" if engine == "onnxruntime-web" else engine


def _values(value: Any) -> List[str]:
    items = value if isinstance(value, list) else [value]
    return [str(item) for item in items] if all(isinstance(item, (str, int)) for item in items) else []


# Failures of the suite, or of the machine: no facts about an engine. Infinite errors come from results that overflow.
_NO_FACTS = ("KeyError", "StopIteration", "Resource temporarily unavailable", "relative error inf")


# What the probes of ncnn show besides: pnnx guesses which axis is the batch, so other values or shapes may be a wrong guess.
_NO_FACTS_OF_NCNN = ("compare",)


def _judged(why: str, engine: str = "") -> bool:
    return why != "time" and not any(text in why for text in _NO_FACTS + (_NO_FACTS_OF_NCNN if engine == "ncnn" else ()))


def factors(case: probe_cases.Case) -> Set[Factor]:
    """What may be the reason that a case fails."""
    found: Set[Factor] = set()
    schema = case.schema
    for name, attribute in schema.attributes.items():
        value = case.attributes.get(name)
        if value is None and attribute.default_value is not None and attribute.default_value.name:
            value = probe_cases.helper.get_attribute_value(attribute.default_value)
            value = value.decode() if isinstance(value, bytes) else value
        texts = _values(value) if value is not None else []
        strings = attribute.type in (probe_cases.onnx.defs.OpSchema.AttrType.STRING, probe_cases.onnx.defs.OpSchema.AttrType.STRINGS)
        if (strings and name != "equation") or (len(texts) == 1 and not isinstance(value, list) and texts[0] in _FLAGS):
            found.update(("attribute", name, text) for text in texts)
        elif name == "dilations":
            found.add(("attribute", name, "1" if set(texts) <= {"1"} else "other"))
    for index, array in enumerate(case.inputs):
        if array is None:
            continue
        formal = case.formal(index)
        found.add(("rank", formal.name, str(array.ndim)))
        found.add(("dtype", formal.type_str, probe_cases.dtype_name(array)))
        if formal.option == probe_cases.onnx.defs.OpSchema.FormalParameterOption.Optional:
            found.add(("port", formal.name, ""))
    for index, name in enumerate(case.node.output):
        if name and index and index < len(schema.outputs):
            found.add(("port", schema.outputs[index].name, ""))
    return found


def blamed(cases: Sequence[Tuple[probe_cases.Case, bool]]) -> Tuple[Set[Factor], Set[Factor]]:
    """Factors that make cases fail, and those of passing cases."""
    good: Set[Factor] = set()
    for case, passes in cases:
        if passes:
            good |= factors(case)
    bad: Set[Factor] = set()
    for case, passes in cases:
        suspects = factors(case) - good if not passes else set()
        attributes = {factor for factor in suspects if factor[0] == "attribute"}
        if len(suspects) == 1:
            bad |= suspects
        elif len(attributes) == 1:
            bad |= attributes
    return bad, good


def _ranges(good: Sequence[int], bad: Sequence[int]) -> str:
    """A range that contains `good` and excludes what lies beyond; empty if `bad` is between."""
    low, high = min(good), max(good)
    if any(low < rank < high for rank in bad):
        return ""
    return f"{low if any(rank < low for rank in bad) else ''}..{high if any(rank > high for rank in bad) else ''}"


def _opsets(op: str, outcomes: Dict[str, str]) -> List[str]:
    """The opsets whose forms pass, if others fail. A form that was not probed is like the one before."""
    spans: List[List[int]] = []
    starts = probe_cases.versions(op)
    passes = True
    for start, following in zip(starts, [*starts[1:], OPSETS[-1] + 1]):
        if str(start) in outcomes and _judged(outcomes[str(start)]):
            passes = not outcomes[str(start)]
        if passes and spans and spans[-1][1] == start - 1:
            spans[-1][1] = following - 1
        elif passes:
            spans.append([start, following - 1])
    if not spans or spans == [[starts[0], OPSETS[-1]]]:
        return []
    return [f"{first}.." if last == OPSETS[-1] else str(first) if first == last else f"{first}..{last}" for first, last in spans]


def runs(op: str, outcome: Dict[str, Any], entry: Dict[str, Any]) -> bool:
    """True if a case passes whose data is no constant, which would only be evaluated."""
    for case in entry["cases"]:
        constant = outcome["cases"].get(case.name, {}).get("constant")
        if constant is not None and (0 not in constant or op == "Range" or str(getattr(case.inputs[0], "dtype", "")) != "float32"):
            return True
    return False


def operator_facts(op: str, outcome: Dict[str, Any], entry: Dict[str, Any]) -> Facts:
    """The limits of an operator that runs."""
    found: Facts = {}
    cases = []
    for case in entry["cases"]:
        seen = outcome["cases"].get(case.name, {"why": "time"})
        if "constant" in seen or _judged(seen["why"]):
            cases.append((case, "constant" in seen))
    opsets = _opsets(op, outcome["versions"])
    if opsets:
        found["opsets"] = opsets
    bad, good = blamed(cases)
    for variable, by_dtype in outcome["dtypes"].items():
        own = probe_cases.dtype_name(_first_operand(entry, variable))
        # A dtype that was not probed counts as one that runs.
        passing = sorted(dtype for dtype in entry["dtypes"][variable] if not by_dtype.get(dtype) or not _judged(by_dtype[dtype]))
        # The dtype of the cases fails for another reason if some case passes.
        misjudged = own not in passing and ("dtype", variable, own) in good
        if passing and not misjudged and len(passing) < len(entry["dtypes"][variable]):
            found.setdefault("dtypes", {})[variable] = passing
    ranks: DefaultDict[str, Tuple[Set[int], Set[int]]] = defaultdict(lambda: (set(), set()))
    for kind, name, value in good:
        if kind == "rank":
            ranks[name][0].add(int(value))
    for kind, name, value in bad:
        if kind == "rank":
            ranks[name][1].add(int(value))
    first = next((case.formal(0).name for case in entry["cases"] if case.inputs), "")
    for rank, why in outcome["ranks"].items():
        if not _judged(why):
            continue
        ranks[first][1 if why else 0].add(int(rank))
    for name, (fine, refused) in sorted(ranks.items()):
        text = _ranges(sorted(fine), sorted(refused - fine)) if fine and refused - fine else ""
        if text:
            found.setdefault("ranks", {})[name] = text
    for name in sorted({name for kind, name, _ in bad if kind == "attribute"}):
        passing = {value for kind, other, value in good if kind == "attribute" and other == name and value != "other"}
        # A value that no case has counts as one that runs.
        probed = {value for case, _ in cases for kind, other, value in factors(case) if kind == "attribute" and other == name}
        values = sorted(passing | (_CHOICES.get(name, set()) - probed))
        if values:
            found.setdefault("attributes", {})[name] = [f"'{value}'" if value.lstrip("-").isdigit() else value for value in values]
    fed = {name for case, _ in cases for name in _fed(case, outcome["cases"].get(case.name, {}))}
    refused = {name for name, whys in outcome["constant"].items() if whys and all(why and _judged(why) for why in whys)}
    constant = sorted(refused - fed)
    if constant:
        found["constant"] = constant
    without = sorted(name for kind, name, _ in bad if kind == "port")
    if without:
        found["without"] = without
    return found


def _fed(case: probe_cases.Case, seen: Dict[str, Any]) -> List[str]:
    """Operands that a passing case feeds."""
    given = [index for index, array in enumerate(case.inputs) if array is not None]
    return [case.formal(index).name for index in given if index not in seen["constant"]] if "constant" in seen else []


def _first_operand(entry: Dict[str, Any], variable: str) -> Any:
    case = next(iter(entry["dtypes"][variable].values()))
    return next(case.inputs[index] for name, operands, _ in probe_cases.variables(case) if name == variable for index in operands)


def add_graph_facts(graphs: Dict[str, Any], found: Dict[str, Facts]) -> None:
    """What models of control flow, sequences and recurrent operators show."""
    by_op: DefaultDict[str, Dict[str, bool]] = defaultdict(dict)
    for graph in graphs.values():
        for op in graph["ops"]:
            if not graph["why"]:
                found.setdefault(op, {})
            if graph["fact"]:
                by_op[op][graph["fact"]] = by_op[op].get(graph["fact"], True) and not graph["why"]
    for op, shown in by_op.items():
        if op not in found:
            continue
        if not shown.get("sequence_lens", True):
            found[op].setdefault("without", [])
            found[op]["without"] = sorted({*found[op]["without"], "sequence_lens"})
            found[op]["constant"] = [name for name in found[op].get("constant", []) if name != "sequence_lens"] or None
        elif not shown.get("fed sequence_lens", True):
            found[op]["constant"] = sorted({*(found[op].get("constant") or []), "sequence_lens"})
        if shown.get("direction=bidirectional"):
            found[op].get("attributes", {}).pop("direction", None)
        elif shown.get("direction=forward"):
            found[op].setdefault("attributes", {})["direction"] = ["forward", "reverse"]
        if not shown.get("fed M", True) and op == "Loop":
            found[op]["constant"] = ["M"]


def best_opset(result: Dict[str, Any], newest: int) -> int:
    """The usual opset, unless more operators run at another. Those that --target replaces do not count."""
    replaced = set(re.findall(r"replaces: (\w+)", (ROOT / "opspecs/lib/replacements.yaml").read_text()))
    failing: Dict[int, int] = {}
    for opset in OPSETS:
        if opset < 11 or opset > newest:
            continue
        count = 0
        for op, outcome in result["operators"].items():
            starts = [start for start in probe_cases.versions(op) if op not in replaced and start <= opset and str(start) in outcome["versions"]]
            count += bool(starts) and bool(outcome["versions"][str(starts[-1])])
        failing[opset] = count
    least = min(failing.values())
    good = [opset for opset, count in failing.items() if count <= least + TOLERATED]
    return min(good, key=lambda opset: (abs(opset - USUAL_OPSET), opset))


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(value) + "]"
    return str(value)


def _wrapped(head: str, words: Sequence[str]) -> Iterator[str]:
    line = head + "["
    for index, word in enumerate(words):
        piece = word + (", " if index + 1 < len(words) else "]")
        if len(line) + len(piece) > 118:
            yield line.rstrip()
            line = "  "
        line += piece
    yield line.rstrip()


def facts(result: Dict[str, Any], made: Dict[str, Any], reference: Optional[Dict[str, Any]]) -> str:
    """The file of a target. An operator that the reference does not run either is unjudged."""
    engine = result["engine"]
    found: Dict[str, Facts] = {}
    unjudged = {op for op in probe_cases.SKIPPED if probe_cases.onnx.defs.has(op)}
    for op, outcome in result["operators"].items():
        if runs(op, outcome, made[op]):
            found[op] = operator_facts(op, outcome, made[op])
        elif not any(_judged(case["why"], engine) for case in outcome["cases"].values() if "why" in case):
            unjudged.add(op)
        elif reference and not any("constant" in case for case in reference["operators"][op]["cases"].values()):
            unjudged.add(op)
    add_graph_facts(result["graphs"], found)
    found.update(WHOLE_MODELS.get(engine, {}))
    shown = set(result["operators"]) | {op for graph in result["graphs"].values() for op in graph["ops"]}
    unjudged |= {schema.name for schema in probe_cases.onnx.defs.get_all_schemas() if schema.domain == ""} - shown
    opsets = [int(opset) for opset, why in result["opsets"].items() if not why]
    lines = [
        f"# Facts about {TITLES[engine]}. Written by tests/downstream/probe.py; do not edit.",
        f"target: {file_name(engine)}",
        f"title: {TITLES[engine]}",
        f'version: "{result["version"].split(",")[0]}"',
        'source: "measured by tests/downstream/probe.py with the node cases of ONNX 1.23.2"',
        f"opsets: {min(opsets)}..{max(opsets)}",
        f"best_opset: {best_opset(result, max(opsets))}",
    ]
    if engine == "ncnn":
        lines.append("dynamic: false  # pnnx fixes the sizes")
    if engine in DOMAINS:
        lines.append(f"domains: [{', '.join(DOMAINS[engine])}]")
    lines += _wrapped("unjudged: ", sorted(unjudged - set(found)))
    lines.append("operators:")
    lines += [f"  {op}: {_flow({key: value for key, value in found[op].items() if value})}" for op in sorted(found)]
    return "\n".join(lines) + "\n"

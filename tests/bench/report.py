"""Turns the measurements into docs/benchmarks.md and docs/benchmarks.svg.

    report.py RESULTS.json DOCS
"""
import datetime
import json
import math
import os
import platform
import re
import statistics
import sys

import plot

MANY = 50e6  # bytes of weights; with less, all memory is for operators
NAMES = {"cp": "cp", "fluid2onnx": "fluid2onnx", "reference": "fluid2onnx, by reference", "paddle2onnx": "Paddle2ONNX"}


def median(tool, figure):
    runs = [r[figure] for r in tool["runs"]]
    return statistics.median(runs) if runs else None


def ratio(a, b, figure):
    """The median of the ratios of runs that followed each other."""
    pairs = [x[figure] / y[figure] for x, y in zip(a["runs"], b["runs"]) if y[figure] > 0]
    return statistics.median(pairs) if pairs else None


def seconds(value):
    return f"{value:.2f} s" if value >= 1 else f"{1000 * value:.0f} ms"


def size(value):
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit in ("B", "kB") or value >= 10 else f"{value:.1f} {unit}"
        value /= 1000


def cell(tool, figure, text):
    value = median(tool, figure)
    return text(value) if value is not None else tool.get("failed", "") if figure == "wall" else ""


def zoo(results):
    """Nodes and latency of whole networks."""
    ours_in_all = theirs_in_all = 0
    for model, result in results.items():
        ours, theirs = result["fluid2onnx"], result["paddle2onnx"]
        if "latency" not in ours:
            continue
        ours_in_all += ours["nodes"]
        theirs_in_all += theirs["nodes"]
        yield [
            model.removeprefix("zoo_"),
            str(ours["nodes"]),
            str(theirs["nodes"]),
            f"{statistics.median(ours['latency']):.2f} ms",
            f"{statistics.median(theirs['latency']):.2f} ms",
            f"{latency_ratio(ours, theirs):.3f}",
        ]
    yield ["in all", str(ours_in_all), str(theirs_in_all), "", "", ""]


def latency_ratio(ours, theirs):
    return statistics.median(a / b for a, b in zip(ours["latency"], theirs["latency"]))


def growth(results):
    """How the time of a conversion grows with the operators."""
    names = ("operators_1k", "operators_10k", "operators_100k")
    if any(name not in results for name in names):
        return ""
    times = [median(results[name]["fluid2onnx"], "cpu") for name in names]
    powers = [f"{math.log10(b / a):.2f}" for a, b in zip(times, times[1:])]
    return (f"CPU time grows with the number of operators to the power of {powers[0]} (from 1,000 to 10,000) and {powers[1]}\n"
            "(from 10,000 to 100,000).")


def rows(results):
    for model, result in results.items():
        for key, name in NAMES.items():
            if key not in result:
                continue
            tool = result[key]
            latency = tool.get("latency")
            yield [
                f"{model} ({size(result['weights'])} + {size(result['program'])})" if key == min(result, key=list(result).index) else "",
                name,
                cell(tool, "wall", seconds),
                cell(tool, "cpu", seconds),
                cell(tool, "rss", size),
                size(tool["bytes"]) if "bytes" in tool else "",
                str(tool.get("nodes", "")),
                f"{statistics.median(latency):.2f} ms" if latency else "",
            ]


def ratios(results):
    for model, result in results.items():
        if "cp" not in result:
            continue
        ours, cp, theirs = result["fluid2onnx"], result["cp"], result["paddle2onnx"]
        number = lambda r: f"{r:.3f}" if r is not None else ""
        latency = ""
        if "latency" in ours:
            latency = number(latency_ratio(ours, theirs))
        yield [
            model,
            number(ratio(ours, cp, "wall")),
            number(ratio(ours, theirs, "wall")),
            number(ratio(ours, theirs, "cpu")),
            number(ratio(ours, theirs, "rss")),
            number(median(ours, "rss") / result["weights"]) if result["weights"] > MANY else "",
            latency,
        ]


def table(head, lines):
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines])


def others(page, text):
    """The sections of the page that people write, which the text does not contain."""
    if not os.path.exists(page):
        return ""
    with open(page) as file:
        sections = re.split("(?m)^(?=## )", file.read())[1:]
    ours = set(re.findall("(?m)^## .*$", text))
    return "".join("\n" + s.strip() + "\n" for s in sections if s.partition("\n")[0] not in ours)


def main(source, docs):
    with open(source) as file:
        measured = json.load(file)
    results, versions = measured["models"], measured["versions"]
    networks = list(zoo({m: r for m, r in results.items() if m.startswith("zoo_")}))
    results = {m: r for m, r in results.items() if not m.startswith("zoo_")}
    runs = max(len(tool["runs"]) for result in results.values() for tool in result.values() if isinstance(tool, dict))
    load = os.getloadavg()
    text = f"""# Benchmarks

`tests/bench/run` measures whole processes, start included, and writes the sections "Ratios",
"Networks" and "Figures". The other sections have their own commands and dates.

| | |
|---|---|
| figure | median of up to {runs} runs, after one warm-up run; the tools take turns |
| ratio | median of the ratios of consecutive runs |
| `cp` | copies program and parameters to the same disk |
| files | in the system's cache; sizes are of parameters and program |
| latency | one thread of ONNX Runtime {versions["onnxruntime"]}, batch 1, both models alternately |
| Paddle2ONNX | {versions["paddle2onnx"]}, checker off; both tools at opset 16 |
| models | made by Paddle {versions["paddlepaddle"]} with random weights (`tests/bench/models.py`); the sparse one has a file with holes as parameters |
| machine | {os.cpu_count()} processors ({platform.machine()}), {datetime.date.today()}, load average {load[1]:.1f} at the end; under load, ratios are more reliable than seconds |

![time and memory](benchmarks.svg)

## Ratios

{table(["model", "time / cp", "time / Paddle2ONNX", "CPU / Paddle2ONNX", "memory / Paddle2ONNX", "memory / weights", "latency / Paddle2ONNX"], ratios(results))}

{growth(results)}

## Networks

{table(["network", "nodes", "nodes of Paddle2ONNX", "latency", "latency of Paddle2ONNX", "ratio"], networks)}

## Figures

{table(["model", "tool", "time", "CPU", "memory", "output", "nodes", "latency"], rows(results))}
"""
    page = os.path.join(docs, "benchmarks.md")
    text += others(page, text)
    with open(page, "w") as file:
        file.write(text)
    with open(os.path.join(docs, "benchmarks.svg"), "w") as file:
        file.write(plot.draw(plot.read(text)))


if __name__ == "__main__":
    main(*sys.argv[1:])

#!/usr/bin/env python3
"""Draws docs/benchmarks.svg from the section "Figures" of docs/benchmarks.md.

    plot.py PAGE PICTURE
"""
import math
import re
import sys
from html import escape
from pathlib import Path
from typing import Dict, List

_TOOLS = {"cp": "#8c8c8c", "fluid2onnx": "#1f77b4", "Paddle2ONNX": "#ff7f0e"}
_MODELS = 4  # the first ones with all three tools
_UNITS = {"ms": 1e-3, "s": 1.0, "kB": 1e-3, "MB": 1.0, "GB": 1e3}
_LEFT, _WIDTH, _BAR, _GAP = 150, 250, 13, 16  # of a chart; of bars


def read(page: str) -> "Dict[str, Dict[str, List[str]]]":
    """Time and memory as text, by model and tool."""
    models: Dict[str, Dict[str, List[str]]] = {}
    model = ""
    for row in page.split("\n## Figures\n")[1].split("\n## ")[0].split("\n"):
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if len(cells) < 5 or cells[0] in ("model", "---"):
            continue
        model = cells[0] or model
        if cells[1] in _TOOLS:
            models.setdefault(model, {})[cells[1]] = [cells[2], cells[4]]
    complete = [name for name, tools in models.items() if len(tools) == len(_TOOLS) and all(map(_value, [t[0] for t in tools.values()]))]
    return {name: models[name] for name in complete[:_MODELS]}


def _value(text: str) -> float:
    """In seconds or MB; 0 for other texts."""
    found = re.fullmatch(r"([0-9.]+) (\w+)", text)
    return float(found[1]) * _UNITS[found[2]] if found else 0.0


def draw(models: "Dict[str, Dict[str, List[str]]]") -> str:
    height = 60 + len(models) * (len(_TOOLS) * _BAR + _GAP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="800" height="{height}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="#fff"/>']
    x = _LEFT
    for tool, colour in _TOOLS.items():
        out.append(f'<rect x="{x}" y="8" width="12" height="12" fill="{colour}"/><text x="{x + 17}" y="18">{tool}</text>')
        x += 110
    for column, title in enumerate(("time (log scale)", "peak memory (log scale)")):
        left = _LEFT + column * (_WIDTH + 70)
        values = [_value(figures[column]) for tools in models.values() for figures in tools.values()]
        low, high = math.log10(min(values)) - 0.3, math.log10(max(values))
        out.append(f'<text x="{left}" y="42" font-weight="bold">{title}</text>')
        y = 52
        for model, tools in models.items():
            if column == 0:
                name, _, size = model.partition(" (")
                out.append(f'<text x="{_LEFT - 8}" y="{y + 15}" text-anchor="end">{escape(name)}</text>')
                out.append(f'<text x="{_LEFT - 8}" y="{y + 31}" text-anchor="end" fill="#666">{escape(size.partition(" +")[0])}</text>')
            for tool, colour in _TOOLS.items():
                text = tools[tool][column]
                width = _WIDTH * 0.8 * (math.log10(_value(text)) - low) / (high - low)
                out.append(f'<rect x="{left}" y="{y}" width="{width:.0f}" height="{_BAR - 1}" fill="{colour}"/>'
                           f'<text x="{left + width + 4:.0f}" y="{y + 10}" font-size="10">{text}</text>')
                y += _BAR
            y += _GAP
    return "\n".join(out + ["</svg>"]) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Path(sys.argv[2]).write_text(draw(read(Path(sys.argv[1]).read_text(encoding="utf-8"))), encoding="utf-8")

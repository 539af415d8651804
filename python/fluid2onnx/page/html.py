"""Writing the page."""
import json
import os
from html import escape

from ..files import write_file
from .graph import Graph
from .libraries import NAMES, folder

_HERE = os.path.dirname(os.path.abspath(__file__))


def page(graph: Graph) -> str:
    """The page: one file that loads nothing."""
    # "</script>" and "<!--" in names of the model would end the element that holds them.
    model = json.dumps(graph.as_json(), ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    parts = {
        "title": escape(graph.title),
        "style": _read(_HERE, "page.css"),
        "model": model,
        "libraries": scripts(),
        "script": _read(_HERE, "page.js"),
    }
    text = _read(_HERE, "page.html")
    head, *rest = text.split("{{")
    return head + "".join(parts[name] + after for name, _, after in (part.partition("}}") for part in rest))


def write_page(graph: Graph, path: str) -> None:
    write_file(path, page(graph).encode())


def scripts() -> str:
    """The elements of the libraries that draw the graph; "" if they are nowhere."""
    return "\n".join(f"<script>\n{text}\n</script>" for text in _libraries())


def _libraries() -> "list[str]":
    where = folder()
    if where is None:
        return []
    # They end with links to files that are not there.
    return [_without_map(_read(where, name)) for name in NAMES]


def _without_map(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("//# sourceMappingURL="))


def _read(where: str, name: str) -> str:
    with open(os.path.join(where, name), encoding="utf-8") as file:
        return file.read()

"""Writes graph/parts.js of the npm package: the template, style and scripts of the page that draws graphs.

    PYTHONPATH=python python wasm/parts.py FILE
"""
import json
import sys
from pathlib import Path

from fluid2onnx.page import html, libraries

_NAMES = {"template": "page.html", "style": "page.css", "script": "page.js"}


def main() -> None:
    if libraries.folder() is None:
        libraries.fetch(libraries._cache())
    texts = {name: html._read(html._HERE, file) for name, file in _NAMES.items()}
    texts["libraries"] = html.scripts()
    Path(sys.argv[1]).write_text("".join(f"export const {name} = {json.dumps(text)};\n" for name, text in texts.items()), encoding="utf-8")


if __name__ == "__main__":
    main()

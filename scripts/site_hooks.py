"""What mkdocs.yml needs beyond mkdocs: pages that stand elsewhere in the repository, and links to its files.

Links that lead out of docs/ work where the repository is looked at. On the site they lead to copies below source/.
"""
import posixpath
import re
import subprocess
import tempfile
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
# Pages that have their place in the repository's root, and their links.
_PAGES = {"CHANGELOG.md": ROOT / "CHANGELOG.md", "CONTRIBUTING.md": ROOT / "CONTRIBUTING.md"}
_LINK = re.compile(r"(\[(?:[^\]\[]|\[[^\]]*\])*\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")
_CODE = re.compile(r"`[^`]+`")
_NO_CONVERTER = """<!doctype html><html lang="en"><meta charset="utf-8"><title>fluid2onnx</title>
<p>This copy of the documentation was made without the converter: run <code>scripts/wasm</code>, then <code>scripts/site</code>.
<p><a href="../index.html">Start</a></html>
"""
_TABLE = "<!-- error codes, rendered: -->"


def on_files(files, config):
    sources = {Path(name).name: path for name, path in _PAGES.items()}
    for name, path in sources.items():
        files.append(File.generated(config, name, content=path.read_text()))
    for file in list(files):
        if file.is_documentation_page():
            text = _text(file)
            for _, target, _ in _LINK.findall(text):
                path = _repository_path(file.src_uri, target)
                if path and (ROOT / path).is_file() and not files.get_file_from_path(_copy(path)):
                    files.append(File.generated(config, _copy(path), abs_src_path=str(ROOT / path)))
    for path in sorted((ROOT / "opspecs").rglob("*.yaml")):  # the matrix as a page to search has links to all
        name = _copy(path.relative_to(ROOT).as_posix())
        if not files.get_file_from_path(name):
            files.append(File.generated(config, name, abs_src_path=str(path)))
    _add_converter(files, config)
    matrix = re.sub(r'href="\.\./([^"]+)"', lambda match: f'href="{_copy(match[1])}"', _search_page())
    files.append(File.generated(config, "operators.html", content=matrix))
    return files


def _add_converter(files, config):
    """The page that converts in the browser: scripts/wasm makes it."""
    made = ROOT / "build" / "wasm" / "site"
    if not (made / "convert" / "index.html").is_file():
        files.append(File.generated(config, "convert/index.html", content=_NO_CONVERTER))
    for path in sorted(path for path in made.rglob("*") if path.is_file()):
        files.append(File.generated(config, path.relative_to(made).as_posix(), abs_src_path=str(path)))


def _search_page():
    """The support matrix as a search page, which opgen renders and the repository does not contain."""
    opgen = ROOT / "build" / "release" / "bin" / "opgen"
    with tempfile.TemporaryDirectory(prefix="f2o-site-") as folder:
        subprocess.run([opgen, "render", "--root", ROOT, "--out", folder], check=True)
        return (Path(folder) / "site" / "support-matrix.html").read_text()


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri == "troubleshooting.md":
        guide = (ROOT / "docs" / "guide.md").read_text()
        table = guide.split(_TABLE)[1].split("<!-- end of error codes -->")[0]
        markdown = markdown.replace("<!-- the table of the guide -->", table)

    def leading(match):
        path = _repository_path(page.file.src_uri, match[2])
        if path is None and match[2].endswith("/"):
            return "`" + match[2] + "`"  # a folder: the site has none
        if path is None:
            return match[0]
        if path.startswith("docs/"):  # of pages that stand elsewhere
            return match[1] + path[len("docs/") :] + match[3]
        if Path(path).name in _PAGES and "/" not in path:
            return match[1] + posixpath.relpath(path, posixpath.dirname(page.file.src_uri) or ".") + match[3]
        if (ROOT / path).is_file():
            return match[1] + posixpath.relpath(_copy(path), posixpath.dirname(page.file.src_uri) or ".") + ")"
        return "`" + path + "`"  # a folder: the site has none

    return _without_escapes(_LINK.sub(leading, markdown))


def _without_escapes(markdown):
    """Within tables GitHub wants `|` escaped in code, too; Python's Markdown shows the escape there."""
    rows = (_CODE.sub(lambda code: code[0].replace("\\|", "|"), row) if row.startswith("|") else row for row in markdown.split("\n"))
    return "\n".join(rows)


def _text(file):
    return file.content_string


def _copy(path):
    # Browsers show text, and download YAML.
    return "source/" + path + ".txt"


def _repository_path(page, target):
    """Where in the repository the link leads, if that is not within docs/; for pages that stand in the root, within it, too."""
    if "://" in target or target.startswith("mailto:"):
        return None
    folder = "" if page in _PAGES else "docs/" + posixpath.dirname(page)
    path = posixpath.normpath(posixpath.join(folder, target))
    if path.startswith(".."):
        return None
    return None if path.startswith("docs/") and page not in _PAGES else path

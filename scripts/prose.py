#!/usr/bin/env python3
"""Finds words and phrases that CONTRIBUTING.md bans, lines of Markdown that are too long, and files that Markdown
names but the repository does not have.

    scripts/prose.py [PATH...]     all files of the repository, or these files and folders; fails if one is used

Checked are Markdown without code, YAML, comments and strings of C++ and Python, comments of scripts and CMake, reasons
in JSON, and the words of names in C++ and Python.
"""
import io
import posixpath
import re
import subprocess
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What is banned, and what to write.
BANNED = {
    r"told": "reported, specified",
    r"said": "reported, specified, expressed",
    r"says": "reports, specifies, prints",
    r"can ?not be said": "is not available, needs opset N or later",
    r"can ?not say": "does not support, cannot express",
    r"stands": "is defined, denotes",
    r"of which": "two sentences",
    r"in place of": "instead of",
    r"in turn": "each, alternately",
    r"turn(?:s? (?:of|by|doubles|decides)|s? in a loop)": "iteration",
    r"(?:each|every|later|next) turns?": "iteration",
    r"from turn to turn": "between iterations",
    r"exchanged": "swapped",
    r"nobody|somebody|anybody|whoever": "name the actor, or use the passive",
    r"anew": "again",
    r"all the same": "still",
    r"the like": "name the items",
    r"such a one": "name it",
    r"so many": "a number",
    r"by nature": "give the reason",
    r"goes by the thousand": "give the number",
    r"none has it": "missing",
    r"as it was (?:said )?before": "unchanged",
    r"is it so that|so it is with": "if",
    r"of its own": "separate, custom",
    r"(?:the )?way back": "ONNX to Paddle",
    r"truth values?": "boolean",
    r"whole numbers?": "integer",
    r"open (?:dims?|sizes?)": "dynamic dimension",
    r"begins? with a (?:small|capital) letter": "is lower case, is upper case",
    r"there is none": "missing, not available",
    r"falls over": "crashes",
    r"unlike": "different",
    r"alike": "the same",
}
# Banned as a word of a name, such as `test_is_told`.
NAMES = ("told", "said", "says", "stands", "anew")
WIDTH = 100  # of Markdown, except tables and code

# Rendered, a license, or this list.
SKIPPED = ("generated/", "docs/functions.md", "docs/support-matrix.md", "python/THIRD_PARTY.md", "scripts/prose.py")

# Folders that paths in Markdown start from, besides the page's.
BASES = ("", "runtime", "generator", "interpreter")
# In Markdown, but not in the repository: scripts/wasm writes the first, the second is a folder of DVC.
NOT_COMMITTED = ("graph/parts.js", "files/md5")

CPP = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])*'", re.DOTALL)
QUOTED = re.compile(r'`[^`]*`|"[^"]*"')


def blank(text):
    """Keeps the places of lines."""
    return re.sub(r"[^\n]", " ", text)


def markdown(text):
    """Without code and quotations."""
    text = re.sub(r"(?ms)^ *```.*?^ *```$", lambda m: blank(m[0]), text)
    return "\n".join(QUOTED.sub(lambda m: blank(m[0]), line) for line in text.split("\n"))


def cpp(text):
    """Comments and strings only."""
    lines = [""] * (text.count("\n") + 1)
    for match in CPP.finditer(text):
        first = text.count("\n", 0, match.start())
        for i, line in enumerate(match[0].split("\n")):
            lines[first + i] += line + " "
    return "\n".join(lines)


def python(text):
    """Comments and strings only."""
    lines = [""] * (text.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            for i, line in enumerate(token.string.split("\n")):
                lines[token.start[0] - 1 + i] += line + " "
    return "\n".join(lines)


def hashes(text):
    """Comments that begin with a hash only."""
    return "\n".join(line[line.find("#"):] if re.search(r"(?:^|\s)#", line) else "" for line in text.split("\n"))


def reasons(text):
    """The reasons of lists of exceptions, such as tests/random/known.json."""
    return "\n".join(" ".join(re.findall(r'"(?:reason|evidence)": ("(?:\\.|[^"\\])*")', line)) for line in text.split("\n"))


PROSE = {".md": markdown, ".cc": cpp, ".h": cpp, ".js": cpp, ".mjs": cpp, ".ts": cpp, ".py": python, ".yaml": str, ".yml": str,
         ".json": reasons, ".sh": hashes, ".cmake": hashes, ".txt": hashes}
NAMED = {".cc", ".h", ".py"}


def kind_of(name):
    """The suffix whose rules a file follows, or None: a script without suffix names its interpreter."""
    path = ROOT / name
    if path.suffix == ".txt":
        return ".txt" if path.name == "CMakeLists.txt" else None
    if path.suffix or not path.is_file():
        return path.suffix if path.suffix in PROSE else None
    with path.open("rb") as file:
        first = file.readline(80)
    return (".py" if b"python" in first else ".sh") if first.startswith(b"#!") else None


def long_lines(text):
    code = False
    for number, line in enumerate(text.split("\n"), 1):
        fence = line.lstrip().startswith("```")
        code ^= fence
        if not code and not fence and len(line) > WIDTH and not line.startswith("    ") and not line.lstrip().startswith("|"):
            yield number


def repository_files(paths):
    """Also new files, which git does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split("\0") if (ROOT / name).is_file()]


class Paths:
    """The files and folders of the repository."""

    def __init__(self):
        files = [Path(name) for name in repository_files([])]
        self.folders = {str(folder) for file in files for folder in file.parents}
        # A page may omit the suffix: `to_onnx/walk` denotes walk.h and walk.cc.
        self.paths = {str(name) for file in files for name in (file, file.with_suffix(""))} | self.folders
        self.names = {file.name for file in files}

    def missing(self, page, text):
        """Links to no file; paths in backticks that start in a folder of the repository and lead to no file; names of
        C++ files that no file has. A file that the page shows exists for its reader."""
        text = re.sub(r"(?ms)^ *```.*?^ *```$", lambda m: blank(m[0]), text)
        known = {*NOT_COMMITTED, *re.findall(r"<!-- file: (\S+) -->", text)}
        here = posixpath.dirname(page)

        def exists(path, bases, among=self.paths):
            return any(posixpath.normpath(posixpath.join(base, path)) in among for base in bases)

        for number, line in enumerate(text.split("\n"), 1):
            for link in re.findall(r"\]\(([\w./-]+)(?:#[^)]*)?\)", line):
                if not link.endswith(".html") and not exists(link, [here]):  # the site renders .html
                    yield f"{page}:{number}: the link '{link}' leads to no file"
            code = line if line.startswith("    ") else " ".join(re.findall(r"`([^`]+)`", line))
            for word in code.split():
                word = word.strip("(),:;").removesuffix("/")
                if word in known or not re.fullmatch(r"[\w.-][\w./-]*", word):
                    continue
                bases = (here, *BASES)
                if "/" in word:
                    absent = exists(word.split("/")[0], bases, self.folders) and not exists(word, bases)
                else:
                    absent = re.search(r"\w\.(?:cc|h)$", word) and word not in self.names
                if absent:
                    yield f"{page}:{number}: no file is named '{word}'"


def main(paths):
    uses = {pattern: [] for pattern in BANNED}
    compiled = {pattern: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) for pattern in BANNED}
    named = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(NAMES)})(?![a-z])")
    too_long, names, missing, repository = [], [], [], Paths()
    for name in repository_files([str(Path(path).resolve().relative_to(ROOT)) for path in paths]):
        kind = kind_of(name)
        if not kind or name.startswith(SKIPPED):
            continue
        text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
        if kind == ".md":
            too_long += [f"{name}:{number}: longer than {WIDTH} columns" for number in long_lines(text)]
            missing += repository.missing(name, text)
        for number, line in enumerate(PROSE[kind](text).split("\n"), 1):
            for pattern, expression in compiled.items():
                uses[pattern] += [f"{name}:{number}: '{found}': use {BANNED[pattern]}" for found in expression.findall(line)]
        if kind in NAMED:
            names += [f"{name}:{number}: '{found}' in a name" for number, line in enumerate(text.split("\n"), 1) for found in named.findall(line)]
    findings = [*uses.values(), too_long, names, missing]
    for found in filter(None, findings):
        print("\n".join(found))
    failed = sum(map(bool, findings))
    print(f"prose: {len(findings) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

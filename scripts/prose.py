#!/usr/bin/env python3
"""Finds words and phrases that CONTRIBUTING.md bans, and lines of Markdown that are too long.

    scripts/prose.py             all files of the repository; fails if a word is used more often than its limit
    scripts/prose.py PATH...     lists each use in these files and folders; fails if there is one

Checked are Markdown without code, YAML, and comments and strings of C++ and Python.
"""
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What is banned, what to write, and how often it may still occur. Limits only go down: lower them with each rewrite.
BANNED = {
    r"told": ("reported, specified", 0),
    r"said": ("reported, specified, expressed", 0),
    r"says": ("reports, specifies, prints", 0),
    r"can ?not be said": ("is not available, needs opset N or later", 0),
    r"stands": ("is defined, denotes", 0),
    r"of which": ("two sentences", 0),
    r"in place of": ("instead of", 0),
    r"in turn": ("each, alternately", 0),
    r"turn(?:s? (?:of|by|doubles|decides)|s? in a loop)": ("iteration", 0),
    r"from turn to turn": ("between iterations", 0),
    r"exchanged": ("swapped", 0),
    r"nobody|somebody|anybody|whoever": ("name the actor, or use the passive", 0),
    r"anew": ("again", 0),
    r"all the same": ("still", 0),
    r"the like": ("name the items", 0),
    r"such a one": ("name it", 0),
    r"so many": ("a number", 0),
    r"by nature": ("give the reason", 0),
    r"goes by the thousand": ("give the number", 0),
    r"none has it": ("missing", 0),
    r"as it was (?:said )?before": ("unchanged", 0),
    r"is it so that|so it is with": ("if", 0),
    r"of its own": ("separate, custom", 0),
    r"(?:the )?way back": ("ONNX to Paddle", 0),
    r"truth values?": ("boolean", 0),
    r"whole numbers?": ("integer", 0),
    r"open (?:dims?|sizes?)": ("dynamic dimension", 0),
    r"begins? with a (?:small|capital) letter": ("is lower case, is upper case", 0),
    r"there is none": ("missing, not available", 0),
    r"falls over": ("crashes", 0),
    r"unlike": ("different", 0),
    r"alike": ("the same", 0),
}
WIDTH = 100  # of Markdown, except tables and code

SUFFIXES = {".md", ".yaml", ".yml", ".cc", ".h", ".py"}
# Rendered, a license, or this list.
SKIPPED = ("generated/", "docs/functions.md", "docs/support-matrix.md", "python/THIRD_PARTY.md", "scripts/prose.py")

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


PROSE = {".md": markdown, ".cc": cpp, ".h": cpp, ".py": python}


def long_lines(text):
    code = False
    for number, line in enumerate(text.split("\n"), 1):
        fence = line.lstrip().startswith("```")
        code ^= fence
        if not code and not fence and len(line) > WIDTH and not line.startswith("    ") and not line.lstrip().startswith("|"):
            yield number


def tracked(paths):
    listed = subprocess.run(["git", "ls-files", "-z", "--", *paths], cwd=ROOT, capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.split("\0") if Path(name).suffix in SUFFIXES and not name.startswith(SKIPPED)]
    return [name for name in names if (ROOT / name).is_file()]


def main(paths):
    uses = {pattern: [] for pattern in BANNED}
    compiled = {pattern: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) for pattern in BANNED}
    too_long = []
    for name in tracked([str(Path(path).resolve().relative_to(ROOT)) for path in paths]):
        text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
        suffix = Path(name).suffix
        if suffix == ".md":
            too_long += [f"{name}:{number}: longer than {WIDTH} columns" for number in long_lines(text)]
        for number, line in enumerate(PROSE.get(suffix, str)(text).split("\n"), 1):
            for pattern, expression in compiled.items():
                uses[pattern] += [f"{name}:{number}: '{found}': use {BANNED[pattern][0]}" for found in expression.findall(line)]
    failed = 0
    for pattern, found in uses.items():
        limit = 0 if paths else BANNED[pattern][1]
        if len(found) > limit:
            failed += 1
            print("\n".join(found))
            if limit:
                print(f"'{pattern}' occurs {len(found)} times, the limit is {limit}")
        elif len(found) < limit:
            print(f"note: lower the limit of '{pattern}' to {len(found)} in scripts/prose.py")
    if too_long:
        failed += 1
        print("\n".join(too_long))
    print(f"prose: {len(BANNED) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

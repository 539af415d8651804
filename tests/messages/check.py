#!/usr/bin/env python3
"""Checks the form of all error messages, warnings and hints.

    check.py [--list]    --list prints them

Messages are the texts that C++ passes to the functions below, in runtime/, interpreter/, generator/ and generated/ (there, the
refusals of specs), the table of error codes, and the exceptions of the Python package. A message starts with its subject: a lower-case letter, a quoted name, a
placeholder, an option or a proper name, but not "it". It has no full stop at its end and no word that scripts/prose.py bans.
"""
import ast
import re
import sys
from pathlib import Path
from typing import Iterator, List, NamedTuple, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import prose  # noqa: E402

FOLDERS = ("runtime", "interpreter", "generator", "generated")
# Functions, and which of their arguments are texts.
FUNCTIONS = {
    "Error": (1, 2), "Refused": (1, 2), "refuse": (0, 3), "fail": (0, 4), "error": (2, 4), "warning": (2, 4), "bad": (0, 2),
    "usage": (0, 2), "hint": (0, 1), "push_back": (0, 1), "Known": (2, 4), "Habit": (1, 2), "X": (2, 3),
}
CALL = re.compile(r"\b(?:(?<=warnings\.)push_back|(?<=warnings_\.)push_back|(?<=warnings->)push_back|" +
                  "|".join(name for name in FUNCTIONS if name != "push_back") + r")(?:\s+\w+)?\s*[({]")
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
PROPER = re.compile(r"(Paddle|ONNX|YAML|PIR|LoD|MODEL|FILE|OP|Sequences|FLUID2ONNX|E_[A-Z_]+)\b")
START = re.compile(r"%|[a-z'`{<\[$(-]|\d|[A-Z]\w+\(")
BANNED = [(pattern, re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)) for pattern in prose.BANNED]


class Message(NamedTuple):
    place: str
    text: str
    whole: bool  # all of its words are known in order


def arguments(code: str, at: int) -> Tuple[List[str], int]:
    """The arguments behind the bracket at `at`, and where they end."""
    depth, start, found, i = 1, at + 1, [], at + 1
    while i < len(code) and depth:
        literal = LITERAL.match(code, i)
        if literal:
            i = literal.end()
            continue
        c = code[i]
        depth += (c in "([{") - (c in ")]}")
        if (depth == 0) or (depth == 1 and c == ","):
            found.append(code[start:i].strip())
            start = i + 1
        i += 1
    return found, i


def message(argument: str) -> Tuple[str, bool]:
    """Its literals in order with {} for other terms; whether it has no alternatives."""
    parts, at, rest = [], 0, ""
    for literal in LITERAL.finditer(argument):
        between = argument[at : literal.start()]
        rest += between
        if between.strip(" +\n"):
            parts.append("{}")
        parts.append(literal[1].replace('\\"', '"'))
        at = literal.end()
    rest += argument[at:]
    if argument[at:].strip(" +\n);"):
        parts.append("{}")
    return "".join(parts), "?" not in rest


def messages(path: Path) -> Iterator[Message]:
    code = re.sub(r"//[^\n]*", lambda m: m[0] if '"' in m[0] else "", path.read_text(encoding="utf-8"))
    for call in CALL.finditer(code):
        if code.count('"', code.rfind("\n", 0, call.start()) + 1, call.start()) % 2:
            continue  # within a literal
        name = re.match(r"\w+", call[0])[0]
        given, _ = arguments(code, call.end() - 1)
        first, last = FUNCTIONS[name]
        for argument in given[first:last]:
            text, whole = message(argument)
            # Names, codes and formats are not texts.
            if " " not in text.strip() or re.fullmatch(r"[\s{}.,:;'()]*", text):
                continue
            line = code.count("\n", 0, call.start()) + 1
            yield Message(f"{path.relative_to(ROOT)}:{line}", text, whole)


def python_messages(path: Path) -> Iterator[Message]:
    """The texts of exceptions, and the warnings that are logged."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        call = node.exc if isinstance(node, ast.Raise) else node
        if not isinstance(call, ast.Call) or not call.args:
            continue
        if call is node and not (isinstance(call.func, ast.Attribute) and call.func.attr == "warning"):
            continue
        text = call.args[0]
        parts = text.values if isinstance(text, ast.JoinedStr) else [text] if isinstance(text, ast.Constant) else []
        joined = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
        if " " in joined:
            yield Message(f"{path.relative_to(ROOT)}:{node.lineno}", joined, True)


def problems(text: str, whole: bool) -> Iterator[str]:
    if whole and not (START.match(text) or PROPER.match(text)):
        yield "does not start with a lower-case letter, a name in quotes or a placeholder"
    if whole and re.match(r"(it|its|there|this is|that|what|which|who)\b", text) and not text.startswith("its '"):
        yield "does not start with its subject"
    if re.search(r"(?<!\.)(?<!\.\.)\.$", text) and not text.endswith(" ..."):
        yield "ends with a full stop"
    for pattern, expression in BANNED:
        if expression.search(text):
            yield f"'{pattern}': use {prose.BANNED[pattern][0]}"


def main(words: List[str]) -> int:
    files = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in (".cc", ".h"))
    found = [item for path in files for item in messages(path)]
    found += [item for path in sorted((ROOT / "python" / "fluid2onnx").rglob("*.py")) for item in python_messages(path)]
    if words == ["--list"]:
        print("\n".join(f"{item.place}: {item.text}" for item in found))
        return 0
    failed = [f"{item.place}: '{item.text}': {problem}" for item in found for problem in problems(item.text, item.whole)]
    # The extraction itself: a bad message is found, and not much less than there are.
    if not list(problems("It fell over.", True)) or len(found) < 1000:
        failed.append(f"only {len(found)} messages are found: does the extraction work?")
    print("\n".join(failed + [f"messages: {len(found)} checked, {len(failed)} failed"]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Carries out a page of the documentation, from top to bottom, in an empty folder.

    run_page.py PAGE [--update]     --update writes what was printed into the page: read the diff

Blocks of Python share their names; a block of text behind one is what it prints. In blocks of `console`, what follows a command is what it
prints. There, "..." matches any text, and seconds and numbers with an exponent may differ. A block behind `<!-- file: NAME -->` is written to
that file.
"""
import argparse
import contextlib
import io
import linecache
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from pages import DOCS, ROOT

_BLOCK = re.compile(r"^```(python|console|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SETUP = re.compile(r"^<!-- here: (\S+) is (\S+) -->$", re.MULTILINE)
_NUMBERS = re.compile(r"\d+(\.\d+)?e[+-]\d+|\b\d+\.\d+ s\b")


def commands(block):
    """(command, what it prints) of a block of console."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


def same(expected, got):
    parts = [re.escape(_NUMBERS.sub("N", part)) for part in expected.strip().split("...")]
    return re.fullmatch(".*".join(parts), _NUMBERS.sub("N", got).strip(), re.DOTALL) is not None


def run_command(command):
    command = re.sub(r"\s+#.*", "", command)
    done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout, done.returncode


def carry_out(page, update=False):
    text, names, printed, result = page.read_text(), {"__name__": "__main__"}, "", []
    end, failures, script = 0, [], ""
    for here, source in _SETUP.findall(text):
        shutil.copytree(ROOT / source, here, ignore=shutil.ignore_patterns("io.npz"))
    for name, block in FILE.findall(text):
        Path(name).write_text(block)

    def check(what, expected, got):
        if not same(expected, got):
            failures.append(f"{page.name}: {what}\n--- expected\n{expected}\n--- printed\n{got}")

    for match in _BLOCK.finditer(text):
        kind, block = match[1], match[2]
        if kind == "python":
            # A file with the page's line numbers: Paddle reads the source of what it translates.
            file = Path(page.stem + ".py").resolve()
            script += "\n" * (text[: match.start(2)].count("\n") - script.count("\n")) + block
            file.write_text(script)
            linecache.checkcache()
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile("\n" * (script.count("\n") - block.count("\n")) + block, str(file), "exec"), names)
            printed = out.getvalue()
        elif kind == "text":
            check("what Python prints", block, printed)
            block = printed
        else:
            new = ""
            for command, expected in commands(block):
                got, status = run_command(command)
                if expected.strip() or status not in (0, 1):
                    check(command, expected, got)
                new += f"$ {command}\n" + (expected if "..." in expected else got)
            block = new
        result += [text[end : match.start(2)], block]
        end = match.end(2)
    if update:
        page.write_text("".join(result) + text[end:])
        return []
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            failures = carry_out(DOCS / arguments.page, arguments.update)
        except Exception:
            failures = [traceback.format_exc()]
        finally:
            os.chdir(before)
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs clang-tidy on each C++ file that people write, headers too, and remembers which were clean.

    tidy.py BUILD CACHE [FILE...]

BUILD is a folder that the preset lint configured: its compile_commands.json compiles each file alone. So a file that
lacks an include, or a name that only a neighbour declares, is an error here, though the other presets compile files in
groups. A file is read again when it, a file of the repository that it includes, its command, .clang-tidy or clang-tidy
itself changed: CACHE has an empty file for each clean state.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
written = ("generator", "interpreter", "python", "runtime", "tests")  # by people


@functools.lru_cache(maxsize=None)
def read(path):
    """The SHA-256 of a file, and the files of the repository that it includes by their path from the root."""
    content = path.read_bytes()
    names = re.findall(rb'^#include "([^"]+)"', content, re.MULTILINE)
    files = [root / name.decode() for name in names] + [path.parent / name.decode() for name in names]
    return hashlib.sha256(content).digest(), [f for f in files if f.is_file()]


def with_includes(path):
    """The file and all that it includes, directly or not."""
    found, waiting = set(), [path]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += read(path)[1]
    return sorted(found)


def main():
    build, cache = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    wanted = {pathlib.Path(p).resolve() for p in sys.argv[3:]}
    clang_tidy = shutil.which("clang-tidy") or sys.exit("tidy.py: clang-tidy is not on the PATH (scripts/requirements/lint.txt)")
    common = subprocess.run([clang_tidy, "--version"], capture_output=True).stdout + (root / ".clang-tidy").read_bytes()

    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if source.is_relative_to(root) and source.relative_to(root).parts[0] in written:
            entries[source] = entry
    # A header is compiled as a source beside it is. clang-tidy would derive a command itself, and place the extra
    # arguments of .clang-tidy behind its "--".
    beside = {source.parent: source for source in sorted(entries, reverse=True)}
    for folder, source in beside.items():
        for header in folder.glob("*.h"):
            words = entries[source]["command"].removesuffix(f" -c {source}")
            command = f"{words} -Wno-pragma-once-outside-header -Wno-unused-const-variable -x c++ -c {header}"
            entries[header] = {**entries[source], "file": str(header), "command": command}
    commands = {path: entry["command"].replace(str(root), "") for path, entry in entries.items()}
    database = build / "tidy"
    database.mkdir(exist_ok=True)
    (database / "compile_commands.json").write_text(json.dumps(list(entries.values())))

    def check(path):
        key = hashlib.sha256(common + commands[path].encode())
        for part in with_includes(path):
            key.update(str(part.relative_to(root)).encode() + read(part)[0])
        stamp = cache / key.hexdigest()
        if stamp.exists():
            return True, ""
        run = subprocess.run([clang_tidy, "-p", database, "--quiet", path], capture_output=True, text=True)
        if run.returncode == 0:
            stamp.touch()
        return run.returncode == 0, run.stdout + (run.stderr if run.returncode else "")

    files = [f for f in sorted(commands) if not wanted or f in wanted]
    cache.mkdir(parents=True, exist_ok=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for clean, output in pool.map(check, files):
            failed += not clean
            sys.stdout.write(output)
            sys.stdout.flush()
    print(f"tidy: {len(files) - failed} passed, {failed} failed")
    return failed != 0


sys.exit(main())

#!/usr/bin/env python3
"""Runs clang-tidy on the C++ sources that people write, and remembers which were clean.

    tidy.py BUILD CACHE [SOURCE...]

BUILD is a finished Ninja build, whose compile_commands.json says how each source is compiled; sources that it does
not compile are left out. A source is read again when it, a file of the repository that it includes, how it is
compiled, .clang-tidy or clang-tidy itself changed: CACHE has an empty file for each clean state.
"""
import concurrent.futures
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


def dependencies(build):
    """The files of the repository that each object was compiled from, by the object's path in the build folder."""
    result, current = {}, None
    for line in subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout.splitlines():
        if line and not line.startswith(" "):
            current = result.setdefault(line.split(":")[0], [])
        elif line.strip():
            path = pathlib.Path(os.path.join(build, line.strip())).resolve()
            if path.is_relative_to(root):
                current.append(path)
    return result


def main():
    build, cache = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    wanted = {pathlib.Path(p).resolve() for p in sys.argv[3:]}
    clang_tidy = shutil.which("clang-tidy") or sys.exit("tidy.py: clang-tidy is not on the PATH (scripts/requirements/lint.txt)")
    common = subprocess.run([clang_tidy, "--version"], capture_output=True).stdout + (root / ".clang-tidy").read_bytes()
    depends = dependencies(build)
    contents = {}

    def state(entry):
        """A hash of everything that clang-tidy's answer depends on, but for the system's headers."""
        command = entry["command"].replace(str(root), "")
        key = hashlib.sha256(common + command.encode())
        for path in sorted(set(depends.get(re.search(r" -o (\S+)", entry["command"])[1], [])) | {pathlib.Path(entry["file"])}):
            if path not in contents:
                contents[path] = hashlib.sha256(path.read_bytes()).digest()
            key.update(str(path.relative_to(root)).encode() + contents[path])
        return cache / key.hexdigest()

    def check(entry):
        stamp = state(entry)
        if stamp.exists():
            return True, ""
        run = subprocess.run([clang_tidy, "-p", build, "--quiet", entry["file"]], capture_output=True, text=True)
        if run.returncode == 0:
            stamp.touch()
        return run.returncode == 0, run.stdout + (run.stderr if run.returncode else "")

    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if source.is_relative_to(root) and source.relative_to(root).parts[0] in written and (not wanted or source in wanted):
            entries[source] = entry
    cache.mkdir(parents=True, exist_ok=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for clean, output in pool.map(check, entries.values()):
            failed += not clean
            sys.stdout.write(output)
            sys.stdout.flush()
    print(f"tidy: {len(entries) - failed} passed, {failed} failed")
    return failed != 0


sys.exit(main())

#!/usr/bin/env python3
"""Makes a wheel of the Python package and cross-built programs, which the package runs instead of a compiled module.

    wheel.py TARGET FOLDER OUTPUT [PAGE]

FOLDER is what the target's archive contains; PAGE, what `inspect --html` draws graphs with. The wheel's bytes depend on the content alone.
"""
import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TAGS = {
    "linux-x86_64": "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "linux-aarch64": "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "linux-musl-x86_64": "musllinux_1_1_x86_64",
    "linux-musl-aarch64": "musllinux_1_1_aarch64",
    "windows-x86_64": "win_amd64",
    "windows-arm64": "win_arm64",
    "macos-x86_64": "macosx_11_0_x86_64",
    "macos-arm64": "macosx_11_0_arm64",
}
EPOCH = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]


def project():
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = re.search(r"project\(fluid2onnx VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    return about, version


def metadata(about, version):
    lines = ["Metadata-Version: 2.4", f"Name: {about['name']}", f"Version: {version}", f"Summary: {about['description']}", f"License-Expression: {about['license']}"]
    lines += ["License-File: LICENSE", "License-File: THIRD_PARTY.md", f"Requires-Python: {about['requires-python']}", f"Keywords: {','.join(about['keywords'])}"]
    lines += [f"Classifier: {name}" for name in about["classifiers"] if not name.startswith("Operating System")]
    for extra, packages in about["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {package}; extra == "{extra}"' for package in packages)]
    readme = (ROOT / about["readme"]).read_text(encoding="utf-8")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])


def below(folder, place, pattern="*"):
    for path in sorted(folder.rglob(pattern)):
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"{place}/{path.relative_to(folder).as_posix()}", path.read_bytes(), 0o644


def contents(target, folder, page):
    yield from below(ROOT / "python/fluid2onnx", "fluid2onnx")
    yield from below(ROOT / "tests/conformance/harness", "fluid2onnx/harness", "*.py")
    for name in ("opspecs", "templates"):
        yield from below(ROOT / name, f"fluid2onnx/share/{name}")
    if page:
        yield from below(page, "fluid2onnx/share/page")
    for name in ("fluid2onnx", "opgen"):
        name += ".exe" if target.startswith("windows") else ""
        yield f"fluid2onnx/bin/{name}", (folder / "bin" / name).read_bytes(), 0o755


def information(target, folder, about, version):
    yield "METADATA", metadata(about, version).encode()
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in TAGS[target].split("."))
    yield "WHEEL", f"Wheel-Version: 1.0\nGenerator: fluid2onnx\nRoot-Is-Purelib: false\n{tags}".encode()
    yield "entry_points.txt", ("[console_scripts]\n" + "".join(f"{name} = {place}\n" for name, place in about["scripts"].items())).encode()
    for path in (folder / "LICENSE", folder / "THIRD_PARTY.md", *sorted((folder / "licences").iterdir())):
        yield f"licenses/{path.name}", path.read_bytes()
    with tempfile.TemporaryDirectory() as work:
        bill = Path(work) / "fluid2onnx.cdx.json"
        table = ["--table", ROOT / "packaging/THIRD_PARTY.md", "--target", target, "--wheel"]
        subprocess.run([sys.executable, ROOT / "python/native/sbom.py", bill, version, *table], check=True)
        yield "sboms/fluid2onnx.cdx.json", bill.read_bytes()


def main():
    target, folder, output = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    about, version = project()
    own = f"fluid2onnx-{version}.dist-info"
    files = list(contents(target, folder, Path(sys.argv[4]) if sys.argv[4:] else None))
    files += [(f"{own}/{name}", content, 0o644) for name, content in information(target, folder, about, version)]
    record = ""
    for name, content, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files.append((f"{own}/RECORD", f"{record}{own}/RECORD,,\n".encode(), 0o644))
    wheel = output / f"fluid2onnx-{version}-py3-none-{TAGS[target]}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content, mode in files:
            info = zipfile.ZipInfo(name, EPOCH)
            info.create_system, info.external_attr, info.compress_type = 3, (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            archive.writestr(info, content, compresslevel=9)
    print(f"{wheel.name}, {wheel.stat().st_size} bytes")


if __name__ == "__main__":
    main()

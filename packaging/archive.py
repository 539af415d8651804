#!/usr/bin/env python3
"""Packs a folder, with the same bytes for the same content on every machine.

    archive.py FOLDER OUTPUT    OUTPUT ends in .tar.gz or .zip

Members are sorted, belong to root, and have the time SOURCE_DATE_EPOCH (default: 1980-01-01, the oldest that .zip can have).
"""
import gzip
import os
import sys
import tarfile
import time
import zipfile
from pathlib import Path

_EPOCH = max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800)


def members(folder):
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path, f"{folder.name}/{path.relative_to(folder).as_posix()}", 0o755 if os.access(path, os.X_OK) else 0o644


def pack_tar(folder, output):
    with output.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as stream, tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, name, mode in members(folder):
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.mtime = path.stat().st_size, mode, _EPOCH
            info.uname = info.gname = "root"
            with path.open("rb") as content:
                archive.addfile(info, content)


def pack_zip(folder, output):
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, name, mode in members(folder):
            info = zipfile.ZipInfo(name, time.gmtime(_EPOCH)[:6])
            info.create_system, info.external_attr, info.compress_type = 3, (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            archive.writestr(info, path.read_bytes(), compresslevel=9)


if __name__ == "__main__":
    source, target = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    (pack_zip if target.suffix == ".zip" else pack_tar)(source, target)

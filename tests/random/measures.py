#!/usr/bin/env python3
"""Writes measures.md from what `run.py --json` wrote.

    tests/random/measures.py counts.json ... > tests/random/measures.md
    tests/random/measures.py --paddle3 other.json --paddle3 ... counts.json ...
"""
import argparse
import collections
import json
import textwrap
from pathlib import Path
from typing import Any, Counter, Dict, List, Sequence

REFUSALS = 30


def main() -> None:
    """Prints the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--paddle3", action="append", default=[], type=Path, metavar="FILE", help="of a run with --paddle3 (repeatable)")
    options = parser.parse_args()
    print("# What random runs gave\n\nWritten by `measures.py`; [README.md](README.md) says what the classes are. Each run has a seed that was not used before; "
          "what failed has been mended since, is on the list of [known.json](known.json), or is told in README.md.")
    _part("Paddle 2.6", [json.loads(path.read_text()) for path in options.files])
    if options.paddle3:
        _part("Paddle 3.3", [json.loads(path.read_text()) for path in options.paddle3])


def _part(title: str, runs: Sequence[Dict[str, Any]]) -> None:
    conversions: Counter[str] = collections.Counter()
    known: Counter[str] = collections.Counter()
    refusals: Counter[str] = collections.Counter()
    accepted: Counter[str] = collections.Counter()
    compared: Counter[str] = collections.Counter()
    for run in runs:
        conversions.update(run["conversions"])
        known.update(run["known"])
        refusals.update(run["refusals"])
        compared.update(run["compared"])
        accepted.update({name: counts["cases"] for name, counts in run["operators"].items()})
    print(f"\n## {title}\n\nBehind the numbers of all cases stand those of cases of ordinary numbers, see README.md; runs before they were told apart have none.\n")
    print("| seed | cases | accepted by Paddle | failed | in a row without a failure | of ordinary numbers | failed | in a row |\n|---|---:|---:|---:|---:|---:|---:|---:|")
    for run in runs:
        ordinary = run.get("ordinary")
        cells = f"{ordinary['accepted']:,} | {ordinary['failed']} | {ordinary['longest']:,}" if ordinary else "| |"
        print(f"| {run['seed']} | {run['cases']:,} | {run['accepted']:,} | {run['failed']} | {run['longest']:,} | {cells} |")
    total = sum(conversions.values())
    shares = [f"{name} {number:,} ({100 * number / total:.2f} %)" for name, number in conversions.most_common()]
    print("\n" + _filled(f"{total:,} conversions: {', '.join(shares)}."))
    _table("known", known.most_common(10))
    _table("refused, without numbers", refusals.most_common(REFUSALS))
    names = [f"{name} {compared[name]}" + (f" of {accepted[name]}" if compared[name] < accepted[name] else "") for name in sorted(accepted)]
    print(f"\nCases that could be compared, by operator and function ({len(names)}; of how many, where some were refused at all opsets):\n")
    print(_filled(", ".join(names)))


def _table(title: str, rows: List[Any]) -> None:
    print(f"\n| | {title} |\n|---:|---|")
    for message, number in rows:
        print(f"| {number} | {' '.join(message.split())[:200].replace('|', '/')} |")


def _filled(text: str) -> str:
    return "\n".join(textwrap.wrap(text, 160, break_long_words=False, break_on_hyphens=False))


if __name__ == "__main__":
    main()

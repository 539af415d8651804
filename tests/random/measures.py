#!/usr/bin/env python3
"""Writes measures.md, one screen per release of Paddle, from the output of `run.py --json`.

    tests/random/measures.py counts.json ... > tests/random/measures.md
    tests/random/measures.py --paddle3 other.json --paddle3 ... counts.json ...
"""
import argparse
import collections
import json
import re
from pathlib import Path
from typing import Any, Counter, Dict, List, Sequence

LATEST = 5  # runs
KNOWN = 5
REFUSALS = 8
RARE = 5  # operators and functions


def main() -> None:
    """Prints the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--paddle3", action="append", default=[], type=Path, metavar="FILE", help="of a run with --paddle3 (repeatable)")
    options = parser.parse_args()
    print("# Results of random tests\n\n`measures.py` writes this page. [README.md](README.md) describes the tests and the outcomes, and\n"
          "[known.json](known.json) lists the documented differences. Each run had a new seed. Every failure is\n"
          "fixed or documented.")
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
    longest = max(run["longest"] for run in runs)
    print(f"\n## {title}\n\n| runs | cases | accepted by Paddle | failed | longest streak without a failure |\n|---:|---:|---:|---:|---:|")
    totals = [sum(run[key] for run in runs) for key in ("cases", "accepted", "failed")]
    print(f"| {len(runs)} | " + " | ".join(f"{number:,}" for number in totals) + f" | {longest:,} |")
    print("\nThe latest runs. Ordinary cases have no infinities, NaN or extreme values.\n\n"
          "| seed | cases | accepted | failed | longest streak | ordinary | failed | longest streak |\n|---|---:|---:|---:|---:|---:|---:|---:|")
    for run in runs[-LATEST:]:
        ordinary = run.get("ordinary")
        cells = f"{ordinary['accepted']:,} | {ordinary['failed']} | {ordinary['longest']:,}" if ordinary else "| |"
        print(f"| {run['seed']} | {run['cases']:,} | {run['accepted']:,} | {run['failed']} | {run['longest']:,} | {cells} |")
    total = sum(conversions.values())
    print(f"\nA case is converted at several opsets: {total:,} conversions in all runs.\n\n| outcome | conversions | share |\n|---|---:|---:|")
    for name, number in conversions.most_common():
        print(f"| {name} | {number:,} | {100 * number / total:.3f} % |")
    _table("most frequent documented differences", known.most_common(KNOWN))
    print("\n| conversions | refused operator, by most frequent reason | code |\n|---:|---|---|")
    named = [(message, number) for message, number in refusals.most_common() if not message.startswith("'_'")]
    for message, number in named[:REFUSALS]:
        print(f"| {number:,} | `{_operator(message)}` | `{_code(message)}` |")
    rare = sorted(compared.items(), key=lambda item: item[1])[:RARE]
    print(f"\n{len(accepted)} operators and functions of Paddle were compared. Those with the fewest cases:\n\n| operator or function | compared | accepted |\n|---|---:|---:|")
    for name, number in rare:
        print(f"| `{name}` | {number:,} | {accepted[name]:,} |")


def _operator(message: str) -> str:
    """'svd' for "'svd' of 'svd_N': ... [E_REQUIRE]"; '_' for nodes without an operator."""
    found = re.match(r"'(\w+)'", message)
    return found[1] if found else "_"


def _code(message: str) -> str:
    found = re.search(r"\[(E_\w+)\]$", message)
    return found[1] if found else ""


def _table(title: str, rows: List[Any]) -> None:
    print(f"\n| conversions | {title} |\n|---:|---|")
    for message, number in rows:
        print(f"| {number:,} | {' '.join(message.split())[:200].replace('|', '/')} |")


if __name__ == "__main__":
    main()

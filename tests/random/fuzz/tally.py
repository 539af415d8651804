"""Counting outcomes, and the report."""
import collections
from typing import Any, Counter, Dict, List, Sequence

from harness.report import table

from .cases import OPERATOR, RandomCase, short_name
from .judging import AGREE, FAILURES, KNOWN, NOISE, REFUSED, REJECTED, UNDEFINED, Outcome, normal

_COLUMNS = (AGREE, NOISE, REFUSED, KNOWN, UNDEFINED, *FAILURES)


class Row:
    """Cases one after the other."""

    def __init__(self) -> None:
        self.cases = 0
        self.failed = 0
        self.in_a_row = 0  # since the last one that failed
        self.longest = 0  # the most of them between two that failed

    def add(self, failed: bool) -> None:
        """Counts the next one."""
        self.cases += 1
        self.failed += failed
        self.in_a_row = 0 if failed else self.in_a_row + 1
        self.longest = max(self.longest, self.in_a_row)

    def to_json(self) -> Dict[str, int]:
        """For scripts."""
        return {"accepted": self.cases, "failed": self.failed, "longest": self.longest, "in_a_row": self.in_a_row}


class Tally:
    """What was seen."""

    def __init__(self) -> None:
        self.cases = 0
        self.crashes = 0
        self.compared: Counter[str] = collections.Counter()  # cases, by subject, that were converted at one opset at least
        self.conversions: Counter[str] = collections.Counter()
        self.by_subject: Dict[str, Counter[str]] = collections.defaultdict(collections.Counter)
        self.refusals: Counter[str] = collections.Counter()
        self.refused_ops: Dict[str, Counter[str]] = collections.defaultdict(collections.Counter)
        self.known: Counter[str] = collections.Counter()
        self.by_opset: Counter[int] = collections.Counter()
        self.rejections: Counter[str] = collections.Counter()
        self.every, self.ordinary = Row(), Row()  # accepted cases: all, and those of ordinary numbers only

    @property
    def accepted(self) -> int:
        return self.every.cases

    @property
    def failed_cases(self) -> int:
        return self.every.failed

    def add(self, case: RandomCase, outcomes: Sequence[Outcome]) -> None:
        """Counts one case."""
        self.cases += 1
        for outcome in outcomes:
            if outcome.kind == REJECTED:
                self.rejections[f"{case.subject if case.data else ''}: {normal(outcome.detail)[:120]}"] += 1
                return
        failed = any(outcome.failed for outcome in outcomes)
        self.every.add(failed)
        if all(outcome.ordinary for outcome in outcomes):
            self.ordinary.add(failed)
        compared = any(outcome.kind != REFUSED for outcome in outcomes)
        for subject in subjects(case):
            self.by_subject[subject]["cases"] += 1
            self.compared[subject] += compared
        for outcome in outcomes:
            self.by_opset[outcome.opset] += 1
            self.conversions[outcome.kind] += 1
            for subject in subjects(case):
                self.by_subject[subject][outcome.kind] += 1
            if outcome.kind == REFUSED:
                message = normal(outcome.detail)
                self.refusals[message] += 1
                self.refused_ops[message].update([outcome.op or case.subject])

    def operators(self) -> str:
        """A row per operator and function."""
        used = [name for name in _COLUMNS if self.conversions[name]]
        rows: List[Sequence[object]] = [("operator", "cases", "compared", *used)]
        for subject, counts in sorted(self.by_subject.items()):
            rows.append((subject, counts["cases"], self.compared[subject], *(counts[name] or "" for name in used)))
        return table(rows, numbers=range(1, len(used) + 3))

    def classes(self) -> str:
        """A row per class of outcome."""
        total = max(1, sum(self.conversions.values()))
        rows: List[Sequence[object]] = [("conversions", "number", "%")]
        rows += [(name, self.conversions[name], f"{100 * self.conversions[name] / total:.2f}") for name in _COLUMNS if self.conversions[name]]
        return table(rows, numbers=(1, 2))

    def messages(self, count: int = 30) -> str:
        """The commonest refusals."""
        rows: List[Sequence[object]] = [("refusals", "of", "message")]
        for message, number in self.refusals.most_common(count):
            ops = ", ".join(op for op, _ in self.refused_ops[message].most_common(3))
            rows.append((number, ops[:40], message[:160]))
        return table(rows, numbers=(0,))

    def to_json(self) -> Dict[str, Any]:
        """For scripts."""
        return {
            "cases": self.cases, **self.every.to_json(), "ordinary": self.ordinary.to_json(), "compared": dict(sorted(self.compared.items())), "crashes": self.crashes,
            "conversions": dict(self.conversions), "operators": {name: dict(counts) for name, counts in sorted(self.by_subject.items())},
            "refusals": dict(self.refusals.most_common()), "known": dict(self.known), "opsets": dict(sorted(self.by_opset.items())), "rejections": dict(self.rejections.most_common(300)),
        }


def subjects(case: RandomCase) -> List[str]:
    """What a case counts for: its operator, or each of its functions."""
    if case.kind == OPERATOR:
        return [str(case.data["op"])]
    return sorted({short_name(call["fn"]) for call in case.data["calls"]})

"""Tables and counts for people; JSON for scripts."""
from typing import Iterable, List, Sequence


def table(rows: Iterable[Sequence[object]], numbers: Sequence[int] = ()) -> str:
    """Aligned columns; `numbers` are the indices of those aligned to the right."""
    cells: List[List[str]] = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))] if cells else []
    lines = []
    for row in cells:
        parts = [cell.rjust(width) if i in numbers else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)


def ranges(numbers: Sequence[int]) -> str:
    """[7, 8, 9, 13] as "7..9,13"."""
    parts: List[List[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(f"{low}..{high}" if high > low else str(low) for low, high in parts)


def closing_line(passed: int, failed: int, skipped: int) -> str:
    """The last line of every runner; scripts read it."""
    return f"{passed} passed, {failed} failed, {skipped} skipped"

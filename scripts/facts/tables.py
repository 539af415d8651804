"""Writing fact tables: deterministic JSON with one entry per line, so that a diff names what changed."""

import json


def one_line(value):
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def write(path, sections):
    """Writes an object whose object-valued members are spread one entry per line, the others inline."""
    parts = []
    for name, value in sections.items():
        if isinstance(value, dict):
            rows = ",\n".join(f"    {one_line(key)}: {one_line(value[key])}" for key in sorted(value))
            parts.append(f"  {one_line(name)}: {{\n{rows}\n  }}" if rows else f"  {one_line(name)}: {{}}")
        else:
            parts.append(f"  {one_line(name)}: {one_line(value)}")
    text = "{\n" + ",\n".join(parts) + "\n}\n"
    json.loads(text)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)

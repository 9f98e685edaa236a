"""Results as JSON: sorted keys, four digits, and a line for each row, so that changes can be read."""
import json
import re
from pathlib import Path
from typing import Any


def rounded(value: Any) -> Any:
    """Numbers to four digits, in whatever holds them."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return value


def text(data: dict[str, Any]) -> str:
    """A run as JSON; what is a list has a line for each of its members."""
    parts = []
    for name, value in sorted(data.items()):
        if isinstance(value, list):
            lines = ",\n".join("    " + line(one) for one in value)
            shown = f"[\n{lines}\n  ]" if value else "[]"
        else:
            shown = line(value)
        parts.append(f"  {json.dumps(name)}: {shown}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def line(value: Any) -> str:
    return json.dumps(rounded(value), ensure_ascii=False, sort_keys=True)


def by_size(sizes: dict[str, Any]) -> list[tuple[str, Any]]:
    """What is kept by sizes, the largest first."""
    return sorted(sizes.items(), key=lambda one: -int(re.match(r"\d+", one[0])[0]))


def write(data: dict[str, Any], path: Path) -> None:
    path.write_text(text(data), encoding="utf-8")


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))

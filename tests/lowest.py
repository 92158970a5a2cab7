"""Print the lowest versions that pyproject.toml names: of what the package needs, and of the extras that are given."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

LOWEST = re.compile(r"([\w.-]+)(?:\[[^]]*\])?>=([\w.]+)")


def lowest(extras: list[str]) -> list[str]:
    """Requirements of exactly these versions."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(own for extra in extras for own in project["optional-dependencies"][extra])]
    return [f"{found[1]}=={found[2]}" for own in wanted if (found := LOWEST.match(own))]


if __name__ == "__main__":
    sys.stdout.write("\n".join(lowest(sys.argv[1:])) + "\n")

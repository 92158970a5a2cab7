"""The budgets of the house style, checked: files of at most 400 lines, functions of at most 40 lines of code."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

FILE_LINES, FUNCTION_LINES, NESTING = 400, 40, 3
SOURCE = Path(__file__).parent.parent / "src"
EXCEPTIONS: set[str] = set()  # "file.py:function", each with its reason
BLOCKS = (ast.For, ast.While, ast.If, ast.With, ast.Try)


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function's body without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def depth(node: ast.AST) -> int:
    """How deeply blocks nest (an elif is no deeper than its if)."""
    deepest = 0
    for child in ast.iter_child_nodes(node):
        chained = isinstance(node, ast.If) and isinstance(child, ast.If) and child in node.orelse
        deepest = max(deepest, depth(child) + (isinstance(child, BLOCKS) and not chained))
    return deepest


def broken() -> list[str]:
    """Every budget that is exceeded."""
    found = []
    files = sorted(SOURCE.rglob("*.py"))
    if not files:
        found.append(f"no files under {SOURCE}")
    for path in files:
        text = path.read_text(encoding="utf-8")
        if (lines := text.count("\n")) > FILE_LINES:
            found.append(f"{path}: {lines} lines, at most {FILE_LINES}")
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or f"{path.name}:{node.name}" in EXCEPTIONS:
                continue
            if (lines := code_lines(node)) > FUNCTION_LINES:
                found.append(f"{path}:{node.lineno} {node.name}: {lines} lines of code, at most {FUNCTION_LINES}")
            if (deep := depth(node)) > NESTING:
                found.append(f"{path}:{node.lineno} {node.name}: blocks nest {deep} deep, at most {NESTING}")
    return found


if __name__ == "__main__":
    problems = broken()
    sys.exit("\n".join(problems) if problems else 0)

"""What holds for the tests themselves, and for the file of what users read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.wording import sections

TESTS = Path(__file__).parent


def is_check(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.With):
        return any(".raises" in ast.unparse(item.context_expr) for item in statement.items)
    return isinstance(statement, ast.Assert)


def always_checks(body: Sequence[ast.stmt]) -> bool:
    """Whether something is checked whatever the conditions: an `if` counts only where each of its
    branches checks, an `else` among them."""
    for statement in body:
        if is_check(statement):
            return True
        if isinstance(statement, ast.If):
            if always_checks(statement.body) and always_checks(statement.orelse):
                return True
        elif isinstance(statement, ast.Try):
            ends = [statement.orelse, *(handler.body for handler in statement.handlers)]
            if always_checks(statement.body) or all(map(always_checks, ends)):
                return True
        elif isinstance(statement, ast.With | ast.For | ast.While) and always_checks(
            statement.body
        ):
            return True
    return False


def functions_of(path: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node


def has_checks(test: ast.FunctionDef) -> bool:
    return any(is_check(node) for node in ast.walk(test) if isinstance(node, ast.stmt))


def test_no_test_passes_because_its_condition_was_never_met() -> None:
    """A test that checks by calling something else that checks is left alone."""
    conditional = [
        f"{path.relative_to(TESTS)}: {test.name}"
        for path in sorted(TESTS.rglob("test_*.py"))
        for test in functions_of(path)
        if has_checks(test) and not always_checks(test.body)
    ]
    assert conditional == []


def test_a_check_under_a_condition_is_told_from_one_in_every_branch() -> None:
    def body(source: str) -> list[ast.stmt]:
        return ast.parse(source).body

    assert not always_checks(body("for x in y:\n  if x:\n    assert x"))
    assert not always_checks(body("if x:\n  assert x\nelif y:\n  assert y"))
    assert always_checks(body("if x:\n  assert x\nelse:\n  assert y"))
    assert always_checks(body("if x:\n  z()\nassert y"))


def test_every_heading_of_the_wording_is_that_of_a_test() -> None:
    tests = "".join(path.read_text("utf-8") for path in TESTS.rglob("test_*.py"))
    made = re.findall(r'reads_as\(\s*(f?)"([^"{]*)', tests)
    whole = {heading for with_more, heading in made if not with_more}
    begun = tuple(heading.strip() for with_more, heading in made if with_more)
    assert [one for one in sections() if one not in whole and not one.startswith(begun)] == []

"""The docstrings of the stub are those of the compiled module, whose source is the Rust code.

``python tests/test_stubs.py wabe/_wabe.pyi`` copies them into the stub.
"""

import ast
import inspect
import pathlib
import sys
from typing import Iterator, List, Tuple, Union

from wabe import _wabe

Documented = Union[ast.ClassDef, ast.FunctionDef, ast.AnnAssign]


def items(body: List[ast.stmt], owner: object) -> Iterator[Tuple[Documented, object]]:
    """The public items of the stub and their counterparts at run time."""
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            name = node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        else:
            continue
        if not name.startswith("_"):
            value = getattr(owner, name)
            yield node, value
            if isinstance(node, ast.ClassDef):
                yield from items(node.body, value)


def documented(stub: str) -> str:
    """The stub with the docstrings of the module."""
    lines = stub.splitlines()
    tree = ast.parse(stub)
    following = {id(a): b for a, b in zip(tree.body, tree.body[1:])}
    for parent in tree.body:
        if isinstance(parent, ast.ClassDef):
            following.update({id(a): b for a, b in zip(parent.body, parent.body[1:])})
    found = list(items(tree.body, _wabe))
    for node, value in sorted(found, key=lambda item: item[0].lineno, reverse=True):
        text = inspect.getdoc(value)
        assert text, f"line {node.lineno}: no docstring at run time"
        # The docstring of an attribute follows it.
        old = following.get(id(node)) if isinstance(node, ast.AnnAssign) else node.body[0]
        assert isinstance(old, ast.Expr) and isinstance(old.value, ast.Constant), (
            f"line {node.lineno}: expected a docstring"
        )
        if old.value.value is ...:
            assert lines[old.lineno - 1].endswith(": ..."), f"line {old.lineno}: expected `: ...`"
            lines[old.lineno - 1] = lines[old.lineno - 1][: -len(" ...")]
            start = end = old.lineno
            indent = " " * (node.col_offset + 4)
        else:
            start, end = old.lineno - 1, old.end_lineno or old.lineno
            indent = " " * old.col_offset
        new = [(indent + line).rstrip() for line in f'"""{text}'.splitlines()]
        if "\n\n" in text:
            new.append(f'{indent}"""')
        else:
            new[-1] += '"""'
        lines[start:end] = new
    return "\n".join(lines) + "\n"


def test_stub_has_the_docstrings_of_the_module() -> None:
    path = pathlib.Path(_wabe.__file__).with_name("_wabe.pyi")
    stub = path.read_text(encoding="utf-8")
    assert documented(stub) == stub, "run `python tests/test_stubs.py wabe/_wabe.pyi`"


if __name__ == "__main__":
    stub_path = pathlib.Path(sys.argv[1])
    stub_path.write_text(documented(stub_path.read_text(encoding="utf-8")), encoding="utf-8")

"""The code of functions: the syntax tree where there is source, the byte code where there is none."""

from __future__ import annotations

import ast
import dis
import functools
import linecache
import threading
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

from intemi.kernel import encoding
from intemi.kernel.source.encoder import Encoder

_KIND_OF_FUNCTION = 0x4 | 0x8 | 0x20 | 0x80 | 0x100 | 0x200  # *args, **kwargs, generators, coroutines

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def definition_of(function: FunctionType) -> Definition | None:
    """The syntax tree of a function, if there is just one that can be it and the file still holds what is loaded."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    trees, codes = _parse(text).get((code.co_name, code.co_firstlineno), ([], []))
    loaded = encode_code(code) in map(encode_code, codes)
    return trees[0] if loaded and len({encode_tree(tree) for tree in trees}) == 1 else None


@functools.lru_cache(maxsize=32)
def _parse(text: str) -> Mapping[tuple[str, int], tuple[list[Definition], list[CodeType]]]:
    """The functions of a file by name and first line: their syntax trees, and the code that these compile to."""
    found: defaultdict[tuple[str, int], tuple[list[Definition], list[CodeType]]] = defaultdict(lambda: ([], []))
    with warnings.catch_warnings(action="ignore"):
        try:
            tree = _parsed(text)
            module = compile(tree, "", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return {}
    for node in ast.walk(tree):
        if isinstance(node, Definition):
            line = min(each.lineno for each in (node, *getattr(node, "decorator_list", ())))
            found[getattr(node, "name", "<lambda>"), line][0].append(node)
    for code in codes_in(module):
        found[code.co_name, code.co_firstlineno][1].append(code)
    return found


def encode_tree(root: ast.AST) -> bytes:
    """A syntax tree without positions, docstrings and other statements that do nothing, in prefix order."""
    parts: list[object] = []
    pending: list[Any] = [root]
    while pending:
        item = pending.pop()
        if isinstance(item, ast.Constant):
            parts += ["constant", Encoder().encode(item.value)]
        elif isinstance(item, ast.AST):
            fields = [(name, value) for name, value in ast.iter_fields(item) if name not in ("ctx", "type_comment")]
            fields = [(name, value) for name, value in fields if value is not None and value != []]
            parts += [type(item).__name__, len(fields)]
            pending += [part for field in reversed(fields) for part in reversed(field)]
        elif isinstance(item, list):
            kept = [each for each in item if not _does_nothing(each)]
            parts.append(len(kept))
            pending += reversed(kept)
        else:
            parts.append(item)
    return encoding.encode(parts)


def encoded_syntax(text: str) -> bytes:
    """The syntax of a file without comments, docstrings and layout, the same in every version of Python."""
    return encode_tree(_parsed(text))


def _does_nothing(node: object) -> bool:
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return text or isinstance(node, ast.Pass)


def encode_code(code: CodeType) -> bytes:
    """Byte code with its constants and names in place, so that docstrings, lines and files do not matter."""

    def argument(step: dis.Instruction) -> object:
        if isinstance(step.argval, CodeType):
            return encode_code(step.argval)
        if step.opcode in dis.hasconst:
            return Encoder().encode(step.argval)
        return step.argval if isinstance(step.argval, str) else step.arg

    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & _KIND_OF_FUNCTION)
    steps = [(step.opname, argument(step)) for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    return encoding.encode((code.co_name, *counts, code.co_varnames, code.co_exceptiontable, steps))


_parsing = threading.Lock()


def _parsed(text: str) -> ast.Module:
    """The syntax tree of a file. Python 3.11 loses count of its depth when several threads parse at the same time."""
    for _ in range(20):
        with _parsing:
            try:
                return ast.parse(text)
            except SystemError:
                continue
    return ast.parse(text)


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """Code, and that of all functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)

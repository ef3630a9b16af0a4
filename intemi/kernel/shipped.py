"""The source of what is shipped: which files a machine of this package is made of, and whether this is a release.

A machine of a release is known by its name and version, so a test compares the `fingerprint` of each with a pinned one.
In a working copy, where the package does not lie among installed ones, the files that a machine is made of count as
well: after an edit, what it makes is run again. The kernel is the boundary: it runs machines, and is not part of them.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator

from intemi.kernel import encoding

VERSION = "0.2.0"
"""Of this package: pyproject.toml reads it from here, and records name the version that made them."""
VARIABLE = "INTEMI_IDENTITY"
"""`release` or `working copy` in this variable of the environment decides, whatever the place of the package."""
_PACKAGE = __name__.partition(".")[0]
_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_BOUNDARY = f"{_PACKAGE}.kernel"
_IMPORT = re.compile(rf"^[ \t]*from[ \t]+({_PACKAGE}[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)


@functools.cache
def is_working_copy() -> bool:
    """Whether this package is being worked on: an editable installation, or a folder on the path."""
    said = os.environ.get(VARIABLE)
    if said is not None and said not in ("release", "working copy"):
        from intemi.kernel.errors import ConfigurationError

        raise ConfigurationError(f"{VARIABLE} must be 'release' or 'working copy', got {said!r}")
    installed = {"site-packages", "dist-packages"} & set(_ROOT.split(os.sep))
    return said == "working copy" if said is not None else not installed


def source_in_working_copy(cls: type) -> bytes:
    """What tells a shipped class from what it was before its files were edited; nothing in a release."""
    module = cls.__module__
    if not is_working_copy() or not module.startswith(f"{_PACKAGE}.") or _is_boundary(module):
        return b""
    return digest_of_files(module)


@encoding.find_sources_with
def source_of(cls: type) -> bytes:
    """What tells a class from what it was before it was edited."""
    from intemi.kernel.source import fingerprint, is_by_user

    return fingerprint(cls) if is_by_user(cls) else source_in_working_copy(cls)


@functools.cache
def package_source() -> str:
    """What made a result: the release, or the working copy with a digest of all its files."""
    if not is_working_copy():
        return "release"
    return f"working copy {encoding.digest(*_all_files()).hex()[:12]}"


def fingerprint(cls: type) -> str:
    """A digest of the syntax of all files that a shipped class is made of: not of comments, docstrings and layout.

    >>> from intemi.machines import NaiveBayes
    >>> len(fingerprint(NaiveBayes))
    16
    """
    return encoding.digest(b"".join(_syntax(module) for module in files_of(cls.__module__))).hex()[:16]


@functools.cache
def files_of(module: str) -> tuple[str, ...]:
    """The modules that a module of the package is made of: itself, and what it imports from this package.

    Of a package only those modules count that define the imported names.

    >>> files_of("intemi.machines.weighted")[-1]
    'intemi.machines.weighted'
    """
    found: set[str] = set()
    pending = [module]
    while pending:
        each = pending.pop()
        if each not in found:
            found.add(each)
            pending += [defining for defining in _imported(each) if not _is_boundary(defining)]
    return tuple(sorted(found))


@functools.cache
def _imported(module: str) -> frozenset[str]:
    return frozenset(_definer(source, name) for source, name in _imports(module))


@functools.cache
def _imports(module: str) -> tuple[tuple[str, str], ...]:
    """The modules that a module imports from, with the names; read from its text, so that nothing is loaded."""
    return tuple(_import_statements(_content(module).decode()))


def _import_statements(text: str) -> Iterator[tuple[str, str]]:
    for source, names in _IMPORT.findall(text):
        for name in re.sub(r"#[^\n]*", "", names).strip("() \t\n").split(","):
            if name.strip():
                yield source, name.split()[0]


def _definer(source: str, name: str) -> str:
    """The module that a name comes from, followed through the packages that hand it on."""
    if _file(f"{source}.{name}") is not None:
        return f"{source}.{name}"
    if not (_file(source) or "").endswith("__init__.py"):
        return source
    handed_on = [given for given, each in _imports(source) if each == name and given != source]
    return _definer(handed_on[0], name) if handed_on else source


def _is_boundary(module: str) -> bool:
    return module == _BOUNDARY or module.startswith(f"{_BOUNDARY}.")


@functools.cache
def _file(module: str) -> str | None:
    place = os.path.join(_ROOT, *module.split(".")[1:])
    for path in (f"{place}.py", os.path.join(place, "__init__.py")):
        if os.path.isfile(path):
            return path
    return None


@functools.cache
def _content(module: str) -> bytes:
    path = _file(module)
    if path is None:
        return b""
    with open(path, "rb") as file:
        return file.read()


@functools.cache
def digest_of_files(module: str, within: str = "") -> bytes:
    """A digest of the contents of all files that a module is made of, or of those that are within a package."""
    files = [each for each in files_of(module) if each.startswith(within)]
    return encoding.digest(b"", *(part for each in files for part in (each.encode(), _content(each))))


@functools.cache
def _syntax(module: str) -> bytes:
    from intemi.kernel.source import encoded_syntax

    return encoding.encode((module, encoded_syntax(_content(module).decode())))


def _all_files() -> Iterator[bytes]:
    """The places and contents of all modules of the package."""
    for folder, folders, files in os.walk(_ROOT):
        folders.sort()
        for name in sorted(files):
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                yield path.removeprefix(_ROOT).replace(os.sep, "/").encode()
                with open(path, "rb") as file:
                    yield file.read()

"""Modules of the user, in which machines of their own are defined."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from intemi.kernel.errors import ConfigurationError


def import_all(names: Iterable[str], folder: Path, who: str) -> list[ModuleType]:
    """Import modules by name, or Python files by their path from a folder."""
    return [import_one(name, folder, who) for name in names]


def import_one(name: str, folder: Path, who: str) -> ModuleType:
    """Import a module by name, or a Python file under the name of the file, as `import` beside it would."""
    try:
        return _import_file(folder / name) if name.endswith(".py") else importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ConfigurationError(f"{who}: the module {name!r} cannot be imported: {error}") from None
    except FileNotFoundError:
        raise ConfigurationError(f"{who}: there is no file {folder / name}") from None
    except Exception as error:
        raise ConfigurationError(f"{who}: importing {name!r} fails with {type(error).__name__}: {error}") from error


def _import_file(file: Path) -> ModuleType:
    path = file.resolve()
    known = sys.modules.get(path.stem)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    if known is not None:
        raise ConfigurationError(f"a module called {path.stem!r} is loaded already; give the file another name")
    if not path.exists():
        raise FileNotFoundError(path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))  # what it imports from beside it, and worker processes import it
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]
        raise
    return module

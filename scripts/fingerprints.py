"""Pin the source of every shipped machine and component, or check that it is the pinned one.

    python -m scripts.fingerprints --check
    python -m scripts.fingerprints

A class that computes something else must raise its `version`, or old folders answer with what it computed before. The
pins in `tests/fingerprints.txt` are a line for each class: its name, its version, and the fingerprint of the files that
it is made of. Without `--check` they are written anew: that confirms that all results are the same, or that versions
were raised where they are not.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from pathlib import Path

import intemi
from intemi.kernel import registry
from intemi.kernel.shipped import fingerprint

PINS = Path(__file__).parents[1] / "tests" / "fingerprints.txt"
CONFIRM = "python -m scripts.fingerprints"
Pins = dict[str, tuple[str, str]]
"""The version and fingerprint of each class, by its name."""


def current() -> Pins:
    """What is there now. The kernel, which runs machines, is not part of them."""
    for module in pkgutil.walk_packages(intemi.__path__, "intemi."):
        if not module.name.endswith("__main__") and ".kernels." not in module.name:  # no component is compiled code
            importlib.import_module(module.name)
    found = {}
    for name, cls in sorted(registry.components().items()):
        if not cls.__module__.startswith("intemi.") or cls.__module__.startswith(("intemi.kernel", "intemi.testing")):
            continue
        if getattr(sys.modules[cls.__module__], cls.__name__, None) is cls:  # those of examples in docstrings are not
            version = vars(cls).get("version")
            found[name] = (str(1 if version is None else version), fingerprint(cls))
    return found


def pinned() -> Pins:
    """What was confirmed last."""
    lines = [line.split() for line in PINS.read_text().splitlines()]
    return {name: (version, print_) for name, version, print_ in lines}


def complaints(now: Pins, before: Pins) -> list[str]:
    """A sentence for each class whose source is not the pinned one."""
    found = []
    for name in sorted(now.keys() | before.keys()):
        if name not in now:
            found.append(f"{name}: it is pinned, but not there any more; renew the pins: {CONFIRM}")
        elif name not in before:
            found.append(f"{name}: it is new; pin it: {CONFIRM}")
        elif now[name][0] != before[name][0]:
            found.append(f"{name}: version {now[name][0]} is not pinned yet, only {before[name][0]}; pin it: {CONFIRM}")
        elif now[name] != before[name]:
            found.append(
                f"{name}: its source has changed under version {now[name][0]}: raise the version, "
                f"or confirm that results are the same: {CONFIRM}"
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say what is not as it is pinned")
    now = current()
    if parser.parse_args().check:
        found = complaints(now, pinned())
        sys.exit("\n".join(found) or 0)
    PINS.write_text("".join(f"{name} {version} {print_}\n" for name, (version, print_) in now.items()))
    print(f"{PINS}: {len(now)} classes")


if __name__ == "__main__":
    main()

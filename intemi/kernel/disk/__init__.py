"""The store in a folder.

`store` is the store itself, `write_behind` buffers finished machines until many of them can be written together.
`format` is what is written: tables, seals, shared configurations. `database` is the SQLite file, made, checked and
mended, `salvage` what can be saved of one that is damaged, and `log` what became known in which order. `contents` are
the large values, as files, and `claims` what is being run.
"""

from intemi.kernel.disk.store import DiskStore
from intemi.kernel.disk.write_behind import WriteBehind

__all__ = ["DiskStore", "WriteBehind"]

"""The store in a folder.

`store` is the store itself, `write_behind` lets machines wait until many of them can be written together, `database` is
the SQLite file, `schema` the tables in there, `fresh` how a file begins, `known` which keys it holds. `configs` are what many records share, `contents` the large values, `log` is what
became known in which order, `claims` what is being run. `seal` is the checksum on everything, `mending` what happens
to a file that is damaged, `salvage` what can be had from it, and `upkeep` measures, verifies and clears the folder.
"""

from intemi.kernel.disk.store import DiskStore
from intemi.kernel.disk.write_behind import WriteBehind

__all__ = ["DiskStore", "WriteBehind"]

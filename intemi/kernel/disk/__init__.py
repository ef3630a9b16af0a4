"""The store in a folder.

`store` is the store itself, `write_behind` lets machines wait until many of them can be written together, `database` is
the SQLite file, `schema` the tables in there, `fresh` how it begins, `known` which keys it holds, `configs` what many
records share, `contents` the large values, `claims` what is being run, `seal` the checksum on everything, `mending`
what happens to a file that is damaged, `upkeep` what measures, verifies and clears the folder.
"""

from intemi.kernel.disk.store import DiskStore
from intemi.kernel.disk.write_behind import WriteBehind

__all__ = ["DiskStore", "WriteBehind"]

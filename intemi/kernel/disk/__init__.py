"""The store in a folder.

`store` is the store itself, `database` its SQLite file, `schema` the tables in there, `contents` its large values,
`claims` what is being run, `seal` the checksum on everything, `mending` what happens to a file that is damaged.
"""

from intemi.kernel.disk.store import DiskStore

__all__ = ["DiskStore"]

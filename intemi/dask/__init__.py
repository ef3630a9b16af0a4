"""Many computers: leaves on the workers of a dask cluster that the user has (`pip install 'intemi[dask]'`).

`manager` is home's side and `remote` what runs in a worker. `members` are the workers that can be used, `workers` what
home knows of each, `connection` is how home gets there, and `probe` whether they compute the same. `wire` has the
messages, and `answers` what comes of them; `codec` and `contents` are values at its two ends, and `definitions` the
classes of them.
"""

from intemi.dask.manager import ClusterWarning, DaskWorkers

__all__ = ["ClusterWarning", "DaskWorkers"]

"""Many computers: leaves on the workers of a dask cluster that the user has (`pip install 'intemi[dask]'`).

`manager` is home's side and `remote` what runs in a worker.

At home, calls become batches (`batching`), which are sent (`sending`) and answered (`receiving`, `answers`); leaves
that were lost on the way are counted (`losses`). `connection` is how home reaches the cluster, and `monitor` looks at
it. `members` are the workers that can be used, because they compute the same (`probe`), and `workers` what home knows
of each.

`wire` has the messages, and `tasks` is how workers get them; `codec` and `contents` are the values at the two ends of
it, and `definitions` the classes of them. `clusters` finds a cluster by a word of the command line.
"""

from intemi.dask.manager import DaskWorkers
from intemi.dask.warned import ClusterWarning

__all__ = ["ClusterWarning", "DaskWorkers"]

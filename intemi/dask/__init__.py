"""Many computers: leaves on the workers of a dask cluster that the user has (`pip install 'intemi[dask]'`).

    manager      DaskWorkers, the task manager
    membership   which workers can be used: the session with the cluster, and what dask reports on it
    batches      which leaves travel together and to which worker: the state of the client
    exchange     batches are sent, and their answers taken
    plugins      the plugins that dask has on the scheduler and on workers
    remote       what runs in a worker
    protocol     the messages; values and classes travel by `intemi.kernel.workers.contents`
    probe        whether a worker computes what the client computes
    clusters     how a cluster is reached, also by a word of the command line

Dask calls `remote.run_batch` and `remote.add_piece` by these names.
"""

from intemi.dask.clusters import ClusterWarning
from intemi.dask.manager import DaskWorkers

__all__ = ["ClusterWarning", "DaskWorkers"]

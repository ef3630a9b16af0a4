"""The same program on dask workers, which are processes of their own and are reached over TCP: the same keys, outputs
and results, with any number of workers, beside threads at home, and while managers come and go.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from intemi import Project, Threads
from intemi.dask import ClusterWarning, DaskWorkers
from intemi.testing import check_task_manager
from tests.acceptance.test_results_are_the_same_anywhere import (
    Graph,
    Oracle,
    check_capsules,
    check_events,
    check_graph,
    check_keys,
    check_runs,
    graphs,
    graphs_times,
    request_all,
)
from tests.clusters import RealCluster
from tests.machines import Log, Number, cross_validation

pytestmark = [pytest.mark.needs("dask")]


@pytest.fixture
def cluster(shared_cluster: RealCluster) -> RealCluster:
    shared_cluster.grow(1)
    return shared_cluster


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_graph_comes_to_the_same_on_any_number_of_workers(cluster: RealCluster, workers: int) -> None:
    cluster.grow(workers)
    with Project(workers=DaskWorkers(cluster.address), unification=0) as project:

        @given(graph=graphs)
        @graphs_times(0.1)
        def check(graph: Graph) -> None:
            oracle = Oracle(graph)
            keys = [check_graph(graph, oracle, project, level=0)]
            with Project(workers=1, unification=0) as at_home:
                keys.append(check_graph(graph, oracle, at_home, level=0))
            check_keys(keys)

        check()
        assert project.managers[0].workers >= workers


@given(graph=graphs)
@graphs_times(0.1)
def test_a_graph_comes_to_the_same_unified_on_a_cluster_and_threads(cluster: RealCluster, graph: Graph) -> None:
    for level in (1, 2):
        with Project(workers=DaskWorkers(cluster.address), unification=level) as project:
            project.subscribe(Threads(1))
            check_graph(graph, Oracle(graph), project, level)


def test_managers_come_and_go_while_a_graph_runs(cluster: RealCluster) -> None:
    @given(graph=graphs)
    @graphs_times(0.1)
    def check(graph: Graph) -> None:
        oracle = Oracle(graph)
        with Project(workers=1) as project:
            log = Log(project)
            managers = [DaskWorkers(cluster.address), Threads(1)]
            capsules = request_all(project, graph)
            for _ in range(2):
                for manager in managers:
                    project.subscribe(manager)
                    project.unsubscribe(project.managers[0])
            check_capsules(capsules, oracle)
            check_events(log, oracle)
            check_runs(log, 2, oracle.count_runs(2))

    check()


def test_several_projects_share_a_cluster(cluster: RealCluster, tmp_path: Path) -> None:
    manager, before = DaskWorkers(cluster.address), set(threading.enumerate())
    with Project(tmp_path, workers=manager) as kept, Project(workers=manager) as other, Project(workers=1) as at_home:
        asked = [project.request(cross_validation(2, 3), data=project.given(3)) for project in (kept, other, at_home)]
        for capsule in asked:
            capsule.wait(60)
        assert len({capsule.key for capsule in asked}) == 1
        assert len({str([(c.path, c.results) for c in capsule.children]) for capsule in asked}) == 1
        assert kept.counts().physical == other.counts().physical == at_home.counts().physical
    with Project(tmp_path, workers=1) as again:
        assert again.run(cross_validation(2, 3), data=again.given(3)).key == asked[0].key
        assert again.counts().physical.total() == 0
    assert not [each for each in set(threading.enumerate()) - before if each.name.startswith("intemi ")]


def test_the_connection_is_made_anew_when_a_client_was_closed(cluster: RealCluster) -> None:
    from distributed import Client

    client = Client(cluster.address, set_as_default=False)
    with Project(workers=DaskWorkers(client)) as project:
        assert project.request(Number(1)).wait(30).outputs["result"] == 1

        def close_and_request() -> Any:
            client.close()
            return project.request(Number(2)).wait(30).outputs["result"]

        with pytest.warns(ClusterWarning, match=r"the scheduler of .* is gone"):
            assert close_and_request() == 2


def test_dask_workers_pass_the_common_checks_of_task_managers(cluster: RealCluster) -> None:
    check_task_manager(lambda: DaskWorkers(cluster.address))

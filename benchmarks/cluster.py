"""Games a second on local processes and on a Ray cluster of the same cores, in turn.

    python benchmarks/cluster.py [--cores N] [--games N] [--rounds N]

The cluster is started on this machine for the measurement. Both executors have played before, so
the time to start processes does not count; each round plays the same games on both.
"""

import argparse
import os
import statistics
import time

from ludus.arena import Executor, GameConditions, LocalPool, RayCluster, Tournament

PLAYERS = ("random", "playouts:games=20")
OBJECT_STORE_BYTES = 200_000_000


def measure(executor: Executor, games: int) -> float:
    """Return games a second."""
    jobs = list(Tournament(GameConditions("hexapawn"), PLAYERS, games, seed=1).schedule())
    began = time.perf_counter()
    num_results = sum(1 for _ in executor.run(jobs))
    assert num_results == games
    return games / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    from ray.cluster_utils import Cluster

    node = {"num_cpus": arguments.cores, "object_store_memory": OBJECT_STORE_BYTES}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    rates: dict[str, list[float]] = {"local": [], "cluster": []}
    with LocalPool(arguments.cores) as local, RayCluster(cluster.address) as remote:
        executors: dict[str, Executor] = {"local": local, "cluster": remote}
        for executor in executors.values():
            measure(executor, 40 * arguments.cores)
        for number in range(arguments.rounds):
            for name, executor in executors.items():
                rates[name].append(measure(executor, arguments.games))
                print(f"round {number + 1}, {name}: {rates[name][-1]:.0f} games a second")
    cluster.shutdown()
    medians = {name: statistics.median(found) for name, found in rates.items()}
    ratios = [one / other for one, other in zip(rates["cluster"], rates["local"], strict=True)]
    print(
        f"medians on {arguments.cores} cores: local {medians['local']:.0f}, "
        f"cluster {medians['cluster']:.0f}; ratio {statistics.median(ratios):.2f}"
    )


if __name__ == "__main__":
    main()

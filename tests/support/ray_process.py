"""Play a tournament on a Ray cluster of two nodes on this machine, and print what came out."""

import sys

from ludus.arena.executors import RayCluster
from ludus.arena.jobs import GameConditions
from ludus.arena.tournament import Tournament
from support import faulty_players

MEMORY = 80 * 2**20
"""Bytes of a node's object store, the least that Ray accepts."""


def main() -> None:
    import ray
    from ray.cluster_utils import Cluster

    faulty_players.register()
    cluster = Cluster()
    for _ in range(2):
        cluster.add_node(num_cpus=1, object_store_memory=MEMORY, include_dashboard=False)
    players = ("random", "playouts:games=4", "dies")
    plan = Tournament(GameConditions("hexapawn"), players, games=6, seed=5)
    with RayCluster(cluster.address, initializer=faulty_players.register) as executor:
        nodes = [node for node in ray.nodes() if node["Alive"]]
        results = sorted(executor.run(plan.schedule()), key=lambda result: result.key)
    cluster.shutdown()
    print(len(nodes))
    for result in results:
        print(*result.key[1:], result.winner, result.reason, result.plies, sep="|")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

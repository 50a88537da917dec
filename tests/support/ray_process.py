"""Run commands of Ludus on a Ray cluster of two nodes on this machine, and kill one in mid-run.

    python -m support.ray_process COMMANDS.json RESULTS.json

The first file holds a list of command lines, each a list of words; `--cluster ADDRESS` is added to
each. The second one gets a list of what came of them: status, output, nodes before and after, and
whether the command was still running when the node was killed.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

MEMORY = 80 * 2**20
"""Bytes of a node's object store, the least that Ray accepts."""

CORES = {"num_cpus": 1, "object_store_memory": MEMORY}


def main() -> None:
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={**CORES, "include_dashboard": False})
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    try:
        commands = json.loads(Path(sys.argv[1]).read_text())
        found = [run_and_kill(ray, cluster, words) for words in commands]
        Path(sys.argv[2]).write_text(json.dumps(found))
    finally:
        ray.shutdown()
        cluster.shutdown()


def count_nodes(ray: Any) -> int:
    return sum(node["Alive"] for node in ray.nodes())


def run_and_kill(ray: Any, cluster: Any, words: list[str]) -> dict[str, Any]:
    second = cluster.add_node(**CORES)
    cluster.wait_for_nodes()
    before = count_nodes(ray)
    command = [sys.executable, "-m", "ludus.cli", *words, "--cluster", cluster.address]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # Both nodes are in use when no core is free; then tasks are under way on both.
    while running.poll() is None and ray.available_resources().get("CPU", 0) > 0:
        time.sleep(0.1)
    time.sleep(2)
    was_running = running.poll() is None
    cluster.remove_node(second, allow_graceful=False)
    out, err = running.communicate()
    while (after := count_nodes(ray)) == before:  # the cluster notices it after a while
        time.sleep(0.5)
    return {
        "status": running.returncode,
        "out": out,
        "err": err[-2000:],
        "nodes": [before, after],
        "was_running": was_running,
    }


if __name__ == "__main__":
    main()

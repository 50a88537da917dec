"""`ludus bench`: the signature of rules and players, and the throughput of the rules."""

from ludus.cli.options import JsonOption
from ludus.cli.output import print_json, print_table, run_interruptible, track_progress


def bench(json: JsonOption = False) -> None:
    """Print the signature, which changes only with rules and players, and their throughput."""
    from ludus.arena.benchmark import compute_signature, measure_throughput

    signature = run_interruptible(compute_signature)
    measured = run_interruptible(
        lambda: measure_throughput(lambda names, count: track_progress(names, count, "measuring"))
    )
    if json:
        throughput = {name: round(rate) for name, rate in measured.rates.items()}
        ratios = {name: round(ratio, 2) for name, ratio in measured.ratios.items()}
        print_json(signature=signature, throughput=throughput, ratios=ratios)
        return
    print(f"signature {signature}")
    rows = [
        (name, f"{rate:,.0f}", f"{measured.ratios[name]:,.1f}" if name in measured.ratios else "")
        for name, rate in measured.rates.items()
    ]
    print_table(("measured", "a second", "times the Python twin"), rows)

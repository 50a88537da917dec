"""Entry point of `python -m ludus`, the same program as `ludus`."""

from ludus.cli.main import main

main()

"""`python -m ludus.cli` is the program `ludus`."""

from ludus.cli.main import main

main()

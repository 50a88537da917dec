"""The solved Morris family: sectors, solver, database, verification, lookup."""

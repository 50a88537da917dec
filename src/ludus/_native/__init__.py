"""The compiled twins: one extension module per game, built from `native/`."""

"""A network taught by perfect play."""

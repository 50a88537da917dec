"""Helpers for the tests: sample data, reference implementations, clients and servers."""

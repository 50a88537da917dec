"""Hostile strings and values, fed to the parsers and to sanitized native modules."""

"""Drawings: an SVG canvas, themes, overlays, and boards as text."""

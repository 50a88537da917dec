"""Draw the grain of the page's boards: `src/ludus/web/static/wood.webp` and `stone.webp`.

    python tools/board_textures.py

Both are grey tiles without seams, by which the page multiplies the colour of a board.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

TARGET = Path(__file__).parents[1] / "src" / "ludus" / "web" / "static"
SIZE = 512
"""Pixels along an edge of a tile."""

Tile = NDArray[np.float64]


def main() -> None:
    for name, tile, quality in (("wood", draw_wood(), 38), ("stone", draw_stone(), 30)):
        pixels = (255 * np.clip(tile, 0, 1)).astype(np.uint8)
        file = TARGET / f"{name}.webp"
        Image.fromarray(pixels).convert("RGB").save(file, quality=quality, method=6)
        print(f"{file.name}: {file.stat().st_size} bytes")


def make_noise(across: float, down: float, seed: int) -> Tile:
    """Return periodic noise whose bumps have these sizes in pixels; its deviation is 1."""
    white = np.random.default_rng(seed).standard_normal((SIZE, SIZE))
    rows, columns = np.fft.fftfreq(SIZE)[:, None], np.fft.fftfreq(SIZE)[None, :]
    blur = np.exp(-2 * np.pi**2 * ((columns * across) ** 2 + (rows * down) ** 2))
    smooth: Tile = np.fft.ifft2(np.fft.fft2(white) * blur).real
    return smooth / smooth.std()


def draw_wood() -> Tile:
    """Return a plank: rings along the grain, bent a little, with fibres and pores."""
    heights = np.arange(SIZE)[:, None] / SIZE
    bent = heights + 0.030 * make_noise(170, 26, 1) + 0.006 * make_noise(60, 8, 2)
    rings, fine_rings = (np.sin(2 * np.pi * count * bent) for count in (9, 31))
    pores = np.clip(make_noise(9, 0.55, 5) - 1.9, 0, None)
    return (
        0.90
        + 0.045 * np.sign(rings) * np.abs(rings) ** 0.7
        + 0.018 * fine_rings
        + 0.022 * make_noise(70, 0.9, 3)
        + 0.012 * make_noise(14, 0.6, 4)
        + 0.020 * make_noise(140, 60, 6)
        - 0.100 * pores
    )


def draw_stone() -> Tile:
    """Return polished stone: clouds, a fine speckle, and veins."""
    clouds = (
        0.5 * make_noise(60, 60, 11) + 0.35 * make_noise(24, 24, 12) + 0.2 * make_noise(9, 9, 13)
    )
    distance = np.abs(
        make_noise(90, 60, 31) + 0.35 * make_noise(22, 22, 32) + 0.12 * make_noise(7, 7, 33)
    )
    veins = 0.5 * np.exp(-((distance / 0.045) ** 2)) + 0.35 * np.exp(-((distance / 0.16) ** 2))
    strength = np.clip(0.45 * make_noise(80, 80, 35) + 0.75, 0, 1)
    return 0.94 + 0.022 * clouds + 0.012 * make_noise(1.1, 1.1, 14) - 0.16 * veins * strength


if __name__ == "__main__":
    main()

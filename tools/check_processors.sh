#!/usr/bin/env bash
# Check that the native core runs on other processors than this one, under QEMU:
#   - the installed build on an old x86-64 (Nehalem: level v2) and on a Haswell (level v3);
#   - a cross build for aarch64 with a Debian Python for that processor.
# Scores of whole numbers, of 100,000 positions, are compared to the last bit.
# Needs root and Debian's qemu-user, debootstrap and g++-aarch64-linux-gnu, and .venv (`make play`).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$PWD/.venv/bin/python
root=$PWD/build/aarch64
suite=bookworm
mirror=${1:-}  # of Debian's packages; debootstrap's default where none is given

check='
from pathlib import Path

import ludus, ludus._native as native
from ludus.learn.scholar import compare_scores, load_weights
from ludus._native.solver import Solver
from ludus.oracles.morris.sectors import moving_sectors

game, backgammon = ludus.game("nine_mens_morris"), ludus.game("backgammon")
found = {
    "morris perft 4": game.perft(game.start(), 4),
    "backgammon perft 2": backgammon.perft(backgammon.start(), 2),
    "playouts": game.start().playouts(50, 1)["plies"],
}
solver = Solver(game.rules)
for sector in moving_sectors(game.rules, 3):
    solver.solve(sector)
    found[str(sector)] = solver.tally(sector, True)
for spec in ("negascout:depth=4", "scholar", "nnmm", "fuzzy"):
    player = ludus.player(spec, game)
    player.start_game(1)
    found[spec] = str(player.choose(game.parse("WW./..W/.../..B.../B../.../..B w 6 6")).move)
weights = load_weights(Path("experiments/scholar/weights/integers.safetensors"))
found["scores"] = compare_scores(weights, ["native"], 100_000)["digest"]
print(native.LEVEL, found)
'

expect() { # expect LEVEL COMMAND...: the same results as on this processor, by another level
    local level=$1; shift
    local got; got=$("$@" -c "$check")
    [ "$got" = "$level $expected" ] || { echo "$level: expected $expected, got $got" >&2; exit 1; }
    echo "$level: $got"
}

expected=$("$python" -c "$check"); expected=${expected#* }
# OpenBLAS takes QEMU's Nehalem for a Haswell.
OPENBLAS_CORETYPE=Nehalem expect x86_64_v2 qemu-x86_64 -cpu Nehalem "$python"
# QEMU 7.2 computes some AVX2 instructions wrongly that numpy uses; ours are what is checked here.
NPY_DISABLE_CPU_FEATURES=X86_V3 expect x86_64_v3 qemu-x86_64 -cpu Haswell "$python" 2>/dev/null

version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
if [ ! -e "$root/usr/include/python$version/Python.h" ]; then
    rm -rf "$root"
    debootstrap --foreign --arch=arm64 --variant=minbase --include=python3-dev "$suite" "$root" $mirror
    for package in "$root"/var/cache/apt/archives/*.deb; do dpkg-deb --extract "$package" "$root"; done
fi
"$python" -m pip install --quiet --upgrade --target "$root/packages" --only-binary=:all: \
    --platform manylinux_2_28_aarch64 --platform manylinux2014_aarch64 --python-version "$version" \
    --require-hashes -r requirements/base.txt
cmake -S . -B "$root/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DLUDUS_WERROR=ON \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_STRIP=/usr/bin/aarch64-linux-gnu-strip \
    -DPython_EXECUTABLE="$python" -DPython_INCLUDE_DIR="$root/usr/include/python$version" \
    -DCMAKE_CXX_FLAGS="-isystem $root/usr/include" -DCMAKE_INSTALL_PREFIX="$root/packages" >/dev/null
cmake --build "$root/build"
cmake --install "$root/build" >/dev/null
cp -r src/ludus "$root/packages/"
# The modules carry the name of the interpreter that CMake asked; any interpreter loads plain .so.
find "$root/packages/ludus/_native" -name '*.cpython-*.so' |
    while read -r file; do mv "$file" "${file%%.cpython-*}.so"; done
export QEMU_SET_ENV="PYTHONHOME=$root/usr,PYTHONPATH=$root/packages"
expect generic qemu-aarch64 -L "$root" "$root/usr/bin/python$version"

"""The wheel of further networks: what the wheel of the program leaves out, and nothing else."""

import base64
import csv
import hashlib
import subprocess
import sys
import zipfile

import pytest
from networks_wheel import build_networks_wheel, list_networks

from ludus.core.errors import LudusError
from ludus.learn.nnmm.chain import load_chain
from ludus.learn.scholar.inference import load_networks
from support.paths import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build_networks_wheel(tmp_path_factory.mktemp("dist"))


def test_it_holds_the_networks_with_their_checksums(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (record,) = (name for name in archive.namelist() if name.endswith("RECORD"))
        listed = list(csv.reader(archive.read(record).decode().splitlines()))
        for name, digest, size in listed:
            if digest:
                data = archive.read(name)
                found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
                assert digest == f"sha256={found.decode()}"
                assert int(size) == len(data)
        assert {name for name, *_ in listed} == {*archive.namelist()}
        weights = [name for name in archive.namelist() if name.endswith(".safetensors")]
        assert weights == list_networks()
        assert all((ROOT / "src" / name).read_bytes() == archive.read(name) for name in weights)


def test_pip_installs_it(wheel, tmp_path):
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", tmp_path, wheel], check=True)
    assert all((tmp_path / name).is_file() for name in list_networks())


def test_without_it_the_error_says_how_to_get_them(tmp_path):
    for load in (
        lambda: load_networks("chain", folder=tmp_path),
        lambda: load_chain(size="thesis", folder=tmp_path),
    ):
        with pytest.raises(LudusError, match=r"pip install 'ludus-games\[networks\]'"):
            load()

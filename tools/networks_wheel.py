"""Build the wheel `ludus-games-networks`: networks that playing by default does not need.

    python tools/networks_wheel.py dist

It holds the files that pyproject.toml leaves out of the wheel of the program, at the same places
below `ludus`, so that nothing has to know whether it is installed.
"""

import base64
import hashlib
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "ludus_games_networks"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of every file, so that the same networks give the same wheel."""

METADATA = """\
Metadata-Version: 2.1
Name: ludus-games-networks
Version: {version}
Summary: Networks of Ludus that playing by default does not need
License: {license}
Requires-Dist: ludus-games=={version}
"""

WHEEL = """\
Wheel-Version: 1.0
Generator: tools/networks_wheel.py
Root-Is-Purelib: false
Tag: py3-none-any
"""


def list_networks(root: Path = ROOT) -> list[str]:
    """Return the files that the wheel of the program leaves out, by their places in a wheel."""
    settings = tomllib.loads((root / "pyproject.toml").read_text())
    excluded: list[str] = settings["tool"]["scikit-build"]["wheel"]["exclude"]
    return excluded


def build_networks_wheel(folder: Path, root: Path = ROOT) -> Path:
    """Write the wheel into a folder."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    version = project["version"]
    about = f"{NAME}-{version}.dist-info"
    files = {name: (root / "src" / name).read_bytes() for name in list_networks(root)}
    texts = {"METADATA": METADATA.format(version=version, license=project["license"])}
    texts["WHEEL"] = WHEEL
    files |= {f"{about}/{name}": text.encode() for name, text in texts.items()}
    lines = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    record = f"{about}/RECORD"
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    wheel = folder / f"{NAME}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return wheel


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    print(build_networks_wheel(folder))

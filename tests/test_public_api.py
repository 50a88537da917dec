"""The public names can be imported, are documented and typed, and are enough for experiments."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from site_pages import find_constant_docstring

ROOT = Path(__file__).parents[1]
LEARNERS = ("dqn", "equivariant", "gammon", "migo", "nnmm", "patterns", "scholar", "tabular")
GAMES = ("backgammon", "hexapawn", "nine_mens_morris", "noughts_and_crosses")
PACKAGES = (
    "ludus",
    "ludus.analysis",
    "ludus.arena",
    "ludus.core",
    "ludus.cuda",
    "ludus.datasets",
    "ludus.envs",
    "ludus.games",
    *(f"ludus.games.{name}" for name in GAMES),
    "ludus.learn",
    *(f"ludus.learn.{name}" for name in LEARNERS),
    "ludus.oracles",
    "ludus.players",
    "ludus.protocol",
    "ludus.render",
    "ludus.reproduce",
)

INTERNAL = {
    "benchmarks/cpu_levels.py": "compares builds of the compiled modules",
    "benchmarks/negascout.py": "times the compiled search without its player",
    "benchmarks/scholar_endings.py": "trains two experts alone, on endings",
    "benchmarks/scholar_rounding.py": "rounds the weights of experts in several ways",
    "benchmarks/scholar_training.py": "times training steps without the generation of examples",
    "benchmarks/strengths.py": "measures the opponents that the page offers",
}
"""Benchmarks that need more than public names."""


def public_names(package):
    module = importlib.import_module(package)
    return [(package, name) for name in getattr(module, "__all__", ())]


ALL_NAMES = [each for package in PACKAGES for each in public_names(package)]


def needs_torch(error):
    return isinstance(error, ModuleNotFoundError) and error.name == "torch"


@pytest.mark.parametrize(("package", "name"), ALL_NAMES)
def test_every_public_name_is_documented_and_typed(package, name):
    try:
        found = getattr(importlib.import_module(package), name)
    except ModuleNotFoundError as error:
        if needs_torch(error):
            pytest.skip("needs torch")
        raise
    found = inspect.unwrap(found) if callable(found) else found
    if inspect.isfunction(found):
        signature = inspect.signature(found)
        assert found.__doc__
        assert signature.return_annotation is not inspect.Signature.empty
        for parameter in signature.parameters.values():
            assert parameter.annotation is not inspect.Parameter.empty, parameter.name
    elif inspect.isclass(found):
        assert found.__doc__
        assert not found.__doc__.startswith(f"{found.__name__}("), "made by dataclass"
    elif inspect.ismodule(found):
        assert found.__doc__
    else:
        assert find_constant_docstring(package, name), "a constant has its docstring under it"


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_are_those_that_type_checkers_see(package):
    """They read the stub of a package whose names are imported on first use."""
    module = importlib.import_module(package)
    stub = Path(module.__file__).with_suffix(".pyi")
    if stub.exists():
        statements = ast.parse(stub.read_text()).body
        seen = {
            alias.asname
            for node in statements
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        assert seen == set(module.__all__)
    names = set(getattr(module, "__all__", ()))
    assert names <= set(dir(module))
    if hasattr(module, "__path__") and package != "ludus":
        assert not names & {each.name for each in pkgutil.iter_modules(module.__path__)}


def test_unknown_names_are_refused():
    for package in PACKAGES:
        module = importlib.import_module(package)
        with pytest.raises(AttributeError, match="no_such_name"):
            module.no_such_name  # noqa: B018


def test_importing_the_package_is_quick():
    """Only the registries and interfaces of games and players are loaded, and no large package."""
    script = "import sys, ludus; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    loaded = set(found.stdout.split())
    assert not {"numpy", "scipy", "torch", "backports", "pydantic", "rich", "typer"} & loaded
    assert not {f"ludus.{name}" for name in ("arena", "learn", "oracles", "protocol")} & loaded


def test_the_package_is_marked_as_typed():
    assert (ROOT / "src/ludus/py.typed").is_file()


def internal_imports(path):
    """What a file imports from Ludus beyond the public names."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "ludus" and alias.name not in PACKAGES:
                    yield alias.name
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ludus":
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                is_public = (node.module, alias.name) in ALL_NAMES or name in PACKAGES
                if node.level == 0 and not is_public:
                    yield name
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "ludus"
            and ("ludus", node.attr) not in ALL_NAMES
        ):
            yield f"ludus.{node.attr}"


@pytest.mark.parametrize("folder", ["experiments", "benchmarks"])
def test_experiments_and_benchmarks_use_public_names_alone(folder):
    files = {str(path.relative_to(ROOT)): path for path in (ROOT / folder).rglob("*.py")}
    assert files
    found = {name: list(internal_imports(path)) for name, path in files.items()}
    assert {name for name, imports in found.items() if imports} == INTERNAL.keys() & files.keys()
    packages = {each.removeprefix("ludus.") for each in PACKAGES}
    assert "core" in packages
    for path in files.values():
        assert "ludus.core" not in path.read_text(), f"{path} has its names from ludus itself"


@pytest.mark.parametrize("folder", ["experiments", "benchmarks", "tools", "tests", "src"])
def test_nothing_changes_the_path_of_modules(folder):
    phrase = "sys." + "path"
    for path in (ROOT / folder).rglob("*.py"):
        # Worker processes get the path of the process that starts them.
        assert phrase not in path.read_text() or path.name == "workers.py", path

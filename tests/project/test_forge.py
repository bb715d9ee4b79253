"""The files that a forge reads: workflows, issue forms, the citation, the image."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

import outflank
from tests.forge import complaints

pytestmark = pytest.mark.interpreted_only

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
EXPERIMENTAL = {"3.14t", "3.15"}
"""Versions of Python that are allowed to fail, so that they are not in the metadata."""


def loaded(*path: str) -> Any:
    return yaml.safe_load(ROOT.joinpath(*path).read_text(encoding="utf-8"))


def commands() -> Iterator[tuple[str, str]]:
    """Every line that a workflow runs, once for each value of the matrix, and the workflow and job of it."""
    for path in WORKFLOWS:
        for name, job in loaded(path.relative_to(ROOT).as_posix())["jobs"].items():
            matrix = job.get("strategy", {}).get("matrix", {})
            chosen = {key: values for key, values in matrix.items() if key != "include"}
            rows = [dict(zip(chosen, values, strict=True)) for values in product(*chosen.values())] if chosen else []
            for row in [*rows, *matrix.get("include", [])] or [{}]:
                for step in job["steps"]:
                    text = re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda key: str(row[key[1]]), step.get("run", ""))  # noqa: B023
                    yield from ((f"{path.stem} {name}", line.strip()) for line in text.splitlines())


@pytest.mark.skipif(find_spec("check_jsonschema") is None, reason="needs check-jsonschema")
def test_the_files_follow_their_schemas() -> None:
    assert complaints() == ""


def test_workflows_run_what_is_here() -> None:
    ran = set()
    for place, line in commands():
        if module := re.match(r"(?:\S*/)?python -m ((?:tests|benchmarks|docs|release)\S*)", line):
            assert find_spec(module[1]) is not None, f"{place}: {line}"
            ran.add(module[1])
        for file in re.findall(r"(?:src|tests|\.ci)/[\w/.]+", line):
            assert (ROOT / file).exists(), f"{place}: {line}"
        for extra in re.findall(r'(?:\.|\*\.whl\))\[(\w+)\]"', line):
            assert extra in PROJECT["optional-dependencies"], f"{place}: {line}"
    named = set(re.findall(r"`python -m (tests\.\w+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))
    assert named - ran == {"tests.web_soak"}  # an hour long
    assert {"tests", "docs", "tests.forge", "release"} <= ran


def test_the_versions_of_python_that_are_named_are_tested() -> None:
    tested = set(loaded(".github", "workflows", "tests.yml")["jobs"]["quick"]["strategy"]["matrix"]["python"])
    prefix = "Programming Language :: Python :: "
    named = {each.removeprefix(prefix) for each in PROJECT["classifiers"] if each.startswith(prefix)}
    assert named == tested - EXPERIMENTAL
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first, last = sorted(named, key=lambda version: int(version.partition(".")[2]))[:: len(named) - 1]
    assert f"You need Python {first} to {last} " in readme


def test_the_citation_is_of_this_version() -> None:
    citation = loaded("CITATION.cff")
    assert citation["version"] == outflank.__version__
    assert citation["license"] == PROJECT["license"]
    assert [author["name"] for author in citation["authors"]] == [author["name"] for author in PROJECT["authors"]]


def test_the_recipe_for_conda_forge_is_of_this_package() -> None:
    recipe = loaded("recipe", "recipe.yaml")
    context, requirements = recipe["context"], recipe["requirements"]
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]

    def named_by_conda(dependencies: list[str]) -> list[str]:
        """Dependencies as a recipe names them: hyphens in names, and a blank before the versions."""
        parts = [re.fullmatch(r"([\w-]+)([<>=].*)?", line) for line in dependencies]
        return [f"{part[1].replace('_', '-')} {part[2]}" for part in parts if part]

    assert context["version"] == outflank.__version__
    assert f">={context['python_min']}" == PROJECT["requires-python"]
    assert requirements["run"] == ["python >=${{ python_min }}", *named_by_conda(PROJECT["dependencies"])]
    assert requirements["host"] == ["python ${{ python_min }}.*", "pip", *named_by_conda(build)]
    assert requirements["run_constraints"] == named_by_conda(PROJECT["optional-dependencies"]["web"])
    assert recipe["build"]["noarch"] == "python"  # no dependency is of one system only
    assert not any(";" in line for line in PROJECT["dependencies"])
    entries = [f"{name} = {place}" for name, place in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == entries
    about = {key: recipe["about"][key] for key in ("summary", "license", "license_file")}
    assert about == {
        "summary": PROJECT["description"],
        "license": PROJECT["license"],
        "license_file": PROJECT["license-files"][0],
    }


def test_the_image_gets_what_the_build_reads() -> None:
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert sent == {"src", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE"}
    assert all((ROOT / name).exists() for name in sent)
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    users = [line for line in lines if line.startswith(("USER", "ENTRYPOINT"))]
    assert users == ["USER outflank", 'ENTRYPOINT ["outflank"]']
    extras = {extra for line in lines for extra in re.findall(r"'\.\[(\w+)\]'", line)}
    assert extras == {"web", "wheel"}


def test_read_the_docs_builds_the_site_as_we_do() -> None:
    install, build = map(shlex.split, loaded(".readthedocs.yaml")["build"]["commands"])
    assert install == ["pip", "install", ".[docs]"]
    assert build[:3] == ["python", "-m", "docs"]

"""`--import`: users' own modules on the command line."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from outflank import user_modules
from outflank.games import evaluation
from outflank.lab.experiment import EXPERIMENTS
from outflank.learning.weight_matches import Match
from outflank.search.division import SCHEMES
from outflank.ui.cli import main
from tests.installing import forget_modules

pytestmark = pytest.mark.interpreted_only

EXAMPLE = Path(__file__).parents[3] / "examples" / "own_evaluation.py"


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr(user_modules, "_imported", {})  # which processes that later tests start would import
    monkeypatch.setattr(evaluation, "_registered", {game: dict(of) for game, of in evaluation._registered.items()})

    def call(*arguments: str) -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        return (ended.value.code, *capsys.readouterr())

    yield call
    for folder in (tmp_path, EXAMPLE.parent):
        forget_modules(folder)


SEARCH = ["search", "f5d6c3", "--depth", "1", "--workers", "1", "--evaluation", "corners", "--json"]


@pytest.mark.parametrize("place", ["before", "after"])
def test_an_evaluation_of_the_users_own_is_named(run, place):
    imported = ["--import", str(EXAMPLE)]
    status, out, err = run(*imported, *SEARCH) if place == "before" else run(*SEARCH, *imported)
    assert (status, err) == (0, "")
    assert json.loads(out.splitlines()[-1])["depth"] == 1


def test_a_module_is_found_from_here(run, tmp_path, monkeypatch):
    (tmp_path / "beside.py").write_text("WORTH = 5\n")
    text = EXAMPLE.read_text().replace("worth=12", "worth=beside.WORTH").replace("import outflank\n", "import beside\n")
    (tmp_path / "mine.py").write_text(text.split("if __name__")[0].replace('"corners"', '"mine"'))
    monkeypatch.chdir(tmp_path)
    asked = [word.replace("corners", "mine") for word in SEARCH]
    for imported in ("mine", "mine.py", str(tmp_path / "mine.py")):
        assert run("--import", imported, *asked)[0] == 0


OWN_SCHEME = """
from dataclasses import replace
from outflank.search.division import register_scheme, scheme_named
register_scheme(replace(scheme_named("ybw"), name="own-ybw"))
"""


SCALING = ["scaling", "--schemes", "own-ybw", "--depth", "1", "--workers", "1", "--rounds", "1", "--quiet"]


@pytest.fixture
def forget(monkeypatch, tmp_path):
    """A function that forgets what users' modules have registered, as another process would."""
    known = {registry: (dict(registry._registered), dict(registry._loaded)) for registry in (SCHEMES, EXPERIMENTS)}

    def forget_all() -> None:
        for registry, (registered, loaded) in known.items():
            monkeypatch.setattr(registry, "_registered", dict(registered))
            monkeypatch.setattr(registry, "_loaded", dict(loaded))
        user_modules._imported.clear()
        forget_modules(tmp_path)

    forget_all()
    return forget_all


def test_a_result_with_a_scheme_of_the_users_own_is_drawn_again(run, forget, tmp_path):
    (tmp_path / "scheme.py").write_text(OWN_SCHEME)
    imported, out, path = ["--import", str(tmp_path / "scheme.py")], tmp_path / "out", tmp_path / "out" / "scaling.json"
    assert run("lab", *SCALING, *imported, "--out", str(out))[0] == 0
    for words in (["redraw", str(path)], [*SCALING, "--schemes", "ybw", "--out", str(out), "--resume"]):
        forget()
        status, _, err = run("lab", *words)
        assert status == 2
        assert "damaged" not in err
        assert f"{path} uses a name that this process does not know; --import MODULE" in " ".join(err.split())
        assert "unknown scheme 'own-ybw'" in " ".join(err.split())
    status, text, err = run("lab", "redraw", str(path), *imported)
    assert (status, err) == (0, "")
    assert "own-ybw" in text


def test_the_command_on_a_page_imports_what_the_run_imported(run, forget, tmp_path, monkeypatch):
    (tmp_path / "scheme.py").write_text(OWN_SCHEME)
    monkeypatch.chdir(tmp_path)
    assert run("lab", *SCALING, "--import", "scheme.py", "--out", "first")[0] == 0
    printed = json.loads((tmp_path / "first" / "scaling.json").read_text())["provenance"]["command"]
    assert printed == f"outflank lab scaling --import scheme.py {' '.join(SCALING[1:-1])}"
    assert printed in (tmp_path / "first" / "scaling.html").read_text()
    forget()
    assert run(*shlex.split(printed)[1:], "--quiet", "--out", "second")[0] == 0
    assert user_modules.imported_modules() == (str(tmp_path / "scheme.py"),)  # for other processes, from any folder


def test_the_command_of_a_match_of_weights_imports_too(run, tmp_path, monkeypatch):
    (tmp_path / "nothing_special.py").write_text("")
    monkeypatch.chdir(tmp_path)
    user_modules.import_user_module("nothing_special.py")
    assert "--import nothing_special.py" in Match().command(Path("folder"), None)


OWN_EXPERIMENT = """
from outflank import lab

@lab.register
class Mine(lab.Experiment[lab.Parameters]):
    name, question, reports, parameters = "mine", "How many?", (), lab.Parameters

    def tasks(self, parameters):
        return [lab.Task("count", lambda stop: [{"task": "count", "marbles": 14}])]

    def conclude(self, parameters, samples):
        return lab.Conclusion(tables=(lab.ReportTable.of("counted", samples),))
"""


@pytest.mark.parametrize("place", ["before", "between", "after", "joined"])
def test_an_experiment_of_the_users_own_is_a_command_wherever_it_is_imported(run, forget, tmp_path, place):
    (tmp_path / "counted.py").write_text(OWN_EXPERIMENT)
    file = str(tmp_path / "counted.py")
    words = {
        "before": ["--import", file, "lab", "mine", "--quiet"],
        "between": ["lab", "--import", file, "mine", "--quiet"],
        "after": ["lab", "mine", "--quiet", "--import", file],
        "joined": ["lab", "mine", f"--import={file}", "--quiet"],
    }[place]
    status, out, err = run(*words)
    assert (status, err) == (0, "")
    assert "14" in out


def test_subcommands_of_the_laboratory_import_too(run, forget, tmp_path):
    (tmp_path / "counted.py").write_text(OWN_EXPERIMENT)
    for words in (["list"], ["grade", "--help"], ["redraw", "--help"]):
        forget()
        status, out, err = run("lab", *words, "--import", str(tmp_path / "counted.py"))
        assert (status, err) == (0, "")
        assert ("How many?" if words == ["list"] else "--import MODULE") in out
    forget()
    status, _, err = run("lab", "mine", "--import", str(tmp_path / "nowhere.py"))
    assert status == 2
    assert "there is no such file" in " ".join(err.split())


@pytest.mark.slow(4)
def test_the_process_of_a_race_check_knows_the_users_scheme(run, tmp_path, forget):
    (tmp_path / "scheme.py").write_text(OWN_SCHEME)
    check = ["lab", "races", "--schemes", "own-ybw", "--size", "4", "--depth", "2", "--schedules", "1"]
    status, out, err = run(*check, "--import", str(tmp_path / "scheme.py"))
    assert (status, err) == (0, "")
    assert "own-ybw" in out


def test_an_unknown_evaluation_lists_the_users_own(run):
    status, _, err = run("search", "--import", str(EXAMPLE), "--evaluation", "cornrs", "--depth", "1")
    assert status == 2
    assert "did you mean 'corners'" in " ".join(err.split())


MUTE = "class Mute(Exception):\n    def __str__(self): {}\nraise Mute\n"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("nowhere.py", None, "there is no such file"),
        ("nowhere", None, "No module named 'nowhere'"),
        ("typo.py", "x = = 1\n", "typo.py, line 1: invalid syntax"),
        ("breaks.py", "x = 1\nx / 0\n", "breaks.py, line 2: ZeroDivisionError: division by zero"),
        ("needs.py", "import not_there_at_all\n", "No module named 'not_there_at_all'"),
        ("leaves.py", "raise SystemExit(3)\n", "leaves.py, line 1: SystemExit: 3"),
        ("base.py", "class Own(BaseException): pass\nraise Own('x')\n", "base.py, line 2: Own: x"),
        ("quiet.py", "raise GeneratorExit\n", "quiet.py, line 1: GeneratorExit"),
        ("mute.py", MUTE.format("raise ValueError"), "mute.py, line 3: Mute: its text cannot be shown"),
        ("number.py", MUTE.format("return 5"), "number.py, line 3: Mute: its text cannot be shown"),
        ("nul.py", "x = 1\0\n", "SyntaxError: source code string cannot contain null bytes"),
        ("own_syntax.py", "raise SyntaxError('mine')\n", "own_syntax.py, line 1: SyntaxError: mine"),
        ("json.py", "x = 1\n", "there is a module called json already; give the file another name"),
    ],
)
def test_what_cannot_be_imported_is_one_line(run, tmp_path, monkeypatch, name, text, said):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / name).write_text(text)
    status, out, err = run("search", "--import", name, "--depth", "1")
    assert (status, out) == (2, "")
    assert f"--import {name}: {said}" in " ".join(err.split())
    assert "Traceback" not in err


def test_ctrl_c_while_a_module_is_imported_interrupts(run, tmp_path):
    (tmp_path / "pressed.py").write_text("raise KeyboardInterrupt\n")
    status, _, err = run("search", "--import", str(tmp_path / "pressed.py"), "--depth", "1")
    assert (status, err.strip()) == (130, "outflank: interrupted")


def test_every_command_says_that_it_can_import(run):
    for command in ([], ["search"], ["play"], ["match"], ["lab"], ["engine"]):
        status, out, _ = run(*command, "--help")
        assert status == 0
        assert "--import MODULE" in out

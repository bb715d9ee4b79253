"""Plug-ins: parts that other packages install, beside the package's own and those of this process."""

import importlib.metadata
import io
import json
import re
import sys
import tomllib
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from outflank import AbaloneBoard, Limits, OthelloBoard, lab, search
from outflank.errors import InvalidOption, UnknownName
from outflank.games import description, evaluation
from outflank.games.description import GAMES
from outflank.games.evaluation import INSTALLED as EVALUATIONS
from outflank.lab.experiment import EXPERIMENTS
from outflank.plugins import Registry, Source, instance_of
from outflank.protocols.listening import Listener, Urgency
from outflank.protocols.serving import PROTOCOLS, ServedProtocol, register_protocol
from outflank.search.division import SCHEMES, register_scheme
from outflank.ui.cli import main
from tests.installing import forget_modules, install, register_for_now

pytestmark = pytest.mark.interpreted_only

GROUP = "outflank.tunes"

TUNE = """
from tests.test_plugins import Tune

{}
"""


@dataclass(frozen=True)
class Tune:
    name: str


OWN = Tune("own")


def tunes() -> Registry[Tune]:
    return Registry("tune", GROUP, {"own": "tests.test_plugins:OWN"}, check=instance_of(Tune))


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Installs distributions for the time of a test."""
    monkeypatch.syspath_prepend(tmp_path)

    def call(module: str, text: str, *entries: str, group: str = GROUP) -> None:
        install(tmp_path, module, text, group, *entries)

    yield call
    forget_modules(tmp_path)


@pytest.fixture
def run(capsys):
    """The command line: its status, and what it says on both streams, lines joined."""

    def call(*arguments: str) -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        out, err = capsys.readouterr()
        return ended.value.code, out, " ".join(err.split())

    return call


# --- the registry ---


def test_what_packages_say_is_read_again_when_something_was_installed(installed, monkeypatch):
    read, looked = importlib.metadata.entry_points, []
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **of: looked.append(of) or read(**of))
    registry = tunes()
    assert registry.names() == registry.names() == ("own",)
    assert len(looked) == 1
    installed("fresh_tunes", TUNE.format("NEW = Tune('new')"), "new = fresh_tunes:NEW")
    assert registry.names() == registry.names() == ("own", "new")
    assert len(looked) == 2


def test_the_packages_own_parts_are_loaded_without_a_look_at_what_is_installed(monkeypatch):
    def refuse(group):
        raise AssertionError("nobody asked for a plug-in")

    monkeypatch.setattr("outflank.plugins._entry_points", refuse)
    registry = tunes()
    mine = registry.register("mine", Tune("mine"), by="here")
    assert registry.get("own") is OWN
    assert registry.get("mine") is mine
    assert "own" in registry
    assert "mine" in registry


def test_a_plugin_is_named_without_being_imported_and_imported_once_it_is_asked_for(installed):
    installed("lilting", TUNE.format("LILT = Tune('lilt')"), "lilt = lilting:LILT")
    registry = tunes()
    registry.register("mine", Tune("mine"), by="here")
    assert registry.names() == ("own", "mine", "lilt")
    assert "lilt" in registry
    assert "lilting" not in sys.modules
    assert registry.get("lilt") is sys.modules["lilting"].LILT
    assert registry.sources() == {
        "own": Source(place="tests.test_plugins:OWN", package="outflank"),
        "mine": Source(place="here"),
        "lilt": Source(place="lilting:LILT", package="fake-lilting 1.2"),
    }
    assert list(registry.parts()) == ["own", "mine", "lilt"]


def test_what_is_installed_meanwhile_is_found(installed):
    registry = tunes()
    with pytest.raises(UnknownName, match=r"^unknown tune 'lilt' \(known: own\)$"):
        registry.get("lilt")
    installed("lilting", TUNE.format("class Book: LILT = Tune('lilt')"), "lilt = lilting:Book.LILT")
    assert registry.get("lilt") == Tune("lilt")
    with pytest.raises(UnknownName, match=r"^unknown tune 'litl', did you mean 'lilt'\? \(known: own, lilt\)$"):
        registry.get("litl")


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("import not_there_at_all", "broken:X", "No module named 'not_there_at_all'"),
        ("x = 1\nx / 0", "broken:X", "broken.py, line 2: ZeroDivisionError: division by zero"),
        ("x = = 1", "broken:X", "broken.py, line 1: invalid syntax"),
        ("raise SystemExit(3)", "broken:X", "broken.py, line 1: SystemExit: 3"),
        ("class Own(BaseException): pass\nraise Own(1)", "broken:X", "broken.py, line 2: Own: 1"),
        ("Y = 1", "broken:X", "AttributeError: module 'broken' has no attribute 'X'"),
        ("X = 1", "nowhere:X", "No module named 'nowhere'"),
        ("X = 1", "broken:X", "expected a Tune, found 1"),
        (TUNE.format("X = Tune('other')"), "broken:X", "expected a Tune of that name, found 'other'"),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_told_of_once_and_harms_nothing_else(installed, text, place, said):
    installed("broken", text, f"lament = {place}")
    installed("lilting", TUNE.format("LILT = Tune('lilt')"), "lilt = lilting:LILT")
    registry, line = tunes(), f"tune 'lament' of fake-broken 1.2 ({place}): {said}"
    with pytest.warns(RuntimeWarning) as told:
        assert list(registry.parts()) == ["own", "lilt"]
    assert [str(each.message) for each in told] == [line]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(registry.parts()) == ["own", "lilt"]
    assert [(each.name, each.reason) for each in registry.listing() if each.reason] == [("lament", line)]
    with pytest.raises(InvalidOption) as failed:
        registry.get("lament")
    assert str(failed.value) == line


def test_no_plugin_takes_a_name_of_others(installed):
    text = TUNE.format("OWN, MINE, LILT = map(Tune, ('own', 'mine', 'lilt'))")
    installed("greedy", text, "own = greedy:OWN", "mine = greedy:MINE")
    installed("lilting", text, "lilt = lilting:LILT")
    installed("late", text, "lilt = late:LILT")
    registry = tunes()
    mine = registry.register("mine", Tune("mine"), by="here")
    with pytest.warns(RuntimeWarning) as told:
        found = registry.parts()
    assert (found["own"], found["mine"]) == (OWN, mine)
    first = registry.sources()["lilt"].module  # whichever of the two Python finds first
    second = "late" if first == "lilting" else "lilting"
    assert found["lilt"] is sys.modules[first].LILT
    assert sorted(str(each.message) for each in told) == sorted(
        [
            "tune 'own' of fake-greedy 1.2 (greedy:OWN): that name belongs to outflank (tests.test_plugins:OWN)",
            "tune 'mine' of fake-greedy 1.2 (greedy:MINE): that name belongs to here",
            f"tune 'lilt' of fake-{second} 1.2 ({second}:LILT): that name belongs to fake-{first} 1.2 ({first}:LILT)",
        ]
    )


def test_a_plugin_may_register_its_parts_itself(installed, monkeypatch):
    registry = tunes()
    monkeypatch.setattr("tests.test_plugins.REGISTRY", registry, raising=False)
    text = "from tests.test_plugins import REGISTRY, Tune\nJIG = REGISTRY.register('jig', Tune('jig'), by=__name__)\n"
    installed("jigging", text, "jig = jigging:JIG")
    assert registry.get("jig") is sys.modules["jigging"].JIG
    assert registry.parts() == {"own": OWN, "jig": Tune("jig")}
    assert str(registry.sources()["jig"]) == "fake-jigging 1.2 (jigging:JIG)"


def test_a_name_belongs_to_who_registered_it():
    registry = tunes()
    assert registry.register("own", OWN, by="anybody") is OWN
    with pytest.raises(InvalidOption, match=r"^tune 'own' is tests\.test_plugins: choose another name$"):
        registry.register("own", Tune("own"), by="here")
    registry.register("mine", Tune("mine"), by="here")
    anew = registry.register("mine", Tune("mine"), by="here")
    with pytest.raises(InvalidOption, match=r"^tune 'mine' is here: choose another name$"):
        registry.register("mine", Tune("mine"), by="there")
    assert registry.get("mine") is anew
    with pytest.raises(InvalidOption, match=r"^tune 'x': expected a Tune, found 3$"):
        registry.register("x", 3, by="here")


@pytest.mark.parametrize(
    "asked",
    [["--version"], ["--help"], ["search", "--depth", "1"], ["perft", "--depth", "1"], ["lab", "redraw", "none.json"]],
)
def test_commands_that_name_no_plugin_do_not_look_for_any(monkeypatch, run, asked):
    looked: list[str] = []
    monkeypatch.setattr("outflank.plugins._entry_points", lambda group: looked.append(group) or [])
    run(*asked)
    assert looked == []


# --- schemes ---

SCHEME = """
from outflank import Promise, Scheme
from outflank.parallel.divided import Divided, Plan

HASTY = Scheme(
    name="hasty",
    algorithms=("alphabeta", "pvs"),
    promises=Promise.VALUE | Promise.MOVE,
    overhead="waiting",
    divide=lambda root, workers: Divided(root, workers, Plan(eldest_first=True, levels=2)),
)
"""


@pytest.fixture
def hasty(installed, monkeypatch):
    register_for_now(monkeypatch, SCHEMES)
    installed("hastily", SCHEME, "hasty = hastily:HASTY", "ybw = hastily:HASTY", group="outflank.schemes")
    installed("failing", "1 / 0", "lost = failing:LOST", group="outflank.schemes")


def test_a_scheme_of_a_plugin_divides_a_search(hasty, run):
    options = {"algorithm": "alphabeta", "evaluation": "discs", "workers": 2}
    assert search(OthelloBoard.start(4), Limits(depth=2), parallel="hasty", **options).scheme == "hasty"
    asked = ["search", "--size", "4", "--depth", "1", "--workers", "2", "--json", "--parallel"]
    status, out, err = run(*asked, "hasty")
    assert (status, err) == (0, "")
    assert json.loads(out.splitlines()[-1])["scheme"] == "hasty"
    assert "hasty" in run("search", "--help")[1]
    assert json.loads(run(*asked, "ybw")[1].splitlines()[-1])["scheme"] == "ybw"
    assert SCHEMES.get("ybw").divide.__module__ == "outflank.parallel.schemes"


def test_a_scheme_that_cannot_be_loaded_is_one_line(hasty, run):
    status, out, err = run("search", "--depth", "1", "--parallel", "lost")
    said = "failing.py, line 1: ZeroDivisionError: division by zero"
    assert (status, out) == (2, "")
    where = "outflank search: Invalid value for '--parallel'"
    assert err == f"{where}: scheme 'lost' of fake-failing 1.2 (failing:LOST): {said}"


# --- experiments ---

EXPERIMENT = """
from dataclasses import dataclass, replace
from pathlib import Path

from outflank import lab


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(lab.Parameters):
    upto: int = lab.option(3, "The last one.")


class Odd(lab.Experiment):
    name, question, reports, parameters = "odd", "Which numbers are odd?", (), Choice

    def tasks(self, chosen):
        return [lab.Task("all", lambda stop: [{"number": number} for number in range(1, chosen.upto + 1, 2)])]

    def conclude(self, chosen, samples):
        return lab.Conclusion(tables=(lab.ReportTable.of("numbers", samples),))
"""


@pytest.fixture
def odd(installed, monkeypatch):
    register_for_now(monkeypatch, EXPERIMENTS)
    installed("oddly", EXPERIMENT, "odd = oddly:Odd", "scaling = oddly:Odd", group="outflank.experiments")
    installed("wrong", "LOST = 3", "lost = wrong:LOST", group="outflank.experiments")


def test_an_experiment_of_a_plugin_is_run(odd, run):
    assert lab.run("odd").tables[0].column("number") == [1, 3]
    status, out, _ = run("lab", "odd", "--upto", "5", "--quiet", "--json")
    assert status == 0
    assert json.loads(out)["samples"][-1]["number"] == 5


def test_an_experiment_that_cannot_be_loaded_is_one_line_and_the_others_are_listed(odd, run):
    why = "expected a class of Experiment of that name, found 3"
    broken = f"experiment 'lost' of fake-wrong 1.2 (wrong:LOST): {why}"
    taken = "experiment 'scaling' of fake-oddly 1.2 (oddly:Odd): that name belongs to outflank"
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        status, out, err = run("lab", "list")
        again = run("lab", "--help")
    assert status == 0
    assert "Which numbers are odd?" in out
    assert err.startswith(f"outflank: warning: {broken} outflank: warning: {taken} (outflank.lab.")
    assert (again[0], again[2]) == (0, "")
    assert "odd " in again[1]
    assert run("lab", "lost") == (2, "", f"outflank: {broken}")


# --- protocols ---

PROTOCOL = """
from outflank.protocols.listening import Urgency
from outflank.protocols.serving import Engine, ServedProtocol


class Echo(Engine):
    def __init__(self, wanted):
        super().__init__(lambda line: Urgency.WAITS)
        self.wanted = wanted

    def replies(self, line):
        yield f"{self.wanted.game}: {line.strip()}\\n"


ECHO = ServedProtocol(name="echo", about="what it is told", engine=Echo, games=("othello",))
"""


@pytest.fixture
def echo(installed, monkeypatch):
    register_for_now(monkeypatch, PROTOCOLS)
    installed("echoing", PROTOCOL, "echo = echoing:ECHO", "loud = echoing:ECHO", group="outflank.protocols")
    monkeypatch.setattr(sys, "stdin", io.StringIO("one\ntwo\n"))


def test_a_protocol_of_a_plugin_is_served(echo, run):
    assert run("engine", "echo") == (0, "othello: one\nothello: two\n", "")
    assert "{gtp|nboard|echo|loud" in run("engine", "--help")[1]


def test_a_protocol_that_cannot_be_loaded_or_does_not_know_the_game_is_one_line(echo, run):
    why = "expected a ServedProtocol of that name, found 'echo'"
    status, out, err = run("engine", "loud")
    assert (status, out) == (2, "")
    assert err.startswith("outflank engine: Invalid value for '{gtp|nboard|echo|loud")
    assert err.endswith(f": protocol 'loud' of fake-echoing 1.2 (echoing:ECHO): {why}")
    for name in ("echo", "nboard"):
        said = f"outflank: {name} is for othello alone, not for abalone"
        assert run("engine", name, "--game", "abalone") == (2, "", said)


def test_a_protocol_that_fails_to_judge_a_line_ends():
    def fail(line: str) -> Urgency:
        raise KeyError(line)

    with pytest.raises(KeyError):
        list(Listener(["one"], fail).lines())


def test_a_protocol_of_ones_own_is_registered(monkeypatch):
    register_for_now(monkeypatch, PROTOCOLS)
    mine = ServedProtocol(name="mine", about="mine", engine=lambda wanted: PROTOCOLS.get("gtp").engine(wanted))
    assert register_protocol(mine) is PROTOCOLS.get("mine")
    refusal = r"^protocol 'gtp' is outflank\.protocols\.gtp_server: choose another name$"
    with pytest.raises(InvalidOption, match=refusal):
        register_protocol(replace(mine, name="gtp"))


# --- games ---

GAME = """
from typing import NamedTuple

from outflank import GameDescription


class Race(NamedTuple):
    goal: int


RACE = GameDescription(name="race", title="Race", rules=Race, start=lambda: None)
"""


@pytest.fixture
def race(installed, monkeypatch):
    register_for_now(monkeypatch, GAMES)
    monkeypatch.setattr(description, "_by_rules", dict(description._by_rules))
    installed(
        "racing", GAME, "race = racing:RACE", "othello = racing:RACE", "lost = racing:LOST", group="outflank.games"
    )


def test_a_game_of_a_plugin_is_found_by_its_name_and_by_its_rules(race):
    found = description.game_named("race")
    assert found.title == "Race"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing else is loaded for it
        assert description.description_of(found.rules(3)) is found
    assert GAMES.names()[:4] == ("othello", "abalone", "race", "lost")  # before others that may be installed here
    assert description.game_named("othello").title == "Othello"


def test_a_game_that_cannot_be_loaded_is_one_line(race, run):
    why = "AttributeError: module 'racing' has no attribute 'LOST'"
    for command in ("search", "match", "engine"):
        asked = [command, *{"engine": ["gtp"], "match": ["first", "first"]}.get(command, []), "--game"]
        where = f"outflank {command}: Invalid value for '--game'"
        assert run(*asked, "lost") == (2, "", f"{where}: game 'lost' of fake-racing 1.2 (racing:LOST): {why}")
        status, out, err = run(*asked, "rase")
        assert (status, out) == (2, "")
        assert "unknown game 'rase', did you mean 'race'? (known: othello, abalone, race, lost" in err
        assert "--game [othello|abalone|race|lost" in run(command, "--help")[1]


# --- evaluations ---

EVALUATION = """
from typing import NamedTuple

from outflank.games.defaults import NamedEvaluation
from outflank.games.evaluation import value
from outflank.kernels.bits import popcount


class Lead(NamedTuple):
    worth: int


@value.register(Lead)
def _(evaluation, game, position, state):
    return evaluation.worth * (popcount(position.own) - popcount(position.opp))


LEAD = NamedEvaluation(name="lead", evaluation=Lead(10), unit="discs", points=10)
DISCS = NamedEvaluation(name="discs", evaluation=Lead(1))
CLASS = NamedEvaluation(name="class", evaluation=Lead)
"""


@pytest.fixture
def lead(installed, monkeypatch):
    for registry in (EVALUATIONS, GAMES):
        register_for_now(monkeypatch, registry)
    monkeypatch.setattr(evaluation, "_registered", {})
    entries = ["othello.lead = leading:LEAD", "othello.discs = leading:DISCS", "othello.class = leading:CLASS"]
    installed("leading", EVALUATION, *entries, "lead = leading:LEAD", group="outflank.evaluations")


def test_an_evaluation_of_a_plugin_is_named(lead, run):
    board = OthelloBoard.start(4)
    assert search(board, Limits(depth=1), evaluation="lead", workers=1).value == 30
    asked = ["search", "--size", "4", "--depth", "1", "--workers", "1", "--evaluation"]
    status, out, err = run(*asked, "lead")
    assert (status, err) == (0, "")
    assert "+3.0 discs" in out
    assert type(evaluation.evaluation_named(board.game, "discs")).__module__ == "outflank.othello.evaluation"
    status, out, err = run(*asked, "laed")
    assert (status, out) == (2, "")
    assert "unknown evaluation of Othello 'laed', did you mean 'lead'?" in err
    with pytest.raises(UnknownName, match="unknown evaluation of Abalone 'lead'"):
        evaluation.evaluation_named(AbaloneBoard.start().game, "lead")


def test_an_evaluation_that_cannot_be_loaded_is_one_line(lead, run):
    status, out, err = run("search", "--depth", "1", "--evaluation", "class")
    why = "evaluation 'class': expected a NamedTuple with a registered `value`, found the class Lead"
    assert (status, out) == (2, "")
    said = err.rstrip("'")  # the class was defined before, in another test
    assert said == f"outflank: evaluation 'othello.class' of fake-leading 1.2 (leading:CLASS): {why}"


def test_evaluations_are_listed_with_their_games(lead):
    evaluation.evaluation_named(OthelloBoard.start().game, "lead")
    found = {each.name: each for each in evaluation.list_evaluations() if not each.reason}
    assert str(found["othello.phased"].source) == "outflank (outflank.othello.evaluation.Phased)"
    assert str(found["othello.lead"].source) == "fake-leading 1.2 (leading:LEAD)"
    broken = [each for each in evaluation.list_evaluations() if each.reason]
    assert {each.name: each.reason.partition("): ")[2].rstrip("'") for each in broken} == {
        "othello.class": "evaluation 'class': expected a NamedTuple with a registered `value`, found the class Lead",
        "othello.discs": "that name belongs to outflank (outflank.othello.evaluation.Discs)",
        "lead": "expected the name of its game before its own, as in othello.lead",
    }


# --- the list ---


def test_everything_is_listed_with_where_it_is_from(hasty, odd, echo, run):
    register_scheme(replace(SCHEMES.get("hasty"), name="listed", divide=lambda root, workers: None))
    status, out, err = run("plugins")
    assert (status, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "scheme ybw outflank promises value and move" in lines
    assert "scheme hasty fake-hastily 1.2 promises value and move" in lines
    assert f"scheme listed {__name__}, in this process promises value and move" in lines
    assert "experiment odd fake-oddly 1.2 Which numbers are odd?" in lines
    assert "protocol echo fake-echoing 1.2 what it is told" in lines
    assert "game othello outflank Othello" in lines
    assert "evaluation othello.phased outflank values in discs" in lines
    said = "failing.py, line 1: ZeroDivisionError: division by zero"
    assert f"cannot be used: scheme 'lost' of fake-failing 1.2 (failing:LOST): {said}" in lines


def test_the_list_is_json_for_programs(hasty, run):
    status, out, err = run("plugins", "--json")
    assert (status, err) == (0, "")
    found = {(each["kind"], each["name"], each["package"]): each for each in map(json.loads, out.splitlines())}
    assert found["scheme", "hasty", "fake-hastily 1.2"] == {
        "schema": "outflank/plugin/1",
        "kind": "scheme",
        "name": "hasty",
        "package": "fake-hastily 1.2",
        "place": "hastily:HASTY",
        "about": "promises value and move",
        "broken": None,
    }
    assert found["scheme", "ybw", "outflank"]["broken"] is None
    assert "that name belongs to outflank" in found["scheme", "ybw", "fake-hastily 1.2"]["broken"]
    assert found["scheme", "lost", "fake-failing 1.2"]["about"] is None


# --- what the documentation says ---


def test_the_plugins_of_the_documentation_work(installed, monkeypatch, run):
    for registry in (SCHEMES, PROTOCOLS, EVALUATIONS):
        register_for_now(monkeypatch, registry)
    monkeypatch.setattr(evaluation, "_registered", {})
    text = (Path(__file__).parent.parent / "docs" / "plugins.md").read_text(encoding="utf-8")
    projects = [tomllib.loads(each)["project"] for each in re.findall(r"```toml\n(.*?)```", text, re.DOTALL)]
    assert f"`{projects[0]['name'].replace('-', '_')}.py`" in text  # or the build would not know what to ship
    sources = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    entries = [next(iter(each["entry-points"].items())) for each in projects]
    entries.append(("outflank.protocols", {"counting": "counting:COUNTING"}))
    for (group, named), source in zip(entries, sources, strict=True):
        ((name, place),) = named.items()
        installed(place.partition(":")[0], source, f"{name} = {place}", group=group)
    asked = ["search", "--size", "4", "--depth", "2", "--workers", "2"]
    assert run(*asked, "--parallel", "two-levels", "--evaluation", "lead")[::2] == (0, "")
    monkeypatch.setattr(sys, "stdin", io.StringIO("four\n"))
    assert run("engine", "counting") == (0, "4\n", "")
    assert all(f"`{each.group}`" in text for each in (GAMES, EVALUATIONS, SCHEMES, EXPERIMENTS, PROTOCOLS))

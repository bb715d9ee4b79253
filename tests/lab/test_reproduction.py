"""A report's cells beside ours: what each has to be, and how it is counted."""

import csv
import io
import json
from collections import Counter
from xml.etree import ElementTree

import pytest

from outflank import lab
from outflank.errors import InvalidOption, OutflankError
from outflank.lab.claims.ledger import Answer, Claim, Decision
from outflank.lab.experiment import experiment_named
from outflank.lab.reproduction import measured_sources, published_sections
from outflank.lab.reproduction.compared_cells import (
    MARKS,
    ComparedCell,
    Verdict,
    all_digits,
    compare_cells,
    verdict_counts_text,
)
from outflank.lab.reproduction.measured_sources import part_samples
from outflank.lab.reproduction.published_sections import (
    EQUAL,
    GIVEN,
    MACHINE,
    Effort,
    ExperimentPart,
    Finding,
    Measure,
    MeasuredCell,
    PublishedTable,
    Setting,
    close,
    sources_of,
)
from outflank.lab.reproduction.stored_runs import DIFFERENCES, RunSummary, stored_run
from outflank.lab.studies import reproduce
from outflank.search.request import Stop
from outflank.ui.cli import main
from outflank.validation.documents import read_document
from tests import transcribed

pytestmark = pytest.mark.interpreted_only

CELLS = {"000": 269, "001": 4, "002": 95, "003": 39, "004": 180}
"""Numbers in the tables of each report, those that name a row left out."""


@pytest.mark.parametrize(
    ("expected", "theirs", "ours", "verdict", "text"),
    [
        (EQUAL, 391, 391, Verdict.EQUAL, "391 ✓"),
        (EQUAL, 391, 392, Verdict.DIFFERENT, "391 ≠ 392"),
        (EQUAL, 62.60, 62.6, Verdict.EQUAL, "62.6 ✓"),
        (EQUAL, 391, None, Verdict.NOT_DONE, "391 | –"),
        (close(2), 100, 51, Verdict.CLOSE, "100 ≈ 51 (×0.51 of ×2)"),
        (close(2), 100, 199, Verdict.CLOSE, "100 ≈ 199 (×1.99 of ×2)"),
        (close(2), 100, 49, Verdict.FAR, "100 ≉ 49 (×0.49 of ×2)"),
        (close(2), 100, -100, Verdict.FAR, "100 ≉ -100"),
        (close(2), 0, 0, Verdict.CLOSE, "0 ≈ 0"),
        (close(2), 0, 1, Verdict.FAR, "0 ≉ 1"),
        (MACHINE, 3776, 12.34567, Verdict.BESIDE, "3,776 | 12.35 (×0.00327)"),
        (MACHINE, 3776, None, Verdict.NOT_DONE, "3,776 | –"),
        (GIVEN, 7, None, Verdict.GIVEN, "7 (given)"),
    ],
)
def test_a_cell_is_judged_by_what_it_has_to_be(expected, theirs, ours, verdict, text):
    cell = ComparedCell(("row",), "column", theirs, ours, expected, "")
    assert (cell.verdict, cell.text) == (verdict, text)


@pytest.mark.parametrize(
    ("finding", "ours", "text"),
    [
        (Finding.NO, None, "8 ✗ no"),
        (Finding.NOTHING_SENT, 8, "8 | 8 (nothing sent)"),
        (Finding.MORE_THREADS, 8, "8 | 8 (threads > cores)"),
        (Finding.REPLAYED, 16, "8 | 16 (×2) (replayed)"),
        (Finding.DERIVED, 8, "8 ← 8"),
    ],
)
def test_what_is_no_measurement_of_the_same_never_agrees(finding, ours, text):
    for expected in (EQUAL, close(2), MACHINE):
        cell = ComparedCell(("row",), "column", 8, ours, expected, "", finding)
        assert (cell.verdict.value, cell.text) == (finding.value, text)
        assert MARKS[cell.verdict]
    assert ComparedCell(("row",), "column", 8, ours, GIVEN, "", finding).verdict is Verdict.GIVEN


@pytest.mark.parametrize("value", [633.558, 0.04, 459_896_384, 1451.58, 8.916])
def test_a_published_number_keeps_every_digit(value):
    assert float(all_digits(value).replace(",", "")) == value


def _section(found, **more):
    chosen = {
        "report": "000",
        "where": "Replication",
        "title": "by depth",
        "table": "replication",
        "key": ("min_depth",),
        "expected": {"broadcast_messages": EQUAL},
        "absent": "no 32 processors here",
        "sources": lambda setting: [Measure("some", lambda stop: found)],
    }
    return PublishedTable(**{**chosen, **more})


def test_every_printed_cell_is_there_also_one_that_was_not_measured():
    section = _section([])
    cells = compare_cells(
        section, [MeasuredCell((5,), "broadcast_messages", 258_744), MeasuredCell((7,), "broadcast_messages", 1)]
    )
    assert len(cells) == 4 * 6
    assert Counter(cell.verdict for cell in cells) == {
        Verdict.EQUAL: 1,
        Verdict.DIFFERENT: 1,
        Verdict.NOT_DONE: 22,
    }
    assert {cell.note for cell in cells if cell.verdict is Verdict.NOT_DONE} == {"no 32 processors here"}


def test_a_slip_in_the_name_of_a_cell_is_no_cell_left_out(monkeypatch):
    section = _section([MeasuredCell((5,), "broadcast_mesages", 1)])
    monkeypatch.setattr(reproduce, "sections_of", lambda report: (section,))
    with pytest.raises(ValueError, match="broadcast_mesages"):
        lab.run("reproduce", which=("000",))


def test_two_sources_of_one_name_are_refused():
    section = _section(
        [], sources=lambda setting: [ExperimentPart("pruning", {}), ExperimentPart("pruning", {"depth": 2})]
    )
    with pytest.raises(ValueError, match="one name"):
        sources_of(section, Setting(Effort.USUAL, 1))


@pytest.mark.usefixtures("nothing_stored")
def test_the_cells_are_counted_and_listed(monkeypatch, tmp_path):
    printed = _section([MeasuredCell((5,), "broadcast_messages", 258_744)])
    further = _section(
        [MeasuredCell((1,), "x", 3, published=3)], table=None, where="Further", key=("n",), printed=False
    )
    monkeypatch.setattr(reproduce, "sections_of", lambda report: (printed, further))
    report = lab.run("reproduce", which=("000",), out=tmp_path)
    assert report.notes[0].startswith(f"Of {len(reproduce.claims_of('000'))} conclusions: ")
    assert report.notes[1] == "Of what the reports printed, 24 cells: 1 equal, 0 different, 0 far, 23 not done."
    assert report.notes[2] == (
        "Of the same programs, but printed in no report, or from a report's own numbers, 1 cell: 0 different, 0 far, "
        "1 side by side."
    )
    listed = list(csv.DictReader(io.StringIO((tmp_path / "reproduce-000.cells.csv").read_text())))
    assert len(listed) == 25
    assert Counter(line["verdict"] for line in listed) == {"equal": 1, "side by side": 1, "not done": 23}
    ledger, index = len(report.tables) - 3, report.tables[-3]
    assert ledger <= 1
    assert index.column("cells") == [24, 1, 24]
    assert [index.without_empty_columns.column(name) for name in ("different", "far")] == [[0, 0, 0]] * 2  # zeros too
    assert {table.section for table in report.tables[-2:]} == {printed.heading, further.heading}


def test_parts_of_a_section_that_have_the_same_titles_are_told_apart():
    titles = {"a": ("same", "own"), "b": ("same",), "": ("same",)}
    parts = [
        (
            ExperimentPart("pruning", {}, label=label),
            lab.Conclusion(tables=tuple(lab.ReportTable.of(name, []) for name in own)),
        )
        for label, own in titles.items()
    ]
    told = [[table.title for table in said.tables] for _, said in reproduce.with_unique_titles(parts)]
    assert told == [["a: same", "own"], ["b: same"], ["same"]]


def test_a_sample_that_belongs_to_no_section_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(
        reproduce, "sections_of", lambda report: (_section([MeasuredCell((5,), "broadcast_messages", 1)]),)
    )
    lab.run("reproduce", which=("000",), out=tmp_path)
    kept = json.loads((tmp_path / "reproduce-000.json").read_text())
    for name in ("report", "section", "source"):
        path = tmp_path / "other.json"
        path.write_text(json.dumps({**kept, "samples": [{**kept["samples"][0], name: "another"}]}))
        with pytest.raises(OutflankError, match=rf"samples\[0\]\.{name}"):
            lab.redraw(path)


def test_results_of_different_reports_share_a_folder(monkeypatch, tmp_path):
    section = _section([MeasuredCell((5,), "broadcast_messages", 1)])
    monkeypatch.setattr(reproduce, "sections_of", lambda report: (section,) if report == "000" else ())
    for which, stem in ((("004",), "reproduce-004"), (("000", "002"), "reproduce-000-002"), (("all",), "reproduce")):
        report = lab.run("reproduce", which=which, out=tmp_path)
        assert f"{stem}.json" in report.written
        numbers = reproduce.REPORTS if which == ("all",) else which
        first = (tmp_path / f"{stem}.html").read_text(encoding="utf-8")
        pages = {number: f"{stem}-{number}.html" for number in numbers} if len(numbers) > 1 else {}
        assert all(f'<a href="{page}">{number}: ' in first for number, page in pages.items())
        assert {f"{stem}.html", *pages.values()} == {name for name in report.written if name.endswith(".html")}
        for number, page in (pages or {which[0]: f"{stem}.html"}).items():
            assert f"<h1>Report {number}: " in (tmp_path / page).read_text(encoding="utf-8")


def test_quick_and_full_are_two_wishes():
    with pytest.raises(InvalidOption, match="one of the two"):
        lab.run("reproduce", quick=True, full=True)


def test_no_cells_are_told_as_such():
    assert verdict_counts_text(Counter()) == "0 cells: 0 different, 0 far"


@pytest.mark.parametrize("effort", list(Effort))
@pytest.mark.parametrize("report", reproduce.REPORTS)
def test_every_section_has_sources_that_can_be_made(report, effort):
    """Parameters that an experiment refuses would be found only when it is its turn."""
    names = [section.name for section in reproduce.sections_of(report)]
    assert len(set(names)) == len(names)
    for section in reproduce.sections_of(report):
        for source in sources_of(section, Setting(effort, 2)).values():
            assert isinstance(source, Measure) or source.experiment_parameters is not None
        for row, column in section.single:
            assert (row, column) in section.published()
        assert set(section.expected) <= {column for _, column in section.published()} or section.table is None


def test_a_stop_ends_a_measure_without_cells(monkeypatch):
    monkeypatch.setattr(
        reproduce, "sections_of", lambda report: (_section([MeasuredCell((5,), "broadcast_messages", 1)]),)
    )
    stop = Stop()
    stop()
    assert lab.run("reproduce", which=("000",), stop=stop).samples == ()


def test_an_experiment_whose_samples_would_hide_where_they_belong_is_refused():
    task = lab.Task("one", lambda stop: [{"source": "a name of its own"}])
    with pytest.raises(ValueError, match="one: a sample has 'source'"):
        part_samples({"report": "000", "section": "a", "source": "b"}, task, None)


def _counting(monkeypatch, reports=("000",)):
    """Two sections of each report that run one experiment with one parameter, and a list of what is measured."""
    measured = []

    class Counting(lab.Experiment):
        name, question, reports, parameters = "counting", "How often?", (), lab.Parameters

        def tasks(self, parameters):
            return [lab.Task("once", lambda stop: [{"n": measured.append(1) or len(measured)}])]

        def conclude(self, parameters, samples):
            tables = [lab.ReportTable.of(title, samples) for title in ("one table", "another")]
            return lab.Conclusion(tables=tuple(tables))

    monkeypatch.setattr(measured_sources, "experiment_named", lambda name: Counting())
    monkeypatch.setattr(published_sections, "experiment_named", lambda name: Counting())
    monkeypatch.setattr(reproduce, "experiment_named", lambda name: Counting())
    monkeypatch.setattr(reproduce, "claims_of", lambda report: ())

    def sections(report):
        shows = {"first": ("one",), "second": ("another",)} if report in reports else {}
        return tuple(
            _section(
                [],
                report=report,
                table=None,
                where=where,
                sources=lambda setting, show=show: [ExperimentPart("counting", {}, show=show)],
            )
            for where, show in shows.items()
        )

    kept = {report: sections(report) for report in reproduce.REPORTS}
    monkeypatch.setattr(reproduce, "sections_of", kept.__getitem__)
    return measured


def test_sections_that_run_the_same_experiment_share_its_samples(monkeypatch, tmp_path):
    measured = _counting(monkeypatch, ("000", "002"))
    report = lab.run("reproduce", which=("000", "002"), out=tmp_path)
    assert len(measured) == len(report.samples) == 1
    shown = [(table.section.partition(":")[0], table.title) for table in report.tables if table.section]
    assert shown == [
        (f"{number}, {where}", title)
        for number in ("000", "002")
        for where, title in (("first", "one table"), ("second", "another"))
    ]
    again = lab.redraw(tmp_path / "reproduce-000-002.json")
    assert again.tables == report.tables
    assert set(again.task_seconds) == {"000: first: counting: once"}


def _summary(**more):
    chosen = {
        "effort": "usual",
        "provenance": {"commit": "abc", "machine": {"processor": "a processor"}},
        "seconds": {"000: first: counting": 90.0},
        "answers": {},
        "verdicts": {},
    }
    return RunSummary(**{**chosen, **more})


@pytest.mark.usefixtures("nothing_stored")
def test_a_run_expects_to_take_as_long_as_the_stored_one(monkeypatch):
    _counting(monkeypatch)
    assert experiment_named("reproduce").expected_seconds(reproduce.ReproduceParameters(which=("000",))) is None
    monkeypatch.setattr(reproduce, "stored_run", lambda effort: _summary() if effort is Effort.USUAL else None)
    told = []
    lab.run("reproduce", which=("000",), progress=told.append)
    assert [(each.first, each.seconds_left) for each in told] == [(True, 90.0), (False, None)]
    lab.run("reproduce", which=("000",), quick=True, progress=told.append)
    assert told[2].seconds_left is None


def test_the_command_says_first_how_long_the_stored_run_took(monkeypatch, capsys):
    _counting(monkeypatch)
    monkeypatch.setattr(reproduce, "stored_run", lambda effort: _summary(seconds={"000: first: counting": 660.0}))
    for options in ([], ["--quiet"]):
        with pytest.raises(SystemExit, match="0"):
            main(["lab", "reproduce", "000", *options])
        if not options:
            assert capsys.readouterr().err.startswith("This took 11 min ")
    assert capsys.readouterr().err == ""


def test_a_source_that_the_stored_run_does_not_know_counts_by_its_weight():
    sections = [
        _section([], where=name, sources=lambda setting, weight=weight: [Measure("m", lambda stop: [], weight)])
        for name, weight in (("a", 1.0), ("b", 3.0), ("new", 2.0))
    ]
    seconds = {"000: a: m": 10.0, "000: b: m": 10.0}
    tasks = measured_sources.reproduction_tasks(sections, Setting(Effort.USUAL, 1), seconds)
    assert [task.weight for task in tasks] == [10.0, 10.0, 10.0]  # 5 s for a weight of 1


def _claim(number, says, answer):
    return Claim(
        report="000",
        number=number,
        where="Somewhere",
        says=says,
        expected=Answer.CONFIRMED,
        decide=lambda evidence: Decision(answer, "a <reason>"),
    )


@pytest.mark.usefixtures("nothing_stored")
def test_answers_and_verdicts_that_the_stored_run_had_otherwise_are_listed(monkeypatch, tmp_path):
    section = _section([MeasuredCell((5,), "broadcast_messages", 1), MeasuredCell((7,), "broadcast_messages", 1)])
    claims = (_claim(1, "It is so.", Answer.CONFIRMED), _claim(2, "It is not.", Answer.CONTRADICTED))
    monkeypatch.setattr(reproduce, "sections_of", lambda report: (section,))
    monkeypatch.setattr(reproduce, "claims_of", lambda report: claims)
    first = lab.run("reproduce", which=("000",), out=tmp_path)
    assert not any(table.title.startswith(DIFFERENCES) for table in first.tables)
    kept = read_document(tmp_path / "reproduce-000.summary.json", RunSummary, "a summary")
    assert kept.answers == {"000": {"It is so.": "confirmed", "It is not.": "contradicted"}}
    assert Counter(kept.verdicts["000"]["Replication"].values()) == {"different": 2, "not done": 22}
    monkeypatch.setattr(reproduce, "stored_run", lambda effort: kept)
    same = lab.run("reproduce", which=("000",), out=tmp_path, replace=True)[DIFFERENCES]
    assert same.rows == ()
    assert same.notes[0].startswith("2 answers and 24 verdicts were compared")
    assert "Nothing differs." in (tmp_path / "reproduce-000.html").read_text(encoding="utf-8")
    cells = {"[5] broadcast_messages": "equal", "[7] broadcast_messages": "equal", "gone": "equal"}
    other = _summary(
        answers={"000": {"It is so.": "depends", "Gone.": "depends"}}, verdicts={"000": {"Replication": cells}}
    )
    monkeypatch.setattr(reproduce, "stored_run", lambda effort: other)
    table = lab.run("reproduce", which=("000",), out=tmp_path, replace=True)[DIFFERENCES]
    assert table.columns == ("report", "what", "stored run", "this run")
    assert table.rows == (
        ("000", "conclusion 1: It is so.", "depends", "confirmed"),
        ("000", "2 cells of Replication", "equal", "different"),
    )
    assert "commit abc" in table.notes[0]
    stop = Stop()
    stop()
    assert not any(
        table.title.startswith(DIFFERENCES) for table in lab.run("reproduce", which=("000",), stop=stop).tables
    )


@pytest.mark.parametrize("effort", list(Effort))
def test_the_stored_runs_can_be_read(effort):
    run = stored_run(effort)
    assert run is None or run.effort == effort


def test_a_reports_page_begins_with_its_conclusions(monkeypatch, tmp_path):
    section = _section([MeasuredCell((5,), "broadcast_messages", 258_744)])
    claims = [_claim(1, "It <is> so.", Answer.CONFIRMED), _claim(2, "It is not.", Answer.CONTRADICTED)]
    monkeypatch.setattr(reproduce, "sections_of", lambda report: (section,))
    monkeypatch.setattr(reproduce, "claims_of", lambda report: tuple(claims))
    lab.run("reproduce", which=("000",), out=tmp_path)
    root = ElementTree.fromstring((tmp_path / "reproduce-000.html").read_text(encoding="utf-8"))
    folds = {"".join(each.find("summary").itertext()): each for each in root.iter("details")}
    assert list(folds)[:3] == ["1 not as expected", "1 contradicted", "1 confirmed"]
    assert [name for name, fold in folds.items() if fold.get("open")] == ["1 not as expected", "1 contradicted"]
    (row,) = folds["1 confirmed"].findall(".//tbody/tr")
    assert [cell.text for cell in row] == ["1", "It <is> so.", "a <reason>", "Somewhere"]
    assert section.heading in folds  # every section is folded
    # A link opens a fold only if its target is inside.
    targets = {each.get("id") for fold in folds.values() for each in fold.iter() if each.get("id")}
    links = [each.get("href") for each in root.iter("a")]
    assert len(links) == 4
    assert {link.removeprefix("#") for link in links} <= targets
    page = ElementTree.tostring(root, encoding="unicode")
    assert page.count("391 ✓") == 1  # the legend stands once
    assert "details::details-content{content-visibility:visible" in page.partition("@media print")[2]


@pytest.fixture(scope="module")
def unmeasured(tmp_path_factory):
    """The pages of a run that was stopped before it began: every printed cell, and none of ours."""
    out, stop = tmp_path_factory.mktemp("reproduce"), Stop()
    stop()
    lab.run("reproduce", out=out, stop=stop)
    return transcribed.pages(out)


def test_every_number_of_the_reports_tables_is_on_the_page(unmeasured):
    verdicts, wrong = transcribed.against(unmeasured, transcribed.headings())
    assert wrong == []
    assert {report: sum(counted.values()) for report, counted in verdicts.items()} == CELLS


def test_a_number_that_is_missing_or_changed_on_the_page_is_found(unmeasured):
    changed = unmeasured.replace("<span>633.558</span>", "<span>633.559</span>")
    assert changed != unmeasured
    (wrong,) = transcribed.against(changed, transcribed.headings())[1]
    assert wrong == "000 threshold_par, row 1: 633.558 was printed, the page has '633.559 | –'"
    without = unmeasured.replace("<span>633.558</span> <span>| –</span>", "633.558")
    (wrong,) = transcribed.against(without, transcribed.headings())[1]
    assert wrong.startswith("000 threshold_par, row 1")

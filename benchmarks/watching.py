"""The pictures of a running search: what do they cost the server, and how long does the browser take for a frame?

python -m benchmarks.watching [--workers 16] [--seconds 15]

Server: a search with so many workers whose split points are read as for the Watch view. The processor time of reading
them, of the progress and of the message is told per update, and as a share of a core at ten updates a second.

Browser: the modules of the page in an installed Chromium get states of so many workers and trees of 200 nodes, ten a
second, with a full minute recorded. The time of every animation frame and of every message is told. The states are
made up, so that two cores need not run sixteen workers beside the browser.
"""

import argparse
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from playwright.sync_api import sync_playwright

from benchmarks.common import save
from outflank import OthelloBoard, Stop
from outflank.search.iterations import Stage
from outflank.ui.web.requests import SearchOptions
from outflank.ui.web.searching import analysing, worker_states
from outflank.ui.web.searching.analysing import AnalysisTask
from outflank.validation.documents import encoded
from tests.browsers import FLAGS, Server, installed

PARTS = ("progress", "tree", "message")
UPDATES_A_SECOND = 10


def processor_milliseconds(workers: int, seconds: float) -> dict[str, list[float]]:
    """Return the processor time in milliseconds of each part of each update of a search."""
    spent: dict[str, list[float]] = {part: [] for part in PARTS}

    def timed(part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            before = time.thread_time()
            result = function(*arguments)
            spent[part].append(1000 * (time.thread_time() - before))
            return result

        return call

    with (
        patch.object(Stage, "_progress", timed("progress", Stage._progress)),
        patch.object(analysing, "live_tree", timed("tree", worker_states.live_tree)),
    ):
        _search(workers, seconds, timed("message", lambda search: encoded(search.message(1, "", 0))), spent)
    return spent


def _search(workers: int, seconds: float, send: Callable[..., Any], spent: dict[str, list[float]]) -> None:
    options = SearchOptions(scheme="ybw", workers=workers)
    search = AnalysisTask(OthelloBoard.start(), moves=1, options=options, bits=20, tell=send, tree=True)
    search.prepare(workers)
    for times in spent.values():
        times.clear()
    stop = Stop()
    timer = threading.Timer(seconds, stop)
    timer.start()
    search.run(workers, stop)
    timer.cancel()


FRAMES = """async ([workers, seconds]) => {
  const { SearchPlayer } = await import("/views/search_player.js");
  const player = new SearchPlayer();
  player.element.style.width = "700px";
  document.body.prepend(player.element);
  const states = Array.from({ length: workers }, () => (
    { busy: true, move: "d3", depth: 6, nodes: 0, wasted: 0, steals: 0, busy_seconds: 0, idle_seconds: 0 }));
  let update = 0;
  const next = () => {
    update += 1;
    const tree = [{ order: 0, depth: 14, moves: 9, worker: 0 }];
    for (let node = 1; node < 200; node++) {
      const [parent, worker] = [(node - 1) >> 1, (node * 7 + (update >> 2)) % workers];
      const move = "abcdefgh"[(node + (update >> 3)) % 8] + (1 + node % 8);
      tree.push({ parent, order: node % 2, move, depth: 8, moves: node < 100 ? 5 : 0, worker, value: "+1" });
    }
    for (const [number, state] of states.entries()) {
      const busy = 0.1 * Math.abs(Math.sin(number + update / 9));
      state.busy_seconds += busy;
      state.idle_seconds += 0.1 - busy;
      state.nodes += 1e5;
      state.wasted += number % 3 ? 0 : 1e4;
    }
    return { seconds: update / 10, workers: structuredClone(states), tree };
  };
  for (let index = 0; index < 600; index++) player.add(next());
  for (let index = 0; index < 10; index++) player.timeline.zoomOut(); // all of the minute
  const [frames, messages] = [[], []];
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (call) => request((now) => {
    const began = performance.now();
    call(now);
    frames.push(performance.now() - began);
  });
  for (let index = 0; index < 10 * seconds; index++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const message = next();
    const began = performance.now();
    player.add(message);
    messages.push(performance.now() - began);
  }
  return { frames, messages };
}"""


def browser_milliseconds(workers: int, seconds: float) -> dict[str, list[float]]:
    """Return the times of animation frames and of messages in a browser, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        try:
            browser = playwright.chromium.launch(executable_path=installed(), args=list(FLAGS))
            page = browser.new_page(viewport={"width": 1400, "height": 1200})
            page.goto(server.address)
            times: dict[str, list[float]] = page.evaluate(FRAMES, [workers, seconds])
            browser.close()
        finally:
            server.kill()
    return times


def summary(times: list[float]) -> dict[str, float]:
    """Return the median, the mean, the 95th percentile and the maximum of some times in milliseconds."""
    high = statistics.quantiles(times, n=20)[-1]
    return {
        "median (ms)": statistics.median(times),
        "mean (ms)": statistics.mean(times),
        "95 % (ms)": high,
        "most (ms)": max(times),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=15.0)
    arguments = parser.parse_args()
    spent = processor_milliseconds(arguments.workers, arguments.seconds)
    share = sum(statistics.mean(times) for times in spent.values()) * UPDATES_A_SECOND / 1000
    shown = browser_milliseconds(arguments.workers, arguments.seconds)
    samples = {**spent, **shown}
    figures = {"workers": arguments.workers, "share of a core": share}
    for part, times in samples.items():
        figures |= {f"{part}, {name}": value for name, value in summary(times).items()}
    save("watching", figures, samples)


if __name__ == "__main__":
    main()

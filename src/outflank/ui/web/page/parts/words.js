// Every text of the page.

import { CERTAIN, minusSigns, shortNumber, signedNumber } from "./figures.js";

/** @import { Colour, Game } from "../types.js" */

/** @param {number} count @param {string} one @param {string} many */
const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

export const words = {
  title: "outflank",
  views: { play: "Play", analyse: "Analyse", watch: "Watch", lab: "Lab", games: "Games", puzzles: "Puzzles" },
  /** @type {(view: string, game: string) => string} */
  pageTitle: (view, game) => [game, view, "outflank"].filter(Boolean).join(" · "),
  skip: "Skip to the board",
  navigation: "Views",
  panel: "Panel",
  help: "Help and keys",
  theme: { auto: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" },
  close: "Close",
  cancel: "Cancel",
  loading: "Loading …",
  /** @type {(ready: number, needed: number) => string} */
  compiling: (ready, needed) =>
    `The search is compiled for this machine: ${ready} of about ${needed} functions. This happens once.`,
  colours: { black: "Black", white: "White" },
  /** @type {(name: string) => string} */
  opening: (name) => `Opening: ${name}`,
  ways: { up: "up", down: "down", left: "left", right: "right" },

  board: {
    name: "Board",
    holds: { X: "black", O: "white", ".": "empty" },
    legal: "legal",
    movable: "can move",
    joining: "can join",
    picked: "selected",
    goesHere: "move here",
    last: "last move",
    /** @type {(move: string, way: string) => string} */
    way: (move, way) => `${move}: ${way}`,
  },

  connection: {
    first: "Connecting …",
    lost: "The connection is lost. Trying again …",
    /** @type {(move: string) => string} */
    unsent: (move) => `The connection is lost. Your move ${move} is sent as soon as it is back.`,
    back: "Connected again.",
    outdated: "This page is older or newer than the server. Load it again.",
    reload: "Load again",
    offline: "Not now: the connection is lost.",
  },

  announcements: {
    /** @type {(side: Colour, move: string) => string} */
    move: (side, move) => `${words.colours[side]} plays ${move}.`,
    /** @type {(side: Colour) => string} */
    pass: (side) => `${words.colours[side]} passes.`,
    /** @type {(side: Colour) => string} */
    turn: (side) => `${words.colours[side]} to move.`,
    start: "The start.",
  },

  play: {
    /** @type {(side: Colour) => string} */
    turn: (side) => `${words.colours[side]} to move`,
    /** @type {(side: Colour) => string} */
    yours: (side) => `Your move: ${side}`,
    /** @type {(side: Colour) => string} */
    thinking: (side) => `${words.colours[side]} is thinking …`,
    /** @type {(side: Colour) => string} */
    compiling: (side) => `${words.colours[side]} is compiling …`,
    /** @type {(side: Colour) => string} */
    waits: (side) => `${words.colours[side]}’s computer waits`,
    /** @type {(side: Colour) => string} */
    mustPass: (side) => `${words.colours[side]} has no move and must pass`,
    compilingBar: "Compilation",
    /** The result for the user, as `You won 36–28`; else as the server says. @type {(game: Game) => string} */
    result: ({ outcome, seats, owners }) => {
      /** @type {Colour[]} */
      const sides = ["black", "white"];
      const isOwn = (/** @type {Colour} */ side, /** @type {number} */ index) =>
        owners.some(Boolean) ? owners[index] === "you" : seats[side] === "human";
      const own = sides.filter(isOwn);
      if (own.length !== 1) return outcome.text;
      const counts = own[0] === "black" ? outcome.counts : outcome.counts && [...outcome.counts].reverse();
      const result = outcome.winner ? (outcome.winner === own[0] ? "You won" : "You lost") : "A draw";
      return counts ? `${result} ${counts.join("–")}` : `${result}: ${outcome.reason}`;
    },
    pass: "Pass",
    undo: "Undo",
    redo: "Redo",
    hint: "Hint",
    /** @type {(move: string, value: string) => string} */
    hinted: (move, value) => `Hint: ${move} (${minusSigns(value)})`,
    go: "Let it move",
    swap: "Switch sides",
    takeBack: "Take back",
    twoMachines: "Two machines",
    resign: "Resign",
    sure: "Really resign?",
    rematch: "Rematch",
    newGame: "New game",
    analyse: "Analyse",
    /** @type {(text: string) => string} */
    remark: (text) => `The computer: ${minusSigns(text)}`,
    moves: "Moves",
    noMoves: "No moves yet",
    /** @type {(count: number) => string} */
    played: (count) => plural(count, "move"),
  },

  /** @type {(text: string) => string} */
  seat: (text) => {
    const level = /^computer level=(\d+)$/.exec(text);
    if (level) return `Computer, level ${level[1]}`;
    /** @type {Record<string, string>} */
    const kinds = { human: "Person", computer: "Computer", random: "Random mover", first: "First legal move" };
    return kinds[text] ?? text;
  },

  newGame: {
    title: "New game",
    game: "Game",
    black: "Black",
    white: "White",
    kinds: { human: "Person", computer: "Computer", random: "Random mover" },
    level: "Level",
    /** @type {(level: string, levels: number, text: string) => string} */
    levelOf: (level, levels, text) => [`${level} of ${levels}`, minusSigns(text)].filter(Boolean).join(": "),
    start: "Begin from",
    usualStart: "the usual start",
    clock: "Clock",
    clocks: {
      none: "No clock",
      "1+1": "1 minute + 1 s",
      "5+3": "5 minutes + 3 s",
      "10+5": "10 minutes + 5 s",
      "30+0": "30 minutes",
      "5s/move": "5 s a move",
    },
    ownClock: "Another clock",
    clockHint: "Minutes and seconds a move like 3+2, or 15m, 90s, 10s/move",
    begin: "Begin",
  },

  seats: {
    title: "Play on two machines",
    hint: "Take a seat, and send the link to the other player. Then only you can move for your side; all others watch.",
    link: "Link to this game",
    /** @type {(sides: Colour[]) => string} */
    yours: (sides) => `You play ${sides.join(" and ")}.`,
    watching: "You are watching.",
    /** @type {(side: Colour) => string} */
    take: (side) => `Take ${side}`,
    /** @type {(side: Colour) => string} */
    leave: (side) => `Leave ${side}’s seat`,
    /** @type {(side: Colour, offer: Game["offer"]) => string} */
    offered: (side, offer) =>
      `${words.colours[side]} ${offer === "takeback" ? "wants to take back a move." : "offers a rematch."}`,
    /** @type {(offer: Game["offer"]) => string} */
    waiting: (offer) => `${offer === "takeback" ? "To take back a move" : "A rematch"} is offered to your opponent.`,
    accept: "Accept",
    decline: "Decline",
    withdraw: "Withdraw",
    toRematch: "To the rematch",
  },

  moves: {
    title: "Moves",
    noted: "with notes",
    promote: "Make this the main line",
    prune: "Delete from here on",
    /** @type {(count: number) => string} */
    sure: (count) => `Delete this move and what follows: ${plural(count, "move")}?`,
    remove: "Delete",
    first: "To the start",
    back: "A move back",
    forth: "A move on",
    last: "To the end",
    marks: { "?!": "doubtful", "?": "mistake", "??": "blunder" },
    /** @type {(move: string) => string} */
    better: (move) => `${move} was better`,
    /** @type {(value: number) => string} */
    valued: (value) =>
      Math.abs(value) < CERTAIN ? `${signedNumber(value)} for black` : `won for ${value > 0 ? "black" : "white"}`,
    /** @type {(loss: number, unit: string) => string} */
    loses: (loss, unit) => (loss < CERTAIN ? `loses ${words.moves.lossText(loss, unit)}` : "loses the game"),
    /** @type {(loss: number, unit: string) => string} */
    lossText: (loss, unit) => {
      const text = signedNumber(loss).replace("+", "");
      return `${text} ${text === "1" ? unit.replace(/s$/, "") : unit}`;
    },
  },

  analyse: {
    engine: "Engine",
    moves: "Values",
    all: "all moves",
    /** @type {(count: number) => string} */
    count: (count) => plural(count, "move"),
    /** @type {(depth: number, current: number, selectivity: number) => string} */
    depth: (depth, current, selectivity) =>
      [
        depth > 0 && `depth ${depth}${selectivity < 100 ? ` (${selectivity} % sure)` : ""}`,
        current > depth && (depth > 0 ? `now ${current}` : `now depth ${current}`),
      ]
        .filter(Boolean)
        .join(", "),
    /** @type {(depth: number, current: number, selectivity: number) => string} */
    depthHint: (depth, current, selectivity) =>
      [
        depth > 0 && `The values are those of a search ${plural(depth, "move")} deep, counting the moves of both sides.`,
        depth > 0 &&
          selectivity < 100 &&
          `It left out lines that probably change nothing: each such guess is right in about ${selectivity} % of cases.`,
        current > depth && `A search ${plural(current, "move")} deep is running.`,
      ]
        .filter(Boolean)
        .join(" "),
    /** @type {(speed: number) => string} */
    speed: (speed) => `${shortNumber(speed)} nodes/s`,
    /** @type {(nodes: number) => string} */
    nodes: (nodes) => `${shortNumber(nodes)} nodes`,
    waiting: "waits for its turn",
    /** @type {(value: string, side: Colour) => string} */
    value: (value, side) => `${minusSigns(value)} for ${side}`,
    evaluation: "Evaluation",
    /** @type {(value: string) => string} */
    solved: (value) => (value ? `Solved: ${minusSigns(value)}` : "Solved"),
    /** @type {(bounds: string) => string} */
    proved: (bounds) => `Proved: ${minusSigns(bounds)}`,
    over: "The game is over here: there is nothing to search.",
    off: "The engine is off.",
    first: "Searching …",
    paste: "Paste",
    setup: "Set up",
    share: "Share",
    playOn: "Play on",
  },

  notes: {
    title: "Notes",
    comment: "Comment on this position",
    draw: "Draw",
    stop: "Stop drawing",
    clear: "Clear",
    mouse: "A drag with the right mouse button draws an arrow, a click with it a circle",
    hint: "Choose two cells for an arrow, or one cell twice for a circle.",
    /** @type {(from: string, to: string) => string} */
    drawn: (from, to) => (from === to ? `circle around ${from}` : `${from} → ${to}`),
  },

  explorer: {
    title: "Explorer",
    columns: [
      ["Move", ""],
      ["Games", ""],
      ["Share", ""],
      ["Results", "Won by black, drawn, won by white"],
      ["Score", "Mean score of the side to move"],
      ["Book", "Value in the book, for the side to move"],
    ],
    /** @type {(black: string, drawn: string, white: string) => string} */
    results: (black, drawn, white) => `Black won ${black}, drawn ${drawn}, white won ${white}`,
    /** @type {(games: number, indexed: number) => string} */
    games: (games, indexed) =>
      games
        ? `${games.toLocaleString("en-GB")} of ${indexed.toLocaleString("en-GB")} games reached this position.`
        : `None of ${indexed.toLocaleString("en-GB")} games reached this position.`,
    noIndex:
      "No games of these rules have been indexed yet. Indexed games show what others played here, with the results. To index files of games, run “outflank explore index FILES” in a terminal.",
    /** @type {(file: string, number: number) => string} */
    place: (file, number) => `${file}, game ${number}`,
  },

  paste: {
    title: "Paste games or positions",
    hint: "Any notation: a transcript, a board, GGF, SGF, an Abalone line … Pasting onto the page does the same.",
    label: "Text",
    game: "Game",
    any: "detect automatically",
    read: "Read it",
    file: "Open a file …",
  },

  files: {
    open: "Open a file",
    hint: "Files can also be opened, or dropped anywhere on the page: WTHOR (together with its name files, .jou and .trn), GGF, SGF, PGN, OBF, transcripts.",
    noNames: "A WTHOR file has only numbers for players and events. Open its name files (.jou for players, .trn for events) together with it.",
    /** @type {(bytes: number, most: number) => string} */
    tooLarge: (bytes, most) =>
      `These files have ${(bytes / 1e6).toFixed(1)} MB: at most ${most / 1e6} MB can be opened here. “outflank games” lists larger ones.`,
    /** @type {(files: number, most: number) => string} */
    tooMany: (files, most) => `${files} files: at most ${most} can be opened together.`,
  },

  choose: {
    /** @type {(games: number) => string} */
    title: (games) => `${games.toLocaleString("en-GB")} games`,
    find: "Find by name, event or year",
    /** @type {(games: number) => string} */
    keep: (games) => (games === 1 ? "Keep this game" : `Keep these ${games.toLocaleString("en-GB")} games`),
    /** @type {(games: number) => string} */
    kept: (games) => `${plural(games, "game")} kept.`,
    /** @type {(most: number) => string} */
    tooMany: (most) => `At most ${most} games are kept at a time: find fewer`,
    /** @type {(shown: number, matching: number) => string} */
    shown: (shown, matching) =>
      [shown < matching && `The first ${shown} of`, matching.toLocaleString("en-GB"), matching === 1 ? "game" : "games"]
        .filter(Boolean)
        .join(" "),
  },

  setup: {
    title: "Set up a position",
    hint: "Choose what to put down, then the cells. Choosing a cell again takes it off.",
    pieces: { X: "Black", O: "White", ".": "Nothing" },
    put: "Put down",
    turn: "To move",
    clear: "Clear",
    done: "Use it",
  },

  share: {
    title: "Share",
    link: "Link to this position",
    copy: "Copy",
    copied: "Copied.",
    notCopied: "This browser does not let the page copy. The text below is selected: copy it with Ctrl+C.",
    save: "Save",
    picture: "Picture",
    svg: "SVG",
    png: "PNG",
    text: "As text",
  },

  review: {
    title: "Review",
    run: "Review the game",
    again: "Review again",
    stop: "Stop",
    time: "Time per move",
    /** @type {(ply: number, plies: number) => string} */
    progress: (ply, plies) => `${ply} of ${plural(plies, "move")} judged`,
    empty: "A review judges every move of the main line.",
    graph: "Value over the game, for black",
    /** @type {(move: string, value: string) => string} */
    at: (move, value) => `${move}${value ? `: ${value}` : ""}`,
    begin: "Start",
    /** The end of the graph's axis at which a side is ahead. @type {(side: Colour, value: string) => string} */
    range: (side, value) => `${words.colours[side]} ${value}`,
    /** @type {(best: number, moves: number) => string} */
    best: (best, moves) => `${best} of ${plural(moves, "move")} lost nothing`,
    /** @type {(loss: number, unit: string) => string} */
    loss: (loss, unit) => `lost ${loss.toFixed(1)} ${unit} a move`,
    accuracy: "Share of moves that were as good as the best one",
    none: "No mistakes were found.",
    /** The number of moves with each mark; empty: none has a mark. @type {(marks: string[]) => string} */
    marked: (marks) => {
      const count = (/** @type {string} */ mark) => marks.filter((other) => other === mark).length;
      const texts = [
        count("??") && plural(count("??"), "blunder"),
        count("?") && plural(count("?"), "mistake"),
        count("?!") && plural(count("?!"), "doubtful move"),
      ];
      return texts.filter(Boolean).join(", ");
    },
  },

  retry: {
    title: "Mistakes",
    begin: "Retry the mistakes",
    hint: "Find a better move than the one that was played.",
    /** @type {(number: number, count: number, move: string, side: Colour) => string} */
    position: (number, count, move, side) => `${number} of ${count}: ${side} to move (the game continued ${move})`,
    /** @type {(move: string) => string} */
    judging: (move) => `${move} is judged …`,
    /** @type {(move: string, loss: number, unit: string) => string} */
    right: (move, loss, unit) =>
      loss < 0.05 ? `Right: ${move} is the best move.` : `Right: ${move} ${words.moves.loses(loss, unit)} only.`,
    /** @type {(move: string, loss: number, unit: string) => string} */
    wrong: (move, loss, unit) => `No: ${move} ${words.moves.loses(loss, unit)}. Try another move.`,
    /** @type {(move: string) => string} */
    best: (move) => `The best move was ${move}.`,
    solution: "Show the best move",
    next: "Next",
    end: "Back to the review",
    /** @type {(solved: number, count: number) => string} */
    finished: (solved, count) => `${solved} of ${plural(count, "mistake")} solved.`,
  },

  puzzles: {
    title: "Puzzles",
    today: "Puzzles of today",
    hint: "Find the only move that keeps the best result, and then the next ones.",
    none: "There are no puzzles.",
    /** @type {(number: number, result: boolean | undefined) => string} */
    puzzle: (number, result) => `Puzzle ${number}${result === undefined ? "" : result ? ", solved" : ", failed"}`,
    /** @type {(side: Colour, left: number) => string} */
    turn: (side, left) => `${words.colours[side]} to move, ${plural(left, "move")} left`,
    judging: "The move is judged …",
    compiling: "The solver is compiled for this machine. This happens once.",
    replies: "The best reply follows …",
    /** @type {(move: string, value: string) => string} */
    right: (move, value) => `Right: ${move} keeps ${minusSigns(value)}.`,
    /** @type {(move: string, value: string) => string} */
    wrong: (move, value) => `No: ${move} leads to ${minusSigns(value)}.`,
    /** @type {(move: string, value: string) => string} */
    best: (move, value) => `The best move is ${move}: ${minusSigns(value)}.`,
    /** @type {(value: string) => string} */
    solved: (value) => `Solved: ${minusSigns(value)}.`,
    /** @type {(rating: number, change: number | null, puzzle: number) => string} */
    rating: (rating, change, puzzle) =>
      `Your rating: ${Math.round(rating)}${change === null ? "" : ` (${change < 0 ? "−" : "+"}${Math.abs(change)})`}. This puzzle: ${puzzle}.`,
    next: "Next puzzle",
    again: "Try again",
    solution: "Show the solution",
    analyse: "Analyse",
  },

  watch: {
    title: "Watch the search",
    scheme: "Scheme",
    alone: "one worker alone",
    algorithm: "Algorithm",
    usual: "usual",
    workers: "Workers",
    depth: "Depth",
    noDepth: "no limit",
    start: "Search",
    stop: "Stop",
    compare: "Measure speed-up",
    second: "Compare with",
    sideBySide: "Side by side, as a page",
    needsTwo: "Choose two different schemes.",
    promises: "Promises",
    overhead: "Overhead",
    /** @type {(done: number, all: number) => string} */
    root: (done, all) => `${done} of ${all} root moves settled`,
    rootTitle: "Root moves",
    table: "Table",
    /** @type {(part: number, size: string) => string} */
    full: (part, size) => `${Math.round(100 * part)} % of ${size}`,
    idle: "idle",
    /** @type {(move: string, depth: number) => string} */
    at: (move, depth) => [move, depth > 0 ? `depth ${depth}` : ""].filter(Boolean).join(" · "),
    stolen: "stolen",
    own: "own",
    heads: {
      worker: "Worker",
      at: "Searches",
      speed: "Nodes/s",
      useful: "Busy",
      spawned: "Offered",
      steals: "Steals",
      aborts: "Aborts",
      wasted: "Wasted",
    },
    tree: "Tree of split points",
    lanes: "Lanes of time",
    rootNode: "root",
    activities: {
      search: "searches",
      abort: "work thrown away",
      share: "shares and delivers work",
      steal: "steals",
      idle: "looks for work to steal",
    },
    /** @type {(count: number) => string} */
    steals: (count) => plural(count, "steal"),
    pause: "Pause",
    resume: "Go on",
    stepBack: "A step back in time",
    stepForth: "A step on in time",
    time: "Time",
    now: "now",
    zoomIn: "Show less time",
    zoomOut: "Show more time",
    treeHint: "Point at a node for its moves, window and value; click one to zoom in, and the top to zoom out.",
    sampled:
      "Ten looks a second into the workers’ memory: a split point that lives for less time may be missed. The lanes show the shares of each tenth of a second.",
    noSplitPoints: "This scheme has no split points, so there is no tree. The lanes show the shares of each tenth of a second.",
    /** @type {(alpha: string, beta: string) => string} */
    window: (alpha, beta) => `window ${minusSigns(alpha)} … ${minusSigns(beta)}`,
    /** @type {(depth: number) => string} */
    depthLeft: (depth) => `depth ${depth}`,
    /** @type {(value: string) => string} */
    best: (value) => `best so far ${minusSigns(value)}`,
    /** @type {(begun: number, moves: number) => string} */
    begun: (begun, moves) => `${begun} of ${plural(moves, "move")} taken`,
    /** @type {(worker: number) => string} */
    worker: (worker) => `worker ${worker}`,
    /** @type {(worker: number) => string} */
    sharedBy: (worker) => `shared by worker ${worker}`,
    /** @type {(worker: number) => string} */
    searchedBy: (worker) => `searched by worker ${worker}`,
    openTrace: "Open a trace",
    closeTrace: "Close the trace",
    /** @type {(name: string) => string} */
    traceTitle: (name) => `Trace: ${name}`,
    traceNote: "The tree shows the lines that the workers search at the chosen time. Wheel or + and − zoom, dragging moves.",
    /** @type {(name: string, most: number) => string} */
    fileTooLarge: (name, most) => `${name} has more than ${most / 1e6} MB: Perfetto opens larger traces`,
    idleHint: "Choose a scheme and the number of workers, then search: the table shows what each worker is searching.",
    measuring: "The same search is timed twice: with all workers, then with one alone.",
    stopMeasuring: "Stop measuring",
    stage: {
      together: "All workers …",
      alone: "One alone …",
      done: "Measured",
      stopped: "The measurement was stopped: it has no result.",
    },
    measured: "Measured on this position",
    columns: {
      scheme: "Scheme",
      workers: "Workers",
      depth: "Depth",
      together: "Together",
      alone: "Alone",
      speedUp: "Speed-up",
      efficiency: "Efficiency",
      overhead: "Overhead",
      same: "Value",
    },
    same: "same",
    differs: "differs",
    needsDepth: "To measure, choose a depth.",
    value: "Value",
    waiting: "waits for its turn",
    /** @type {(workers: number, cores: number) => string} */
    many: (workers, cores) =>
      `${plural(workers, "worker")} on ${plural(cores, "core")}: with more workers than cores the speed-up means little.`,
  },

  steps: {
    title: "A search, step by step",
    open: "Step by step",
    depth: (/** @type {number} */ most) => `The search to step through has a depth of at most ${most}.`,
    /** @type {(algorithm: string, depth: number, nodes: number) => string} */
    of: (algorithm, depth, nodes) =>
      `${algorithm} to depth ${depth}, step by step: ${nodes.toLocaleString("en-GB")} nodes`,
    close: "Close",
    step: "Step",
    back: "A step back",
    forth: "A step on",
    previousCut: "To the previous cut-off",
    nextCut: "To the next cut-off",
    root: "root",
    won: "won",
    lost: "lost",
    states: {
      open: "being searched",
      exact: "exact value",
      upper: "no move beats alpha",
      cut: "cut off",
      pruned: "not searched",
    },
    /** @type {(line: string, alpha: string, beta: string, depth: number) => string} */
    enters: (line, alpha, beta, depth) => `${line}: searched in the window ${alpha} … ${beta}, ${plural(depth, "ply", "plies")} deep.`,
    /** @type {(line: string, value: string) => string} */
    leaf: (line, value) => `${line}: a leaf, evaluated as ${value}.`,
    /** @type {(line: string, best: string, value: string, pruned: string[]) => string} */
    cutOff: (line, best, value, pruned) =>
      `${line}: ${best} is worth ${value}, which reaches beta: ${plural(pruned.length, "move")} not searched (${pruned.join(", ")}).`,
    /** @type {(line: string, move: string, value: string) => string} */
    because: (line, move, value) => `The reason is ${move} after ${line}, worth ${value} there: that side will not come here.`,
    /** @type {(line: string, best: string, value: string) => string} */
    lastMove: (line, best, value) => `${line}: ${best}, the last move, is worth ${value}, which reaches beta.`,
    /** @type {(line: string, value: string) => string} */
    failsLow: (line, value) => `${line}: no move beats alpha, so the value is at most ${value}.`,
    /** @type {(line: string, best: string, value: string) => string} */
    exact: (line, best, value) => `${line}: the best move is ${best}, worth ${value}.`,
  },

  lab: {
    title: "Laboratory",
    experiments: "Experiments",
    reports: "Reports",
    run: "Run",
    cancel: "Stop",
    again: "Run again",
    /** @type {(name: string) => string} */
    againNamed: (name) => `Run again: ${name}`,
    usualSettings: "usual settings",
    /** @type {(value: string) => string} */
    usually: (value) => `usually ${value}`,
    chosen: "chosen by the program",
    /** @type {(time: string) => string} */
    left: (time) => `about ${time} left`,
    /** @type {(name: string) => string} */
    running: (name) => `${name} is running`,
    busy: "Another experiment is running.",
    /** @type {(why: string) => string} */
    failed: (why) => `It failed: ${why}`,
    none: "No reports yet. Run an experiment, and its report appears here.",
    unfinished: "unfinished",
    open: "Open in a tab",
    /** @type {(name: string) => string} */
    frame: (name) => `Report of ${name}`,
    back: "Back to the experiments",
    /** @type {(reports: string[]) => string} */
    asked: (reports) => `asked in ${reports.join(", ")}`,
    find: "Find an experiment",
  },

  games: {
    title: "Games",
    none: "No games yet",
    noneHint: "Games that you play or paste are kept here.",
    noMatch: "No game matches",
    noMatchHint: "Try fewer words, or another game or result.",
    find: "Find by name, event, year or opening",
    game: "Game",
    anyGame: "all games",
    result: "Result",
    results: {
      "": "all results",
      "1-0": "black won",
      "0-1": "white won",
      "1/2-1/2": "draws",
      "*": "unfinished",
    },
    open: "Open",
    rename: "Rename",
    renameTitle: "Name the game",
    name: "Name",
    black: "Black",
    white: "White",
    event: "Event",
    date: "Date",
    dateHint: "A year or a date, like 1998 or 1998-05-17",
    keepNames: "Save",
    remove: "Delete",
    /** @type {(title: string) => string} */
    sure: (title) => `Delete ${title}? It cannot be brought back.`,
    save: "Export",
    more: "More",
    goesOn: "unfinished",
    /** @type {(black: string, white: string) => string} */
    versus: (black, white) => `${black} – ${white}`,
    /** @type {(title: string) => string} */
    picture: (title) => `The board of ${title}`,
  },

  keys: {
    title: "Help and keys",
    letters: "Keys of one letter, digit or sign",
    sound: "A click for each move",
    text: [
      "Click a legal cell to place a piece. In games that move lines, click up to three pieces in a line, then an arrow or their target cell; or drag a piece to push the line in front of it.",
      "The address bar always holds what you see: send it to share a position.",
    ],
    list: [
      ["Arrow keys", "← → a move back or on; ↑ ↓ to the start or the end"],
      ["Mouse wheel", "over the board: a move back or on"],
      ["Swipe", "over the board: to the right a move back, to the left a move on"],
      ["B", "to the board: arrow keys then move over its cells"],
      ["Enter, Space", "place a piece, select it, or move there"],
      ["Escape", "clear the selection; close a dialog"],
      ["U, Ctrl+Z", "undo"],
      ["R, Ctrl+Y", "redo"],
      ["Page Up, Page Down", "a move back or on"],
      ["Home, End", "to the start or the end of the game"],
      ["P", "pass, if there is no other move"],
      ["N", "a new game"],
      ["E", "engine on or off, while analysing"],
      ["H", "a hint, while playing"],
      ["F", "turn the board"],
      ["M", "make this line the main line"],
      ["Delete", "delete this move and what follows"],
      ["V", "paste games or positions"],
      ["O", "open a file with games; files can also be dropped onto the page"],
      ["1 … 6", "Play, Analyse, Watch, Lab, Games, Puzzles"],
      ["← →", "a step back or on in a search that is stepped through; ↑ ↓ to a cut-off"],
      ["?", "this help"],
    ],
  },
};

// Every word that the page says.

const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** `1.2 M`: a number of nodes. */
export function large(number) {
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (number >= size) return `${(number / size).toFixed(number >= 10 * size ? 0 : 1)} ${unit}`;
  }
  return String(Math.round(number));
}

export function bytes(number) {
  for (const [size, unit] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) {
    if (number >= size) return `${(number / size).toFixed(0)} ${unit}`;
  }
  return `${number} bytes`;
}

/** `4:09`, or `0:08.3` when it becomes short. */
export function clock(seconds) {
  const left = Math.max(0, seconds);
  if (left < 10) return `0:0${left.toFixed(1)}`;
  const whole = Math.ceil(left);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

export function seconds(number) {
  return number < 10 ? `${number.toFixed(2)} s` : number < 120 ? `${number.toFixed(0)} s` : `${(number / 60).toFixed(0)} min`;
}

export function when(time) {
  const [then, now] = [new Date(1000 * time), new Date()];
  const options = then.toDateString() === now.toDateString() ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat("en-GB", options).format(then);
}

export const words = {
  title: "outflank",
  views: { play: "Play", analyse: "Analyse", watch: "Watch", lab: "Lab", games: "Games" },
  titled: (view, game) => [game, view, "outflank"].filter(Boolean).join(" · "),
  skip: "Skip to the board",
  navigation: "Views",
  panel: "Panel",
  help: "Help and keys",
  theme: { auto: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" },
  close: "Close",
  cancel: "Cancel",
  colours: { black: "Black", white: "White" },
  ways: { up: "up", down: "down", left: "left", right: "right" },

  board: {
    name: "Board",
    holds: { X: "black", O: "white", ".": "empty" },
    legal: "legal",
    movable: "can move",
    joining: "can join",
    picked: "taken up",
    goesHere: "move here",
    last: "last move",
    way: (move, way) => `${move}: ${way}`,
  },

  link: {
    first: "Connecting …",
    lost: "The connection is lost. Trying again …",
    unsaid: (move) => `The connection is lost. Your move ${move} is sent as soon as it is back.`,
    back: "Connected again.",
    outdated: "This page is older or newer than the server. Load it again.",
    reload: "Load again",
    offline: "Not now: the connection is lost.",
  },

  said: {
    move: (side, move) => `${words.colours[side]} plays ${move}.`,
    pass: (side) => `${words.colours[side]} passes.`,
    turn: (side) => `${words.colours[side]} to move.`,
    start: "The start.",
  },

  play: {
    turn: (side) => `${words.colours[side]} to move`,
    yours: (side) => `Your move: ${side}`,
    thinking: (side) => `${words.colours[side]} is thinking …`,
    waits: (side) => `${words.colours[side]}’s computer waits`,
    mustPass: (side) => `${words.colours[side]} has no move and must pass`,
    pass: "Pass",
    undo: "Undo",
    redo: "Redo",
    go: "Let it move",
    swap: "Switch sides",
    resign: "Resign",
    sure: "Really resign?",
    rematch: "Rematch",
    fresh: "New game",
    analyse: "Analyse",
    over: "Game over",
    remark: (text) => `The computer: ${text}`,
    moves: "Moves",
    noMoves: "No moves yet",
    choose: "Moves",
    played: (count) => plural(count, "move"),
  },

  seat: (text) => {
    const level = /^computer level=(\d+)$/.exec(text);
    if (level) return `Computer, level ${level[1]}`;
    return { human: "Person", computer: "Computer", random: "Random mover", first: "First legal move" }[text] ?? text;
  },

  fresh: {
    title: "New game",
    game: "Game",
    black: "Black",
    white: "White",
    kinds: { human: "Person", computer: "Computer", random: "Random mover" },
    level: "Level",
    levelOf: (level, levels) => `${level} of ${levels}`,
    clock: "Clock",
    clocks: { none: "No clock", "1+1": "1 minute + 1 s", "5+3": "5 minutes + 3 s", "10+5": "10 minutes + 5 s", "30+0": "30 minutes", "5s/move": "5 s a move" },
    begin: "Begin",
  },

  moves: {
    title: "Moves",
    start: "Start",
    promote: "Make this the main line",
    prune: "Delete from here on",
    first: "To the start",
    back: "A move back",
    forth: "A move on",
    last: "To the end",
    marks: { "?!": "doubtful", "?": "mistake", "??": "blunder" },
    better: (move) => `${move} was better`,
  },

  analyse: {
    engine: "Engine",
    on: "Engine on",
    lines: "Lines",
    moves: "Values",
    all: "all moves",
    count: (count) => plural(count, "move"),
    depth: (depth, at, sure) => [`depth ${depth}${sure < 100 ? `@${sure} %` : ""}`, at > depth && `at ${at}`].filter(Boolean).join(", "),
    speed: (speed) => `${large(speed)} nodes/s`,
    nodes: (nodes) => `${large(nodes)} nodes`,
    waiting: "waits for its turn",
    compiling: "Compiling: the first search on this machine takes a little longer.",
    value: (said, side) => `${said} for ${side}`,
    solved: "Solved",
    proved: (what) => `Proved: ${what}`,
    over: "The game is over here: there is nothing to search.",
    off: "The engine is off.",
    first: "Searching …",
    paste: "Paste",
    setup: "Set up",
    share: "Share",
    playOn: "Play on",
  },

  paste: {
    title: "Paste a game or a position",
    hint: "Anything that is written down: a transcript, a board, GGF, SGF, an Abalone line … Pasting onto the page does the same.",
    label: "Text",
    game: "Game",
    any: "recognise it",
    read: "Read it",
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
    save: "Save",
    picture: "Picture",
    svg: "SVG",
    png: "PNG",
    text: "As text",
    show: "Show",
    shown: (form) => `${form} text`,
  },

  review: {
    title: "Review",
    run: "Review the game",
    again: "Review again",
    stop: "Stop",
    time: "Seconds a move",
    progress: (ply, plies) => `Move ${ply} of ${plies}`,
    empty: "A review judges every move of the main line.",
    graph: "Value over the game, for black",
    at: (ply, move, value) => `Move ${ply}, ${move}${value ? `: ${value} for black` : ""}`,
    begin: "Start",
    none: "No mistakes were found.",
    count: (mistakes) => plural(mistakes, "mistake"),
    black: "black is ahead",
    white: "white is ahead",
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
    promises: "Promises",
    costs: "Costs",
    root: (done, all) => `${done} of ${all} root moves settled`,
    rootTitle: "Root moves",
    table: "Table",
    full: (part, size) => `${Math.round(100 * part)} % of ${size}`,
    worker: (number) => `Worker ${number}`,
    idle: "idle",
    at: (move, depth) => [move, depth > 0 ? `depth ${depth}` : ""].filter(Boolean).join(" · "),
    stolen: "stolen",
    own: "own",
    heads: { worker: "Worker", at: "Searches", speed: "Nodes/s", useful: "Busy", spawned: "Offered", steals: "Steals", aborts: "Aborts", wasted: "Wasted" },
    idleHint: "Choose a scheme and how many work, then search: every worker is seen at its piece of the tree.",
    stage: { together: "All workers …", alone: "One alone …", done: "Measured" },
    measured: "Measured on this position",
    columns: { scheme: "Scheme", workers: "Workers", depth: "Depth", together: "Together", alone: "Alone", speedUp: "Speed-up", efficiency: "Efficiency", overhead: "Overhead", same: "Value" },
    same: "same",
    differs: "differs",
    needsDepth: "To measure, choose a depth.",
    value: "Value",
    waiting: "waits for its turn",
    many: (workers, cores) => `${plural(workers, "worker")} on ${plural(cores, "core")}: more workers than cores take turns, so that the speed-up says little.`,
  },

  lab: {
    title: "Laboratory",
    experiments: "Experiments",
    reports: "Reports",
    run: "Run",
    cancel: "Stop",
    parameters: "Parameters",
    chosen: "chosen by the program",
    left: (time) => `about ${time} left`,
    running: (name) => `${name} is running`,
    busy: "Another experiment is running.",
    failed: (why) => `It failed: ${why}`,
    none: "No reports yet. Run an experiment, and what it finds is kept here.",
    unfinished: "unfinished",
    open: "Open in a tab",
    frame: (name) => `Report of ${name}`,
    back: "Back to the experiments",
    asked: (reports) => `asked in ${reports.join(", ")}`,
    find: "Find an experiment",
  },

  games: {
    title: "Games",
    none: "No games yet",
    noneHint: "Games that you play or paste are kept here.",
    open: "Open",
    analyse: "Analyse",
    remove: "Delete",
    sure: (title) => `Delete ${title}? It cannot be brought back.`,
    save: "Export",
    more: "More",
    goesOn: "goes on",
    drawn: "drawn",
    versus: (black, white) => `${black} – ${white}`,
    picture: (title) => `The board of ${title}`,
  },

  keys: {
    title: "Help and keys",
    text: [
      "Click a legal cell to put a piece down. Where lines are moved, click up to three pieces in a line, then an arrow or the cell they go to; or drag a piece, and it pushes what is before it.",
      "The address bar always holds what you see: send it to share a position.",
    ],
    list: [
      ["Arrow keys", "walk over the board"],
      ["Enter, Space", "put down, take up, or move there"],
      ["Escape", "let go of what is taken up; close a dialog"],
      ["U, Ctrl+Z", "undo"],
      ["R, Ctrl+Y", "redo"],
      ["Page Up, Page Down", "a move back or on"],
      ["Home, End", "to the start or the end of the game"],
      ["B", "to the board"],
      ["P", "pass, where there is no other move"],
      ["N", "a new game"],
      ["E", "engine on or off, while analysing"],
      ["M", "make this line the main line"],
      ["Delete", "delete this move and what follows"],
      ["V", "paste a game or a position"],
      ["1 … 5", "Play, Analyse, Watch, Lab, Games"],
      ["?", "this help"],
    ],
  },

  wrong: "This does not work",
  notFound: "There is nothing at this address.",
};

// The types of the page: its own objects, the requests that it sends, and the messages of the server.
// Only checks read this file (tests/ui/web/test_javascript.py). It is not served.

import type { Board } from "./board/board.js";
import type { Connection } from "./connection.js";
import type { Moves } from "./game/moves.js";
import type { OpenGame } from "./game/open_game.js";
import type { boardView } from "./views/board_view.js";
import type { shell } from "./parts/shell.js";
import type { visit } from "./route.js";

// --- the page ---

/** The objects and functions that every view may use. */
export interface App extends ReturnType<typeof shell> {
  connection: Connection;
  openGame: OpenGame;
  visit: typeof visit;
  boardView: ReturnType<typeof boardView>;
  /** Run an experiment of the laboratory, and show its progress and its report. */
  runExperiment: (name: string, settings: Record<string, string>) => void;
}

/** What a panel beside the board may use. */
export interface PanelApp extends App {
  board: Board;
  /** Show the current state of the game. */
  refresh: () => void;
}

export type BoardViewName = "play" | "analyse" | "watch";
export type ViewName = BoardViewName | "games" | "lab" | "puzzles";

/** A view: the content of the page below its header. */
export interface View {
  element: HTMLElement;
  enter(name: ViewName, parameters: string[]): unknown;
  leave(): void;
  reconnected(): unknown;
}

/** A panel beside the board. */
export interface Panel {
  element: HTMLElement;
  /** Whether undo and redo go one move, even if a computer made it. */
  singleStep: boolean;
  moves?: Moves;
  enter(): void;
  leave(): void;
  update(game: Game): void;
  /** Whether the user may move. */
  canMove(game: Game): boolean;
  reconnected?(): void;
  /** Open a file that is no game; false if the panel has no use for it. */
  takeFile?(file: File): boolean;
  /** Switch the engine on or off. */
  toggle?(on?: boolean): void;
  /** Show the best move. */
  hint?(): void;
  /** Judge a move instead of making it; false: it is to be made. */
  judges?(move: string): boolean;
  /** Whether the mouse wheel steps through the game. */
  canStepByWheel(game: Game): boolean;
}

/** What the board needs of a game. */
export type ShownGame = Pick<Game, "id" | "node" | "nodes" | keyof ShownBoard>;

/** A move with its value, for the board. */
export interface MoveValue {
  gesture: Gesture;
  valueText: string;
  /** The loss against the best move. */
  loss: number;
  exact: boolean;
  best: boolean;
  rank: number;
}

/** What a worker did: searched alone, shared its work, stole, searched what was then thrown away, or waited. */
export type Activity = "search" | "share" | "steal" | "abort" | "idle";

/** A part of the time of a worker, in seconds. Several activities may share it, when only their sums are known. */
export interface Slice {
  begin: number;
  end: number;
  activity: Activity;
  /** The activity's share of the time between `begin` and `end`, above 0, up to 1. */
  share: number;
  /** Moves from the root, as far as they are known. */
  line?: string;
  nodes?: number;
  steals?: number;
}

/** A node of a recorded search, as in the document `outflank/recorded-search/1`. */
export interface RecordedNode {
  parent?: number | null;
  move?: string;
  depth: number;
  alpha?: number | null;
  beta?: number | null;
  value: number | null;
  text: string;
  bound?: "exact" | "lower" | "upper";
  best?: string;
  pruned?: string[];
}

/** A recorded search. */
export interface RecordedSearch {
  schema: string;
  position: string;
  algorithm: string;
  depth: number;
  unit: string;
  nodes: RecordedNode[];
}

/** A live node with the nodes below it, for the picture of the tree. */
export interface Box {
  /** The moves from the root: the same node has the same key in the next picture. */
  key: string;
  node: LiveNode;
  line: string[];
  level: number;
  /** Left and right edge, from 0 to 1. */
  left: number;
  right: number;
  parent: Box | null;
}

/** A child of an element; `null`, `undefined` and `false` are left out. */
export type Child = Element | string | number | null | undefined | false;
/** Children in arrays, and in arrays of arrays. */
export type Children = (Child | (Child | Child[])[])[];
/** Attributes of an element, and its event listeners (`onclick`, …). */
export type Attributes = Record<string, string | number | boolean | null | undefined | ((event: any) => unknown)>;

/** An `EventTarget` whose events have these details, by name. */
export interface Emitter<Details> {
  addEventListener<Name extends keyof Details>(
    name: Name,
    listener: (event: CustomEvent<Details[Name]>) => unknown,
  ): void;
  dispatchEvent(event: CustomEvent): boolean;
}

export interface ConnectionEvents {
  welcome: Welcome;
  outdated: Welcome;
  game: Game;
  gone: Gone;
  running: Running;
  /** `wait`: milliseconds until the next attempt. */
  lost: { wasConnected: boolean; wait: number };
}

export interface OpenGameEvents {
  /** `sameRevision`: the state was known already. */
  game: { before: Game | null; sameRevision: boolean };
  gone: Gone;
  unsent: UnsentMove;
  /** An action failed: the connection is lost, or the server has given a reason. */
  wrong: { lost?: boolean; why?: string };
}

/** A move that the server has not confirmed. */
export interface UnsentMove {
  id: string;
  node: number;
  move: string;
}

// --- requests and their answers ---

/** The answer to each request. */
export interface Answers {
  read: Found;
  keep: Saved;
  new: Game;
  place: Game;
  open: Game;
  leave: Left;
  enter: Entered;
  take: Game;
  offer: Game;
  sit: Game;
  play: Game;
  go: Game;
  prune: Game;
  promote: Game;
  resign: Game;
  puzzles: PuzzleSet;
  games: Kept;
  describe: Game;
  annotate: Game;
  explore: Explored;
  delete: Gone;
  export: Text;
  steps: Text;
  halt: Halted;
  lab: Laboratory;
  cancel: Halted;
}

/** The messages of the stream that each request starts. */
export interface Streams {
  analyse: Analysis;
  compare: Compared;
  review: Reviewed;
  retry: Retried;
  attempt: PuzzlePosition;
  run: Running;
}

/** The last message of a stream that has failed. `lost`: because the connection was lost. */
export interface StreamFailure {
  kind: "refused";
  why: string;
  done: true;
  lost?: boolean;
}

export type PageRequest =
  | Read
  | Keep
  | New
  | Place
  | Open
  | Leave
  | Enter
  | Take
  | Offer
  | Sit
  | Play
  | Go
  | Prune
  | Promote
  | Resign
  | Games
  | Describe
  | Annotate
  | Delete
  | Export
  | Analyse
  | Compare
  | Steps
  | Review
  | Retry
  | Puzzles
  | Attempt
  | Explore
  | Halt
  | Lab
  | Run
  | Cancel;

/** Each type of a union without a field. */
export type Without<Type, Field extends string> = Type extends unknown ? Omit<Type, Field> : never;

/** A request of this kind without its number, which the connection adds. */
export type RequestOf<Kind> = { kind: Kind } & Without<Extract<PageRequest, { kind: Kind }>, "ask">;

/** A request that changes the open game. */
export type ChangeRequest = Without<Sit | Take | Offer | Play | Go | Prune | Promote | Resign, "ask">;

/** Any message of the server. */
export type Message =
  | Welcome
  | Refused
  | Game
  | Kept
  | Found
  | Saved
  | Gone
  | Entered
  | Left
  | Text
  | Halted
  | Analysis
  | Compared
  | Reviewed
  | Retried
  | PuzzleSet
  | PuzzlePosition
  | Explored
  | Laboratory
  | Running;

// --- messages in JSON: server_messages.py and requests.py document their fields, and a test compares them ---

export type Colour = "black" | "white";

export interface Welcome {
  kind: "welcome";
  version: number;
  package: string;
  games: GameKind[];
  algorithms: string[];
  schemes: SchemeKind[];
  cores: number;
}

export interface GameKind {
  name: string;
  title: string;
  options: GameChoice[];
  levels: number;
  level_texts: string[];
  default_level: number;
  starts: StartChoice[];
  unit: string;
  forms: Form[];
}

export interface GameChoice {
  name: string;
  help: string;
  choices: (number | string)[];
  labels: string[];
  default: number | string;
}

export interface StartChoice {
  name: string;
  text: string;
}

export interface Form {
  name: string;
  title: string;
  suffix: string;
}

export interface SchemeKind {
  name: string;
  algorithms: string[];
  promises: string;
  overhead: string;
}

export interface Refused {
  kind: "refused";
  re: number | null;
  why: string;
}

export interface Game {
  kind: "game";
  re: number | null;
  id: string;
  game: string;
  title: string;
  options: Record<string, number | string>;
  revision: number;
  changed: number;
  start: string;
  position: string;
  nodes: Node[];
  node: number;
  shape: "hexagons" | "squares";
  cells: Cell[];
  pieces: string;
  turn: Colour;
  legal: Gesture[];
  last: Gesture | null;
  passes: boolean;
  opening: string;
  standing: string;
  counts: [number, number];
  counted: string;
  outcome: GameResult | null;
  seats: Seats;
  clock: ClockState | null;
  thinking: Colour | null;
  compiling: [number, number] | null;
  remark: string;
  names: [string, string];
  story: TurningPoint[];
  accuracy: [SideAccuracy, SideAccuracy] | null;
  owners: ["" | "other" | "you", "" | "other" | "you"];
  guarded: boolean;
  offer: "" | "rematch" | "takeback";
  offered_by: Colour | null;
  rematch: string;
  disposable: boolean;
}

export interface Node {
  id: number;
  parent: number | null;
  move: string;
  side?: Colour | null;
  value?: number | null;
  loss?: number | null;
  mark?: string;
  best?: string;
  exact?: boolean;
  comment?: string;
  arrows?: [string, string][];
}

/** Names of the cells at the start and the end of an arrow that a user drew; the same cell twice: a circle. */
export type Arrow = [string, string];

export interface Cell {
  name: string;
  row: number;
  x: number;
  y: number;
}

export interface Gesture {
  move: string;
  to?: string;
  picked?: string[];
  way?: [number, number] | null;
  goes?: [string, string | null][];
}

export interface GameResult {
  winner: Colour | null;
  score: number;
  reason: string;
  text: string;
  counts: [number, number] | null;
}

export interface ClockState {
  text: string;
  black: number | null;
  white: number | null;
  running: Colour | null;
}

export interface Kept {
  kind: "kept";
  re: number;
  games: ListedGame[];
  layouts: Layout[];
  more: boolean;
}

export interface Layout {
  shape: "hexagons" | "squares";
  cells: Cell[];
}

export interface ListedGame {
  id: string;
  game: string;
  title: string;
  changed: number;
  moves: number;
  seats: Seats;
  opening: string;
  name: string;
  names: [string, string];
  event: string;
  date: string;
  result: string;
  result_text: string;
  position: string;
  pieces: string;
  layout: number;
  disposable: boolean;
}

export interface Found {
  kind: "found";
  re: number;
  games: FoundGame[];
  problem: string;
}

export interface FoundGame {
  number: number;
  title: string;
  names: [string, string];
  event: string;
  date: string;
  moves: number;
  result: string;
  result_text: string;
}

export interface Saved {
  kind: "saved";
  re: number;
  games: number;
}

export interface Gone {
  kind: "gone";
  re: number | null;
  id: string;
}

export interface Entered {
  kind: "entered";
  re: number;
}

export interface Left {
  kind: "left";
  re: number;
}

export interface Text {
  kind: "text";
  re: number;
  form: string;
  file: string;
  text: string;
}

export interface Halted {
  kind: "halted";
  re: number;
}

export interface ValuedMove {
  move: string;
  value: number;
  value_text: string;
  exact?: boolean;
  line?: string[];
}

export interface Analysis {
  kind: "analysis";
  of: number;
  id: string;
  node: number;
  depth: number;
  at_depth: number;
  exact: boolean;
  selectivity: number;
  value_text: string;
  proved_text: string;
  moves: ValuedMove[];
  nodes: number;
  seconds: number;
  speed: number;
  root_moves: [number, number];
  workers: WorkerState[];
  tree: LiveNode[];
  scheme: string;
  table: number;
  table_bytes: number;
  waiting: boolean;
  done: boolean;
  compiling: [number, number] | null;
}

export interface WorkerState {
  busy: boolean;
  move: string;
  depth: number;
  stolen: boolean;
  nodes: number;
  speed: number;
  busy_seconds: number;
  idle_seconds: number;
  useful: number;
  spawned: number;
  steals: number;
  aborts: number;
  wasted: number;
}

export interface LiveNode {
  parent?: number | null;
  order: number;
  move?: string;
  depth: number;
  alpha?: string;
  beta?: string;
  value?: string;
  moves?: number;
  begun?: number;
  worker: number;
}

export interface Compared {
  kind: "compared";
  of: number;
  stage: "alone" | "done" | "together";
  depth: number;
  scheme: string;
  workers: number;
  together_seconds: number;
  together_nodes: number;
  alone_seconds: number;
  alone_nodes: number;
  speed_up: number | null;
  efficiency: number | null;
  overhead: number | null;
  same: boolean | null;
  done: boolean;
}

export interface Reviewed {
  kind: "reviewed";
  of: number;
  id: string;
  ply: number;
  plies: number;
  done: boolean;
}

export interface Retried {
  kind: "retried";
  of: number;
  node: number;
  move: string;
  loss: number;
  solved: boolean;
  done: boolean;
}

export interface PuzzleSet {
  kind: "puzzleset";
  re: number;
  puzzles: PuzzleEntry[];
}

export interface PuzzleEntry {
  number: number;
  game: string;
  title: string;
  options: Record<string, number | string>;
  position: string;
  turn: Colour;
  left: number;
  rating: number;
  moves: ValuedMove[];
  best_text: string;
  line: string[];
}

export interface PuzzlePosition {
  kind: "puzzleposition";
  of: number;
  number: number;
  moves: string[];
  board: ShownBoard;
  right: boolean | null;
  value_text: string;
  reply: string;
  over: boolean;
  done: boolean;
}

export interface ShownBoard {
  shape: "hexagons" | "squares";
  cells: Cell[];
  pieces: string;
  turn: Colour;
  legal: Gesture[];
  last: Gesture | null;
}

export interface TurningPoint {
  node: number;
  text: string;
}

export interface Explored {
  kind: "explored";
  re: number;
  id: string;
  node: number;
  indexed: number;
  games: number;
  moves: ExploredMove[];
  latest: ExploredGame[];
}

export interface ExploredMove {
  moves: string[];
  games: number;
  results: [number, number, number];
  mean_score: number | null;
  book_text: string;
}

export interface ExploredGame {
  names: [string, string];
  year: number | null;
  score: number | null;
  move: string;
  file: string;
  number: number;
}

export interface SideAccuracy {
  moves: number;
  best: number;
  mean_loss: number;
}

export interface Laboratory {
  kind: "laboratory";
  re: number;
  groups: ExperimentGroup[];
  experiments: ExperimentKind[];
  running: string;
  progress: Running | null;
  reports: ReportFile[];
}

export interface ExperimentGroup {
  title: string;
  about: string;
  experiments: string[];
}

export interface ExperimentKind {
  name: string;
  question: string;
  reports: string[];
  parameters: ExperimentParameter[];
}

export interface ExperimentParameter {
  name: string;
  title: string;
  help: string;
  usual: string;
  field: "choice" | "choices" | "number" | "text";
  choices: string[];
  least: number | null;
  most: number | null;
}

export interface ReportFile {
  id: string;
  experiment: string;
  changed: number;
  complete: boolean;
  settings: Record<string, string>;
  address: string;
}

export interface Running {
  kind: "running";
  of: number;
  experiment: string;
  task: string;
  part: number;
  seconds_left: number | null;
  done: boolean;
  failed: string;
  report: ReportFile | null;
}

export interface GameFile {
  name: string;
  data: string;
}

export interface Read {
  kind: "read";
  ask: number;
  game?: string | null;
  options?: Record<string, number | string>;
  text?: string | null;
  files?: GameFile[];
}

export interface Keep {
  kind: "keep";
  ask: number;
  game?: string | null;
  options?: Record<string, number | string>;
  text?: string | null;
  files?: GameFile[];
  numbers: number[];
}

export interface New {
  kind: "new";
  ask: number;
  game?: string | null;
  options?: Record<string, number | string>;
  text?: string | null;
  files?: GameFile[];
  number?: number;
  seats?: Seats | null;
  keep?: boolean;
}

export interface Seats {
  black: string;
  white: string;
  clock: string;
}

export interface Place {
  kind: "place";
  ask: number;
  game: string;
  options?: Record<string, number | string>;
  pieces: string;
  turn: Colour;
}

export interface Open {
  kind: "open";
  ask: number;
  id: string;
}

export interface Leave {
  kind: "leave";
  ask: number;
}

export interface Enter {
  kind: "enter";
  ask: number;
  secret: string;
}

export interface Take {
  kind: "take";
  ask: number;
  id: string;
  side: Colour;
  leave?: boolean;
}

export interface Offer {
  kind: "offer";
  ask: number;
  id: string;
  what: "" | "rematch" | "takeback";
}

export interface Sit {
  kind: "sit";
  ask: number;
  id: string;
  seats: Seats;
}

export interface Play {
  kind: "play";
  ask: number;
  id: string;
  node: number;
  move: string;
}

export interface Go {
  kind: "go";
  ask: number;
  id: string;
  node: number;
}

export interface Prune {
  kind: "prune";
  ask: number;
  id: string;
  node: number;
}

export interface Promote {
  kind: "promote";
  ask: number;
  id: string;
  node: number;
}

export interface Resign {
  kind: "resign";
  ask: number;
  id: string;
  side: Colour;
}

export interface Games {
  kind: "games";
  ask: number;
  before?: number | null;
  find?: string;
  game?: string | null;
  result?: "" | "*" | "0-1" | "1-0" | "1/2-1/2";
}

export interface Describe {
  kind: "describe";
  ask: number;
  id: string;
  name: string;
  names: [string, string];
  event: string;
  date: string;
}

export interface Annotate {
  kind: "annotate";
  ask: number;
  id: string;
  node: number;
  comment?: string;
  arrows?: [string, string][];
}

export interface Delete {
  kind: "delete";
  ask: number;
  id: string;
}

export interface Export {
  kind: "export";
  ask: number;
  id: string;
  node?: number | null;
  form: string;
}

export interface Analyse {
  kind: "analyse";
  ask: number;
  id: string;
  node: number;
  moves?: number;
  tree?: boolean;
  options?: SearchOptions | null;
}

export interface SearchOptions {
  algorithm?: string | null;
  scheme?: string | null;
  workers?: number | null;
  depth?: number | null;
  seconds?: number | null;
  exact?: boolean;
}

export interface Compare {
  kind: "compare";
  ask: number;
  id: string;
  node: number;
  options: SearchOptions;
}

export interface Steps {
  kind: "steps";
  ask: number;
  id: string;
  node: number;
  depth: number;
  algorithm?: "alphabeta" | "minimax";
}

export interface Review {
  kind: "review";
  ask: number;
  id: string;
  seconds?: number;
}

export interface Retry {
  kind: "retry";
  ask: number;
  id: string;
  node: number;
  move: string;
  seconds?: number;
}

export interface Puzzles {
  kind: "puzzles";
  ask: number;
  day: string;
}

export interface Attempt {
  kind: "attempt";
  ask: number;
  number: number;
  moves?: string[];
}

export interface Explore {
  kind: "explore";
  ask: number;
  id: string;
  node: number;
}

export interface Halt {
  kind: "halt";
  ask: number;
}

export interface Lab {
  kind: "lab";
  ask: number;
}

export interface Run {
  kind: "run";
  ask: number;
  experiment: string;
  parameters?: Record<string, string>;
}

export interface Cancel {
  kind: "cancel";
  ask: number;
}

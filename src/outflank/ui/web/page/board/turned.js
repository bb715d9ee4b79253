// The board as seen from the other side: turned by half a turn.

/** @import { ShownGame, Gesture } from "../types.js" */

/** @param {number[]} numbers */
const sumOfEnds = (numbers) => Math.min(...numbers) + Math.max(...numbers);

/** @template {Gesture | null} Move @param {Move} gesture @returns {Move} */
const turnedGesture = (gesture) => (gesture?.way ? { ...gesture, way: [-gesture.way[0], -gesture.way[1]] } : gesture);

/** The same game with cells and directions as seen from the other side. @param {ShownGame} game @returns {ShownGame} */
export function turned(game) {
  const [x, y, row] = [
    sumOfEnds(game.cells.map((cell) => cell.x)),
    sumOfEnds(game.cells.map((cell) => cell.y)),
    sumOfEnds(game.cells.map((cell) => cell.row)),
  ];
  return {
    ...game,
    cells: game.cells.map((cell) => ({ ...cell, x: x - cell.x, y: y - cell.y, row: row - cell.row })),
    legal: game.legal.map(turnedGesture),
    last: turnedGesture(game.last),
  };
}

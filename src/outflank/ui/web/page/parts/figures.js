// Numbers, sizes and times as text.

/** @type {[size: number, unit: string][]} */
const COUNT_UNITS = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

/** @type {[size: number, unit: string][]} */
const BYTE_UNITS = [
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
];

/** From this absolute value on, the server means a certain win or loss. */
export const CERTAIN = 1e6;

/** `+2.4`: a value or a loss in the game's unit. @param {number} number */
export function signedNumber(number) {
  const text = String(Number(Math.abs(number).toFixed(1)));
  return text === "0" ? text : `${number < 0 ? "−" : "+"}${text}`;
}

/** A text of the server with the page's minus sign: `−2.4` for `-2.4`. @param {string} text */
export function minusSigns(text) {
  return text.replaceAll(/(?<![\p{L}\d])-(?=\d)/gu, "−");
}

/** `65 %`, or `< 1 %` for a share that would be rounded to nothing. @param {number} share from 0 to 1 */
export function percent(share) {
  return share > 0 && share < 0.005 ? "< 1 %" : `${Math.round(100 * share)} %`;
}

/** `1.2 M`: a number of nodes. @param {number} number */
export function shortNumber(number) {
  for (const [size, unit] of COUNT_UNITS) {
    // Rounding counts: 999 999 is `1.0 M`, not `1000 k`.
    if (number >= 0.9995 * size) return `${(number / size).toFixed(number >= 9.95 * size ? 0 : 1)} ${unit}`;
  }
  return String(Math.round(number));
}

/** @param {number} number */
export function byteText(number) {
  for (const [size, unit] of BYTE_UNITS) {
    if (number >= size) return `${(number / size).toFixed(0)} ${unit}`;
  }
  return `${number} bytes`;
}

/** `4:09`, or `0:08.3` below ten seconds. @param {number} seconds */
export function clockText(seconds) {
  const left = Math.max(0, seconds);
  if (left < 9.95) return `0:0${left.toFixed(1)}`; // from there on, it would be rounded to 10.0
  const whole = Math.ceil(left);
  const [hours, minutes, secondsRest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const twoDigits = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${twoDigits(minutes)}:${twoDigits(secondsRest)}` : `${minutes}:${twoDigits(secondsRest)}`;
}

/** @param {number} number */
export function secondsText(number) {
  return number < 9.995
    ? `${number.toFixed(2)} s`
    : number < 119.5
      ? `${number.toFixed(0)} s`
      : `${(number / 60).toFixed(0)} min`;
}

/** @param {number} time in seconds since 1970 */
export function timeText(time) {
  const [then, now] = [new Date(1000 * time), new Date()];
  /** @type {Intl.DateTimeFormatOptions} */
  const options =
    then.toDateString() === now.toDateString() ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat("en-GB", options).format(then);
}

// Numbers, sizes and times, as they are written.

/** `1.2 M`: a number of nodes. */
export function large(number) {
  for (const [size, unit] of [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ]) {
    if (number >= size) return `${(number / size).toFixed(number >= 10 * size ? 0 : 1)} ${unit}`;
  }
  return String(Math.round(number));
}

export function bytes(number) {
  for (const [size, unit] of [
    [2 ** 30, "GiB"],
    [2 ** 20, "MiB"],
    [2 ** 10, "KiB"],
  ]) {
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
  return number < 10
    ? `${number.toFixed(2)} s`
    : number < 120
      ? `${number.toFixed(0)} s`
      : `${(number / 60).toFixed(0)} min`;
}

export function when(time) {
  const [then, now] = [new Date(1000 * time), new Date()];
  const options =
    then.toDateString() === now.toDateString() ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat("en-GB", options).format(then);
}

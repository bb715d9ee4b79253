// A soft click for each move, made by WebAudio. It is off until the user turns it on in the help.

import { localStore } from "./dom.js";

const SECONDS = 0.08;

/** @type {AudioContext | null} */
let context = null;

export const sound = {
  get isOn() {
    return localStore.get("sound", "off") === "on";
  },

  /** @param {boolean} on */
  turn(on) {
    localStore.set("sound", on ? "on" : "off");
    this.click();
  },

  click() {
    if (!this.isOn) return;
    context ??= new AudioContext();
    context.resume(); // a browser keeps sound off until the first click or key
    const [start, tone, volume] = [context.currentTime, context.createOscillator(), context.createGain()];
    tone.frequency.setValueAtTime(620, start);
    tone.frequency.exponentialRampToValueAtTime(180, start + SECONDS);
    volume.gain.setValueAtTime(0.2, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + SECONDS);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + SECONDS);
  },
};

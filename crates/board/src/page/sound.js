// Sounds of a game, synthesised, so that the page needs no files.
import { settings } from 'wabe/settings.js';

/** Notes of each sound: frequency in Hz, start and length in s, volume from 0 to 1.
 * @type {Record<string, [number, number, number, number][]>} */
const SOUNDS = {
  place: [[190, 0, 0.07, 0.5], [95, 0, 0.1, 0.5]],
  move: [[260, 0, 0.05, 0.35], [150, 0.05, 0.09, 0.5]],
  win: [[392, 0, 0.16, 0.3], [523, 0.14, 0.16, 0.3], [659, 0.28, 0.3, 0.3]],
  loss: [[392, 0, 0.18, 0.3], [330, 0.16, 0.18, 0.3], [262, 0.32, 0.34, 0.3]],
  draw: [[392, 0, 0.18, 0.3], [392, 0.22, 0.3, 0.3]],
  low: [[880, 0, 0.06, 0.25], [880, 0.12, 0.06, 0.25]],
};

/** @type {AudioContext | null} */
let context = null;

/**
 * Plays a sound if sounds are on.
 * @param {keyof typeof SOUNDS} name
 */
export function playSound(name) {
  if (!settings.sounds || typeof AudioContext === 'undefined') return;
  context ??= new AudioContext();
  // Browsers suspend sound until the user has clicked or pressed a key.
  if (context.state === 'suspended') context.resume().catch(() => {});
  for (const [frequency, start, length, volume] of SOUNDS[name]) {
    const from = context.currentTime + start;
    const [oscillator, gain] = [context.createOscillator(), context.createGain()];
    oscillator.type = 'triangle';
    oscillator.frequency.value = frequency;
    gain.gain.setValueAtTime(0, from);
    gain.gain.linearRampToValueAtTime(volume, from + 0.005);
    gain.gain.exponentialRampToValueAtTime(0.001, from + length);
    oscillator.connect(gain).connect(context.destination);
    oscillator.start(from);
    oscillator.stop(from + length);
  }
}

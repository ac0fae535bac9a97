// Compares the engine's speed as a native program, in Node.js and in the browser:
// node speed.mjs [NODES] [ROUNDS]
//
// Runs each of them once per round. See run.mjs for WABE, SITE, BROWSER and BROWSER_TOOLS.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { chromium, wabe } from './harness.mjs';
import { serveSite } from './site.mjs';

const [nodes, rounds] = [Number(process.argv[2] ?? 3000), Number(process.argv[3] ?? 5)];
const folder = resolve(process.env.SITE ?? 'site', 'engine');
const { Engine } = await import(pathToFileURL(join(folder, 'engine.js')).href);
const inNode = await Engine.open(await WebAssembly.compile(gunzipSync(readFileSync(join(folder, 'engine.bin')))));

// The first bench compiles the module and does not count.
inNode.bench(true, nodes);
const { address, stop } = await serveSite();
const browser = await chromium.launch({ executablePath: process.env.BROWSER ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage();
await page.goto(`${address}engine/example.html`);

/** @param {string} game */
function native(game) {
  const timed = ['-c', 'TIMEFORMAT=%U; time "$0" "$@"', wabe, 'bench', '--game', game, '--nodes', String(nodes)];
  const { stdout, stderr } = spawnSync('bash', timed, { encoding: 'utf8' });
  const numberAfter = (/** @type {string} */ word) => Number(new RegExp(`${word} +(\\d+)`).exec(stdout)?.[1]);
  return { signature: /signature (\w+)/.exec(stdout)?.[1], per_second: numberAfter('nodes/s'), per_processor_second: numberAfter('\nnodes') / Number(stderr) };
}

/** @param {string} game */
function node(game) {
  const before = process.cpuUsage();
  const result = inNode.bench(game === 'contest', nodes);
  return { ...result, per_processor_second: result.nodes / (process.cpuUsage(before).user / 1e6) };
}

/** @param {string} game */
const chrome = (game) => page.evaluate(async ([isContest, maxNodes]) => {
  const { Engine: Module, load } = await import('./engine.js');
  return (await Module.open(await load('engine.bin'))).bench(isContest, maxNodes);
}, [game === 'contest', nodes]);

const median = (/** @type {number[]} */ numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
for (const game of ['contest', 'Base']) {
  const runs = [];
  for (let round = 0; round < rounds; round += 1) runs.push([native(game), node(game), await chrome(game)]);
  const signatures = new Set(runs.flat().map(({ signature }) => signature));
  for (const [unit, names] of [['per_second', ['program', 'node', 'Chromium']], ['per_processor_second', ['program', 'node']]]) {
    const speeds = names.map((_, who) => median(runs.map((round) => round[who][unit])));
    console.log(`${game}, ${unit}: ${names.map((name, who) => `${name} ${Math.round(speeds[who])} (${Math.round((100 * speeds[who]) / speeds[0])}%)`).join(', ')}`);
  }
  console.log(`${game}, signature: ${[...signatures].join(' ≠ ')}`);
}
await browser.close();
await stop();

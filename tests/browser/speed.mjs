// The speed of the engine as a program, in node and in the browser, in one run: node speed.mjs [NODES] [ROUNDS]
//
// WABE is the program, SITE the folder of a site, BROWSER the browser, BROWSER_TOOLS as for run.mjs. Every round has each of them once.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { chromium, wabe } from './harness.mjs';
import { host } from './site.mjs';

const [nodes, rounds] = [Number(process.argv[2] ?? 3000), Number(process.argv[3] ?? 5)];
const folder = resolve(process.env.SITE ?? 'site', 'engine');
const { Engine } = await import(pathToFileURL(join(folder, 'engine.js')).href);
const inNode = await Engine.open(await WebAssembly.compile(gunzipSync(readFileSync(join(folder, 'engine.bin')))));

const { address, end } = await host();
const browser = await chromium.launch({ executablePath: process.env.BROWSER ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage();
await page.goto(`${address}engine/example.html`);

/** @param {string} game */
function native(game) {
  const text = spawnSync(wabe, ['bench', '--game', game, '--nodes', String(nodes)], { encoding: 'utf8' }).stdout;
  return { signature: /signature (\w+)/.exec(text)?.[1], per_second: Number(/nodes\/s +(\d+)/.exec(text)?.[1]) };
}

/** @param {string} game */
const chrome = (game) => page.evaluate(async ([isContest, most]) => {
  const { Engine: Module, load } = await import('./engine.js');
  return (await Module.open(await load('engine.bin'))).bench(isContest, most);
}, [game === 'contest', nodes]);

const median = (/** @type {number[]} */ numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
for (const game of ['contest', 'Base']) {
  const runs = [];
  for (let round = 0; round < rounds; round += 1) runs.push([native(game), inNode.bench(game === 'contest', nodes), await chrome(game)]);
  const signatures = new Set(runs.flat().map(({ signature }) => signature));
  const [program, node, chromiumSpeed] = [0, 1, 2].map((who) => median(runs.map((round) => round[who].per_second)));
  const share = (/** @type {number} */ speed) => `${Math.round(speed)} (${Math.round((100 * speed) / program)}%)`;
  console.log(`${game}: program ${Math.round(program)}, node ${share(node)}, Chromium ${share(chromiumSpeed)} nodes/s; signature ${[...signatures].join(' ≠ ')}`);
}
await browser.close();
await end();

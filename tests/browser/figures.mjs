// Measures the figures of docs/board.md: node figures.mjs [PART OF A NAME]
//
// See run.mjs for the environment.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, serve, wabe } from './harness.mjs';
import { begin, plies, view } from './steps.mjs';

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const report = (what, values, unit) =>
  console.log(`${what}: median ${median(values).toFixed(1)}, max ${Math.max(...values).toFixed(1)} ${unit} (${values.length})`);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const browser = await chromium.launch({ executablePath: process.env.BROWSER ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

/** Records in the page when requests are sent, answers arrive, and the next frame is drawn. */
function watchSocket() {
  const log = [];
  Object.assign(window, { socketLog: log });
  const record = (what, text) => {
    const { is, ask, id } = JSON.parse(text);
    const entry = { what, kind: is ?? ask, id, at: performance.now(), drawn: 0 };
    log.push(entry);
    requestAnimationFrame(() => setTimeout(() => { entry.drawn = performance.now(); }));
  };
  const Original = window.WebSocket;
  window.WebSocket = class extends Original {
    constructor(...args) {
      super(...args);
      this.addEventListener('message', (event) => record('received', event.data));
    }

    send(text) {
      record('sent', text);
      super.send(text);
    }
  };
}

async function open(address) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })).newPage();
  await page.addInitScript(watchSocket);
  await page.goto(address);
  await page.waitForSelector('.nav:not([disabled])');
  return page;
}

async function analyse(page) {
  await page.locator('.nav').getByText('Analyse', { exact: true }).click();
  await page.getByRole('switch').first().click();
}

/** Runs a measurement on a fresh board. */
async function withBoard(measure) {
  const board = await serve(['board', '--no-open', '--port', '0']);
  await measure(board);
  board.child.kill('SIGINT');
}

const figures = {
  /** From the printed address to the first contentful paint. */
  async 'first paint'() {
    const firstPaints = [];
    for (let i = 0; i < 5; i += 1) {
      await withBoard(async (board) => {
        const printed = Date.now();
        const page = await open(board.address);
        const painted = await page.evaluate(() => performance.timeOrigin + performance.getEntriesByName('first-contentful-paint')[0].startTime);
        firstPaints.push(painted - printed);
        await page.context().close();
      });
    }
    report('address printed to first paint', firstPaints, 'ms');
  },

  /** The user's move: from the click on the target until the piece is drawn. */
  'own move': () => withBoard(async (board) => {
    const page = await open(board.address);
    await begin(page, { game: 'Base', side: 'Two people' });
    await page.locator('button.reserve-tile[data-letter]').first().waitFor();
    const own = [];
    for (let i = 0; i < 12; i += 1) {
      const pieces = page.locator('button.reserve-tile:not([disabled])');
      for (let n = (await pieces.count()) - 1; n >= 0 && (await page.locator('.target').count()) === 0; n -= 1) await pieces.nth(n).click();
      const box = await page.locator('.target').first().boundingBox();
      if (!box) break;
      await page.evaluate(() => {
        const count = () => document.querySelectorAll('.move').length;
        const before = count();
        Object.assign(window, { clickedAt: 0, shownAt: 0 });
        addEventListener('pointerup', () => { window.clickedAt = performance.now(); }, { capture: true, once: true });
        const observer = new MutationObserver(() => {
          if (count() === before) return;
          observer.disconnect();
          requestAnimationFrame(() => setTimeout(() => { window.shownAt = performance.now(); }));
        });
        observer.observe(document.body, { subtree: true, childList: true });
      });
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      await page.waitForFunction(() => window.shownAt > 0);
      own.push(await page.evaluate(() => window.shownAt - window.clickedAt));
      if (process.env.VERBOSE) console.log(await page.evaluate(() => window.socketLog.filter(({ at }) => at > window.clickedAt).map(({ what, kind, at }) => `${what} ${kind} ${(at - window.clickedAt).toFixed(1)}`).join(', ')));
    }
    if (own.length > 0) report('own move: click to frame', own, 'ms');
    await page.context().close();
  }),

  /** wabe's reply: delay from the end of its second of thinking until it arrives and is drawn. */
  reply: () => withBoard(async (board) => {
    const player = await open(board.address);
    await player.getByRole('radio', { name: 'Standard Hive' }).check({ force: true });
    await player.getByRole('radio', { name: 'Two engines' }).check({ force: true });
    for (const side of ['White', 'Black']) await player.getByRole('combobox', { name: side }).selectOption({ label: 'Level 10 · Full strength' });
    await begin(player, { game: 'Base' });
    await pause(12_000);
    const replies = await player.evaluate(() => {
      const log = window.socketLog;
      return log.filter((entry) => entry.what === 'received' && entry.kind === 'found').map((entry) => {
        const sent = log.find((other) => other.what === 'sent' && other.kind === 'search' && other.id === entry.id);
        return { late: entry.at - sent.at - 1000, drawn: entry.drawn - sent.at - 1000 };
      });
    });
    const searched = replies.filter(({ late }) => late > -50);
    if (searched.length > 0) {
      report('reply: arrival after its time', searched.map(({ late }) => late), 'ms');
      report('reply: frame after its time', searched.map(({ drawn }) => drawn), 'ms');
    }
    await player.context().close();
  }),

  /** Analysis: time between frames, and how much reports slow down the search. */
  analysis: () => withBoard(async (board) => {
    const analyst = await open(board.address);
    const search = (lines) => analyst.evaluate((count) => new Promise((resolve) => {
      const socket = new WebSocket(`ws://${location.host}/ws`);
      const line = { game: 'Base+MLP', moves: ['wL', 'bL wL-', 'wQ -wL', 'bQ bL-', 'wA1 -wQ', 'bA1 bQ-'] };
      socket.onopen = () => socket.send(JSON.stringify({ ask: 'hello', version: 3 }));
      socket.onmessage = (event) => {
        const reply = JSON.parse(event.data);
        if (reply.is === 'welcome') socket.send(JSON.stringify({ ask: 'search', id: 1, line, effort: { time_ms: 4000, lines: count } }));
        if (reply.is === 'found') { socket.close(); resolve(reply.findings.per_second); }
      };
    }), lines);
    const ratios = [];
    for (let i = 0; i < 8; i += 1) {
      // Alternate the order, so that neither benefits if the machine slows down.
      const counts = i % 2 ? [3, 0] : [0, 3];
      const speeds = [await search(counts[0]), await search(counts[1])];
      ratios.push(speeds[counts.indexOf(3)] / speeds[counts.indexOf(0)]);
    }
    report('iterations per second with three lines reported, relative to none', ratios.map((ratio) => ratio * 100), '%');
    await analyst.evaluate(() => window.socketLog.splice(0));
    await analyse(analyst);
    await pause(6000);
    const drawn = await analyst.evaluate(() => window.socketLog.filter((entry) => entry.kind === 'progress').map((entry) => entry.drawn));
    const gaps = drawn.slice(5).map((at, i) => at - drawn[i + 4]);
    report('analysis: between two frames', gaps.filter((gap) => gap > 0), 'ms');
    await analyst.context().close();
  }),

  /** A long game: input while the engine runs, and a review. */
  game: () => withBoard(async (board) => {
    const work = mkdtempSync(join(tmpdir(), 'wabe-figures-'));
    spawnSync(wabe, ['match', '--game', 'Base+MLP', '--red', 'mcts:level=5', '--blue', 'mcts:level=5', '--seed', '3', '--quiet', '--replays', '.'], { cwd: work });
    const page = await open(board.address);
    await page.evaluate(() => {
      Object.assign(window, { tasks: [], inputs: [], clickedAt: 0, evaluatedAt: 0 });
      new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
      addEventListener('keydown', () => {
        const at = performance.now();
        requestAnimationFrame(() => setTimeout(() => window.inputs.push(performance.now() - at)));
      }, { capture: true });
    });
    await page.locator('input[type=file]').setInputFiles(readdirSync(work).map((name) => join(work, name)));
    await page.waitForSelector('.move.current');
    const count = await plies(page);
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowLeft');
    await page.evaluate(() => {
      Object.assign(window, { tasks: [], inputs: [] });
      addEventListener('click', () => { window.clickedAt = performance.now(); }, { capture: true, once: true });
      const shown = () => (document.querySelector('li.line:not(.empty)') ? requestAnimationFrame(() => setTimeout(() => { window.evaluatedAt = performance.now(); })) : requestAnimationFrame(shown));
      shown();
    });
    await page.getByRole('switch').first().click();
    await page.waitForFunction(() => window.evaluatedAt > 0);
    report('analysis: click to first evaluation', [await page.evaluate(() => window.evaluatedAt - window.clickedAt)], 'ms');
    for (let i = 0; i < 60; i += 1) {
      await page.keyboard.press(i < 30 ? 'ArrowLeft' : 'ArrowRight');
      await pause(200);
    }
    const inputs = (await page.evaluate(() => window.inputs)).sort((a, b) => a - b);
    report(`step in a game of ${count} plies while the engine runs: key to frame`, inputs, 'ms');
    console.log(`  95th percentile ${inputs[Math.floor(inputs.length * 0.95)].toFixed(1)} ms`);
    const tasks = await page.evaluate(() => window.tasks);
    console.log(`  tasks of more than 50 ms: ${tasks.length}, longest ${Math.max(0, ...tasks).toFixed(0)} ms`);
    await page.keyboard.press('l');
    await view(page, 'Review');
    const started = Date.now();
    await page.getByRole('button', { name: 'Review the game' }).click();
    await page.waitForSelector('.summary', { timeout: 300_000 });
    console.log(`review of ${count} plies: ${((Date.now() - started) / 1000).toFixed(1)} s`);
    await page.context().close();
    rmSync(work, { recursive: true });
  }),

  /** Memory of the server while twenty connections are analysing. */
  memory: () => withBoard(async (board) => {
    const page = await open(board.address);
    await page.evaluate(() => {
      for (let i = 0; i < 20; i += 1) {
        const socket = new WebSocket(`ws://${location.host}/ws`);
        socket.onopen = () => socket.send(JSON.stringify({ ask: 'hello', version: 3 }));
        socket.onmessage = (event) => {
          if (JSON.parse(event.data).is !== 'welcome') return;
          socket.send(JSON.stringify({ ask: 'search', id: 1, line: { game: 'Base+MLP', moves: ['wL'] }, effort: { lines: 3 } }));
        };
      }
    });
    const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${board.child.pid}/status`, 'utf8'))[1]) / 1024;
    const resident = [];
    for (let second = 0; second < 60; second += 1) {
      await pause(1000);
      resident.push(memory());
    }
    console.log(`server with 20 analyses: at most ${Math.max(...resident).toFixed(0)} MiB within a minute`);
    await page.context().close();
    await pause(1000);
    console.log(`server one second after they ended: ${memory().toFixed(0)} MiB`);
  }),

  /** An arena run with and without fifty watchers. */
  async watchers() {
    for (const watchers of [0, 50]) {
      const { child, address } = await serve(['arena', '--board', '0', '--engine', 'mcts:time=100 name=one', '--engine', 'mcts:time=100 name=two', '--games', '4', '--concurrency', '1', '--seed', '5', '--quiet']);
      let output = '';
      child.stdout.on('data', (chunk) => { output += chunk; });
      const exited = new Promise((resolve) => child.once('exit', resolve));
      const page = await open(address);
      await page.evaluate((count) => {
        for (let i = 0; i < count; i += 1) {
          const socket = new WebSocket(`ws://${location.host}/ws`);
          socket.onopen = () => socket.send(JSON.stringify({ ask: 'hello', version: 3 }));
          socket.onmessage = (event) => {
            const reply = JSON.parse(event.data);
            if (reply.is === 'welcome') socket.send(JSON.stringify({ ask: 'watch', id: 1 }));
            if (reply.is === 'live' && reply.games.length > 0) socket.send(JSON.stringify({ ask: 'follow', id: 2, number: reply.games[0].number }));
          };
        }
      }, watchers);
      while (!output.includes('engine   two')) await pause(200);
      await page.context().close();
      await exited;
      console.log(`${watchers} watchers: ${output.split('\n').filter((line) => line.startsWith('engine')).join('; ')}`);
    }
  },
};

const wanted = process.argv[2] ?? '';
for (const [name, measure] of Object.entries(figures)) {
  if (name.includes(wanted)) await measure();
}
await browser.close();

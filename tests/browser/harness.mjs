// Starts wabe and the browser, and gives every test a page of its own.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const tools = createRequire(join(process.env.BROWSER_TOOLS ?? process.cwd(), 'package.json'));
export const { chromium } = tools('playwright-core');

/** The source of axe-core, to be put into a page. */
export const axePath = tools.resolve('axe-core/axe.min.js');

/** Time for anything to appear on a busy machine. Nothing waits so long unless it fails. */
const PATIENCE = 20_000;

/** The program to test. */
export const wabe = process.env.WABE ?? 'wabe';

/**
 * Starts the program, and gives the addresses that it has printed: of the board that it serves, of the referee that it is.
 * @param {string[]} words
 * @param {{cwd?: string, board?: boolean, referee?: boolean}} [what] the addresses to wait for
 */
export async function serve(words, { cwd, board = true, referee = false } = {}) {
  const child = spawn(wabe, words, { stdio: ['ignore', 'pipe', 'pipe'], cwd });
  return new Promise((resolve, reject) => {
    let text = '';
    const take = (chunk) => {
      text += chunk;
      const address = /http:\/\/\S+(?=\s)/.exec(text)?.[0] ?? '';
      const listens = /listening on (\S+)(?=\s)/.exec(text)?.[1] ?? '';
      if ((address || !board) && (listens || !referee)) resolve({ child, address, referee: listens });
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`wabe ${words.join(' ')} ended with ${code} before it printed its address: ${text}`)));
  });
}

/**
 * Joins a referee with two clients, who play a game.
 * @param {string} referee host and port
 * @returns {Promise<unknown>} their end
 */
export function joinBoth(referee) {
  const [host, port] = referee.split(':');
  return Promise.all(['1', '2'].map((seed) => new Promise((resolve, reject) => {
    const client = spawn(wabe, ['play', '--host', host, '--port', port, '--player', 'mcts:nodes=200', '--seed', seed], { stdio: 'ignore' });
    client.on('error', reject);
    client.on('exit', (code) => (code === 0 ? resolve(code) : reject(new Error(`a client ended with ${code}`))));
  })));
}

export async function start() {
  const { child, address } = await serve(['board', '--no-open', '--port', '0', '--threads', '2', '--memory', '256']);
  const browser = await chromium.launch({
    executablePath: process.env.BROWSER ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
  const screenshots = process.env.SCREENSHOTS;
  let passed = 0;
  const failed = [];

  async function test(name, run) {
    const contexts = [];
    const complaints = [];
    /** Opens the page in a context of its own. */
    async function open({ fragment = '', width = 1280, height = 800, locale = 'en-GB', dark = false, touch = false, context = null, ready = true, prepare = null, tolerate = null, url = null } = {}) {
      const own = context ?? (await browser.newContext({
        viewport: { width, height }, locale, hasTouch: touch, colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce',
      }));
      if (!context) contexts.push(own);
      const page = await own.newPage();
      page.setDefaultTimeout(PATIENCE);
      page.on('pageerror', (error) => complaints.push(error.stack ?? String(error)));
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type()) && !tolerate?.test(message.text())) complaints.push(message.text());
      });
      page.on('request', (request) => {
        const own = new URL('.', url ?? address).href;
        if (!request.url().startsWith(own) && !/^(data|blob):/.test(request.url())) complaints.push(`request to ${request.url()}`);
      });
      await prepare?.(page);
      await page.goto(url ?? `${address}${fragment}`);
      if (ready && !url) await page.waitForSelector('.nav:not([disabled])');
      return page;
    }
    const begun = Date.now();
    try {
      await run({ open, address, browser });
      if (complaints.length > 0) throw new Error(`the page complained:\n${complaints.join('\n')}`);
      passed += 1;
      console.log(`ok    ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed.push(name);
      console.log(`FAILED ${name}\n${[error.stack ?? error, ...complaints].join('\n')}`);
      if (screenshots) {
        mkdirSync(screenshots, { recursive: true });
        let n = 0;
        for (const context of contexts) {
          for (const page of context.pages()) {
            n += 1;
            const path = join(screenshots, `${name.replace(/\W+/g, '-')}-${n}.png`);
            await page.screenshot({ path }).then(() => console.log(`       see ${path}`), () => {});
          }
        }
      }
    }
    await Promise.all(contexts.map((context) => context.close()));
  }

  return { test, browser, child, counts: () => ({ passed, failed: failed.length }) };
}

export async function finish(harness) {
  await harness.browser.close();
  harness.child.kill('SIGINT');
  const { passed, failed } = harness.counts();
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

/**
 * Fails unless something holds.
 * @param {unknown} value
 * @param {string} message
 */
export function check(value, message) {
  if (!value) throw new Error(message);
}

/** @param {unknown} left @param {unknown} right @param {string} message */
export function same(left, right, message) {
  const [a, b] = [JSON.stringify(left), JSON.stringify(right)];
  if (a !== b) throw new Error(`${message}: ${a}, not ${b}`);
}

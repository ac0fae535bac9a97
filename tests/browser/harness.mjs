// Starts wabe and the browser. Each test gets its own browser context.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const tools = createRequire(join(process.env.BROWSER_TOOLS ?? process.cwd(), 'package.json'));
export const { chromium } = tools('playwright-core');

/** Path of axe-core's script, for injection into a page. */
export const axePath = tools.resolve('axe-core/axe.min.js');

/** Timeout of each wait in ms, long enough for a busy machine. */
const TIMEOUT = 20_000;

/** Path of the program under test. */
export const wabe = process.env.WABE ?? 'wabe';

/** The user's data folder, so that tests do not use the real library. */
const data = mkdtempSync(join(tmpdir(), 'wabe-test-'));
process.env.XDG_DATA_HOME = data;
process.on('exit', () => rmSync(data, { recursive: true, force: true }));

/**
 * Starts the program and waits until it prints its addresses.
 * @param {string[]} args
 * @param {{cwd?: string, board?: boolean, referee?: boolean}} [options] which addresses to wait for
 * @returns `address` of the board, `referee` as host and port
 */
export async function serve(args, { cwd, board = true, referee = false } = {}) {
  const child = spawn(wabe, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd });
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk) => {
      text += chunk;
      const address = /http:\/\/\S+(?=\s)/.exec(text)?.[0] ?? '';
      const listener = /listening on (\S+)(?=\s)/.exec(text)?.[1] ?? '';
      if ((address || !board) && (listener || !referee)) resolve({ child, address, referee: listener });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`wabe ${args.join(' ')} exited with ${code} before it printed its address: ${text}`)));
  });
}

/**
 * Plays a game between two clients on a referee.
 * @param {string} referee host and port
 * @returns {Promise<unknown>} settles when both have exited
 */
export function playOnReferee(referee) {
  const [host, port] = referee.split(':');
  return Promise.all(['1', '2'].map((seed) => new Promise((resolve, reject) => {
    const client = spawn(wabe, ['play', '--host', host, '--port', port, '--player', 'mcts:nodes=200', '--seed', seed], { stdio: 'ignore' });
    client.on('error', reject);
    client.on('exit', (code) => (code === 0 ? resolve(code) : reject(new Error(`a client exited with ${code}`))));
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
    const errors = [];
    /** Opens the page, by default in a new browser context. */
    async function open({ fragment = '', width = 1280, height = 800, locale = 'en-GB', dark = false, touch = false, context = null, ready = true, prepare = null, tolerate = null, url = null } = {}) {
      const own = context ?? (await browser.newContext({
        viewport: { width, height }, locale, hasTouch: touch, colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce',
      }));
      if (!context) contexts.push(own);
      const page = await own.newPage();
      page.setDefaultTimeout(TIMEOUT);
      page.on('pageerror', (error) => errors.push(error.stack ?? String(error)));
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type()) && !tolerate?.test(message.text())) errors.push(message.text());
      });
      page.on('request', (request) => {
        const own = new URL('.', url ?? address).href;
        if (!request.url().startsWith(own) && !/^(data|blob):/.test(request.url())) errors.push(`request to ${request.url()}`);
      });
      await prepare?.(page);
      await page.goto(url ?? `${address}${fragment}`);
      if (ready && !url) await page.waitForSelector('.nav:not([disabled])');
      return page;
    }
    const startedAt = Date.now();
    // Tests share a library, but each begins without an edited position and at the tour's start.
    for (const note of ['editor', 'tour']) rmSync(join(data, 'wabe', 'library', `${note}.json`), { force: true });
    try {
      await run({ open, address, browser });
      if (errors.length > 0) throw new Error(`errors in the page:\n${errors.join('\n')}`);
      passed += 1;
      console.log(`ok    ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed.push(name);
      console.log(`FAILED ${name}\n${[error.stack ?? error, ...errors].join('\n')}`);
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
 * Fails unless a condition holds.
 * @param {unknown} value
 * @param {string} expected what the condition means
 */
export function check(value, expected) {
  if (!value) throw new Error(`check failed: ${expected}`);
}

/**
 * Fails unless two values are equal as JSON.
 * @param {unknown} found
 * @param {unknown} expected
 * @param {string} what the name of the value
 */
export function same(found, expected, what) {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${what}: expected ${right}, found ${left}`);
}

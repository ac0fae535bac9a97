import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check, same, serve } from './harness.mjs';
import { GAME, begin, clickMove, dice, drop, middleOf, plies, view } from './steps.mjs';

export default {
  async 'pasted game opens'({ open }) {
    const page = await open();
    await page.getByLabel('Or paste a game').fill(GAME);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.waitForSelector('.moves');
    same(await plies(page), 16, 'plies');
    await page.waitForFunction(() => document.querySelectorAll('.cell .piece').length === 9);
  },

  async 'finished recording: result, autoplay'({ open }) {
    const file = fileURLToPath(new URL('../data/transcripts/replay_1.xml.gz', import.meta.url));
    for (const [locale, result, play] of [['en-GB', 'Blue wins: Red’s bee is surrounded', 'Autoplay'], ['de-DE', 'Blau gewinnt: die Biene von Rot ist umzingelt', 'Automatisch abspielen']]) {
      const page = await open({ locale });
      await page.locator('input[type=file]').setInputFiles(file);
      await page.waitForSelector('.recorded');
      const last = page.locator('.moves .move').last();
      same(await last.getAttribute('aria-current'), 'step', 'the last move is current');
      same(await page.locator('.recorded').innerText(), result, 'the result');
      same(await page.locator('.facts').innerText(), result.split(':')[0], 'the result beside the board');
      await page.getByRole('button', { name: play }).click();
      await page.waitForFunction(() => !document.querySelector('.move.current'));
      await page.waitForSelector('.move.current');
    }
  },

  async 'file with several games lists them'({ open }) {
    const page = await open();
    await drop(page, 'games.uhp', `${GAME}\n${GAME.split(';').slice(0, 7).join(';')}\n`);
    await page.getByRole('dialog').getByText('2 games').waitFor();
    await page.getByRole('dialog').getByRole('listitem').nth(1).getByRole('button').click();
    await page.waitForSelector('.moves');
    same(await plies(page), 4, 'plies of the second game');
  },

  async 'hivegame.com analysis drops illegal moves'({ open }) {
    const page = await open();
    const node = (id, parent, piece, position) => ({ node_id: id, value: { turn: id + 1, piece, position }, parent });
    const nodes = [{ node_id: -1, value: null, parent: null }, node(0, -1, 'wS1', '.'), node(1, 0, 'bG1', '-wS1'), node(2, 1, 'wQ', 'wS1/'), node(3, 1, 'wA1', 'wS1-'), node(4, 3, 'bZ1', '-wQ')];
    await drop(page, 'analysis.json', JSON.stringify({ current_node: null, tree: { name: 'analysis', nodes }, hashes: {}, game_type: 'MLP', annotations: {} }));
    await page.waitForSelector('.variation');
    same(await plies(page), 3, 'the main line');
    check(/bZ1 -wQ/.test(await page.locator('.toast').innerText()), 'a toast names the illegal move');
    // The exported analysis file can be opened again.
    await page.getByRole('button', { name: 'Share and export' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('dialog').getByRole('button', { name: 'Analysis file' }).click();
    const text = readFileSync(await (await download).path(), 'utf8');
    const other = await open();
    await drop(other, 'game.json', text);
    await other.waitForSelector('.variation');
  },

  async 'command line opens an analysis saved by 0.2.0'({ open }) {
    const folder = mkdtempSync(join(tmpdir(), 'wabe-saved-'));
    const path = join(folder, 'game.json');
    writeFileSync(path, JSON.stringify({ format: 'wabe-tree', version: 1, game: 'Base', start: null, root: ['', '', '', [['wS1', '', '', []], ['wA1', '', '', []]]], path: [0] }));
    const { child, address } = await serve(['board', '--no-open', '--port', '0', path]);
    try {
      const page = await open({ url: address });
      await page.waitForSelector('.variation');
      same(await plies(page), 1, 'the main line');
    } finally {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    }
  },

  async 'file names carry the local date'({ open }) {
    const page = await open();
    await page.clock.setFixedTime(new Date('2020-05-17T12:00:00Z'));
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setTimezoneOverride', { timezoneId: 'Pacific/Kiritimati' });
    const name = await page.evaluate(async () => (await import('/files.js')).gameFileName({ tree: null, playerName: () => '' }, 'game.pgn'));
    same(name, 'game-2020-05-18.pgn', 'the name');
  },

  async 'undo restores deleted moves'({ open }) {
    const page = await open();
    await drop(page, 'game.uhp', GAME);
    await page.waitForSelector('.move.current');
    await page.getByRole('button', { name: 'To the start' }).click();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => document.querySelector('.move.current .move-text')?.textContent === 'wS1');
    await page.getByRole('button', { name: 'Delete from here' }).click();
    await page.waitForFunction(() => !document.querySelector('.move[data-node]'));
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await page.waitForSelector('.move.current');
    same(await plies(page), 16, 'plies');
  },

  async 'invalid text shows an error'({ open }) {
    const page = await open();
    await page.getByLabel('Or paste a game').fill('not a game');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    check((await page.getByRole('alert').innerText()).length > 20, 'the alert gives the reason');
  },

  async 'chosen file opens'({ open }) {
    const page = await open();
    await page.locator('input[type=file]').setInputFiles({ name: 'g.txt', mimeType: 'text/plain', buffer: Buffer.from(GAME) });
    await page.waitForSelector('.moves');
    same(await plies(page), 16, 'plies');
  },

  async 'pictures: SVG, PNG, animated GIF'({ open }) {
    const page = await open();
    await begin(page, { side: 'Two people' });
    for (const seed of [1, 2, 3]) await clickMove(page, dice(seed));
    await view(page, 'Analyse');
    const { x, y } = await middleOf(page, '0,0');
    await page.mouse.click(x, y, { button: 'right' });
    await page.waitForSelector('.shape.ring');
    await page.getByRole('button', { name: 'Share and export' }).click();
    const save = async (name) => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name }).click();
      return readFileSync(await (await download).path());
    };
    const svg = (await save('Position .svg')).toString();
    check(svg.startsWith('<svg xmlns="http://www.w3.org/2000/svg"') && svg.includes('<circle'), 'the circle is in the SVG');
    for (const part of ['<use', 'class=', 'var(', 'http://127', '<!--']) check(!svg.includes(part), `no ${part} in the SVG`);
    const [png, gif] = [await save('Position .png'), await save('animated')];
    const compared = await page.evaluate(async ([one, other]) => {
      const bytes = (base64) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      const decoder = new ImageDecoder({ data: bytes(other), type: 'image/gif' });
      await decoder.tracks.ready;
      const { frameCount } = decoder.tracks.selectedTrack;
      const { image: last } = await decoder.decode({ frameIndex: frameCount - 1 });
      const [width, height] = [last.displayWidth, last.displayHeight];
      const pixels = (image) => {
        const context = new OffscreenCanvas(width, height).getContext('2d');
        context.drawImage(image, 0, 0, width, height);
        return context.getImageData(0, 0, width, height).data;
      };
      const [left, right] = [pixels(await createImageBitmap(new Blob([bytes(one)]))), pixels(last)];
      return { frameCount, width, difference: left.reduce((sum, value, i) => sum + Math.abs(value - right[i]), 0) / left.length };
    }, [png.toString('base64'), gif.toString('base64')]);
    same([compared.frameCount, compared.width], [4, 480], 'frames and width');
    check(compared.difference < 6, `the last frame is the position: mean difference ${compared.difference}`);
  },
};

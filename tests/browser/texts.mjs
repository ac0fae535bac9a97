import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { check, same } from './harness.mjs';

const folder = fileURLToPath(new URL('../../crates/board/src/page/', import.meta.url));
const load = async (name) => (await import(pathToFileURL(join(folder, 'texts', name)).href)).default;

function files(at) {
  return readdirSync(at, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? files(join(at, entry.name)) : [join(at, entry.name)]));
}

const placeholders = (text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

export default {
  async 'languages have the same texts'() {
    const [en, de] = [await load('en.js'), await load('de.js')];
    same(Object.keys(de).sort(), Object.keys(en).sort(), 'keys');
    for (const key of Object.keys(en)) {
      check(de[key].length > 0, `${key} is not empty`);
      same(placeholders(de[key]), placeholders(en[key]), `placeholders of ${key}`);
    }
  },

  async 'used texts exist'() {
    const en = await load('en.js');
    for (const path of files(folder).filter((name) => name.endsWith('.js') && !name.includes('vendor') && !name.includes('texts'))) {
      const source = readFileSync(path, 'utf8');
      for (const [, key] of source.matchAll(/\bt\('([\w.]+)'/g)) check(key in en, `text ${key} of ${path} exists`);
      for (const [, key] of source.matchAll(/\btn\('([\w.]+)'/g)) check(`${key}.one` in en && `${key}.many` in en, `texts ${key} of ${path} exist`);
    }
  },

  async 'directions follow a board turned around'({ open }) {
    const page = await open();
    const places = await page.evaluate(async () => {
      const { describeMove } = await import('/moves.js');
      const view = { stacks: [], to_move: 0 };
      const place = (text, flipped) => describeMove({ sides: ['white', 'black'] }, view, { text, from: null, to: [0, 0], letter: 'S' }, flipped);
      return ['wS1 bA1/', 'wS1 -bA1'].map((text) => [place(text, false), place(text, true)].map((one) => one.replace(/ of .*/, '').replace(/.*placed /, '')));
    });
    same(places, [['to the upper right', 'to the lower left'], ['to the left', 'to the right']], 'places');
  },

  async 'levels have different names'({ open }) {
    const page = await open();
    const names = (await page.locator('.level-name').allInnerTexts()).map((name) => name.replace(/^[ ·]+/, ''));
    same(new Set(names).size, 10, 'names');
    same([names[0], names[9]], ['First games', 'Full strength'], 'the lowest and the highest');
  },

  async 'texts are used'() {
    const sources = files(folder).filter((name) => name.endsWith('.js') && !name.includes('vendor') && !name.includes('texts'));
    const source = sources.map((path) => readFileSync(path, 'utf8')).join('\n');
    const literals = new Set([...source.matchAll(/['`]([\w.]+)['`]/g)].map(([, text]) => text));
    const prefixes = [...source.matchAll(/[`']([\w]+(?:\.[\w]+)*\.)\$\{/g)].map(([, text]) => text);
    // The keys of moves and pieces are put together from parts.
    const isUsed = (key) => /^(move|advice|piece)\./.test(key) || literals.has(key) || prefixes.some((prefix) => key.startsWith(prefix));
    const unused = Object.keys(await load('en.js')).filter((key) => !isUsed(key) && !isUsed(key.replace(/\.(one|many)$/, '')));
    same(unused, [], 'texts that no script uses');
  },

  async 'page is small'() {
    // Fetched only if needed: the book, the puzzles, German, the encoder of GIFs. Comment lines and indentation are not sent.
    const sent = (path) => (path.includes('vendor') ? readFileSync(path, 'utf8') : readFileSync(path, 'utf8').replace(/^[^\S\n]+/gm, '').replace(/^(\/\/|\/?\*).*\n/gm, ''));
    const total = files(folder).filter((path) => !/(book|puzzles)\.json$|de\.js$|gifenc\.js$|LICENSE$|types\.js$|\.d\.ts$/.test(path)).reduce((sum, path) => sum + Buffer.byteLength(sent(path)), 0);
    check(total < 450_000, `${total} bytes are less than 450 kB`);
  },
};

import { check } from './harness.mjs';
import { drop, GAME, put, view } from './steps.mjs';

/** English words that occur in no German text of the page. */
const ENGLISH = /\b(the|is|not|of|and|to|cannot|must|piece|move|file|expected|found|error|position|unknown|invalid|connect\w*|line|ply)\b/i;

/** Fails unless a message is German and names `part`. */
function checkGerman(text, part) {
  check(text.length > 10 && !ENGLISH.test(text), `${text} is German`);
  check(part.test(text), `${text} names ${part}`);
}

const german = (open, more) => open({ locale: 'de-DE', ...more });

export default {
  async 'typed moves are explained'({ open }) {
    const page = await german(open, { fragment: '#game=Base&moves=wS1.bS1_wS1-.wQ_-wS1.bQ_bS1-' });
    await view(page, 'Analyse');
    const typed = async (text, part) => {
      await page.locator('.typed input').fill(text);
      await page.locator('.typed input').press('Enter');
      checkGerman(await page.locator('.typed [role=alert]').innerText(), part);
      await page.locator('.typed input').fill('');
    };
    await typed('nonsense', /kein Zug/);
    await typed('3. S1 wQ/', /hält den Schwarm/);
    await typed('WA1', /Ziel/);
    await typed('A1 wZ-', /wZ-/);
    await typed('wA1 bQ-', /gesetzt/);
    await typed('bA1 bQ-', /nicht am Zug/);
    await typed('wA2 -wQ', /wA1/);
    await typed('wM -wQ', /Spiel/);
    await typed('pass', /Passen/);
    await page.locator('.typed input').fill('3. A1 -wQ');
    await page.locator('.typed input').press('Enter');
    await page.locator('.move.current').getByText('-wQ').waitFor();
  },

  async 'broken links, texts and files are explained'({ open }) {
    const linked = await german(open, { fragment: '#game=Base&moves=wS1.wS2' });
    checkGerman(await linked.locator('.toast span').innerText(), /Zug 2, wS2/);
    const unknown = await german(open, { fragment: '#game=Chess&moves=e4' });
    checkGerman(await unknown.locator('.toast span').innerText(), /Chess/);
    const page = await german(open);
    for (const [text, part] of [
      ['unsinn', /PGN/],
      ['Base+X;InProgress;White[1]', /Base\+X/],
      ['https://hivegame.com/analysis?uhp=Base%2BQ', /Base\+Q/],
    ]) {
      await page.getByLabel('Oder Partie').fill(text);
      await page.getByRole('button', { name: 'Öffnen', exact: true }).click();
      await page.getByRole('alert').getByText(part).waitFor();
      checkGerman(await page.getByRole('alert').innerText(), part);
    }
    await page.locator('input[type=file]').setInputFiles({ name: 'bild.png', mimeType: 'image/png', buffer: Buffer.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 1, 2, 255]) });
    await page.getByRole('alert').getByText(/keine Partie/).waitFor();
    checkGerman(await page.getByRole('alert').innerText(), /SGF/);
    await drop(page, 'partie.uhp', `${GAME};wA9 bQ-`);
    await page.waitForSelector('.toast');
    checkGerman(await page.locator('.toast span').innerText(), /Zug 17, wA9 bQ-/);
    await view(page, 'Bibliothek');
    await page.locator('input[type=file]').first().setInputFiles({ name: 'rest.json', mimeType: 'application/json', buffer: Buffer.from('{') });
    await page.locator('.import-report').getByText('rest.json').waitFor();
    checkGerman(await page.locator('.import-report').innerText(), /enthält keine Partien/);
  },

  async 'rejected positions are explained'({ open }) {
    const page = await german(open);
    await view(page, 'Editor');
    await page.locator('.editor select').first().selectOption('Base');
    const state = page.getByTestId('editor-state');
    const rejected = async (part) => {
      await state.getByText(part).waitFor();
      checkGerman(await state.innerText(), part);
    };
    await put(page, /^weiße Spinne/, '0,0');
    await put(page, /^weißer Käfer/, '0,0');
    await rejected(/Königin nicht auf dem Brett/);
    await put(page, /^weiße Königin/, '1,0');
    await put(page, /^schwarze Königin/, '2,0');
    // The round follows the pieces until it is chosen.
    await state.getByText('Die Engine akzeptiert').waitFor();
    await page.getByLabel('Runde').fill('2');
    await page.getByLabel('Runde').press('Enter');
    await rejected(/frühestens Runde 5/);
    await put(page, /^schwarze Ameise/, '2,2');
    await rejected(/zusammenhängenden Schwarm/);
    await page.getByRole('button', { name: 'Brett leeren' }).click();
    await put(page, /^weiße Spinne/, '0,0');
    await put(page, /^schwarze Spinne/, '1,0');
    await page.getByLabel('Runde').fill('8');
    await page.getByLabel('Runde').press('Enter');
    await rejected(/im vierten Zug/);
  },

  async 'unreachable servers are explained'({ open }) {
    const page = await german(open);
    await view(page, 'Zusehen');
    await page.getByRole('button', { name: 'Einem anderen Server zusehen' }).click();
    for (const [address, part] of [['127.0.0.1:1', /antwortet kein Server/], ['hier', /keine Adresse/]]) {
      await page.getByLabel('Adresse').fill(address);
      await page.getByRole('button', { name: 'Zusehen', exact: true }).last().click();
      await page.getByRole('alert').getByText(part).waitFor();
      checkGerman(await page.getByRole('alert').innerText(), part);
    }
  },
};

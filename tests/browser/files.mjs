import { check, same } from './harness.mjs';
import { drop, GAME, plies } from './steps.mjs';

export default {
  async 'a pasted game'({ open }) {
    const page = await open();
    await page.getByLabel('Or paste a game').fill(GAME);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.waitForSelector('.moves');
    same(await plies(page), 16, 'plies');
  },

  async 'several games in a file'({ open }) {
    const page = await open();
    await drop(page, 'games.uhp', `${GAME}\n${GAME.split(';').slice(0, 7).join(';')}\n`);
    await page.getByRole('dialog').getByText('2 games').waitFor();
    await page.getByRole('dialog').getByRole('listitem').nth(1).getByRole('button').click();
    await page.waitForSelector('.moves');
    same(await plies(page), 4, 'plies of the second');
  },

  async 'rubbish is refused in words'({ open }) {
    const page = await open();
    await page.getByLabel('Or paste a game').fill('this is no game');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    check((await page.getByRole('alert').innerText()).length > 20, 'the reason');
  },

  async 'a chosen file'({ open }) {
    const page = await open();
    await page.locator('input[type=file]').setInputFiles({ name: 'g.txt', mimeType: 'text/plain', buffer: Buffer.from(GAME) });
    await page.waitForSelector('.moves');
    same(await plies(page), 16, 'plies');
  },
};

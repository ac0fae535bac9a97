import { check, same } from './harness.mjs';
import { drop } from './steps.mjs';

export default {
  async 'names in a review are escaped'({ open }) {
    const page = await open();
    const review = {
      format: 'wabe-review', version: 1, nodes: 1, names: ['<img src=x onerror="window.hit=1">', '<script>window.hit=1</script>'],
      line: { game: 'Base', start: null, moves: ['wS1'] },
      plies: [{ ply: 1, text: 'wS1', before: { score: 0.5, proven: false, plies: null }, after: { score: 0.5, proven: false, plies: null }, loss: 0, better: null, mark: 'best' }],
    };
    await drop(page, 'review.json', JSON.stringify(review));
    await page.waitForSelector('.summary');
    check((await page.locator('.strip').first().innerText()).includes('<script>'), 'the strip shows the name unchanged');
    same(await page.evaluate(() => [window.hit ?? 0, document.querySelectorAll('main img').length]), [0, 0], 'injected scripts and images');
  },

  async 'invalid address shows an error'({ open }) {
    const page = await open({ fragment: '#game=Base&moves=wS1.wS2' });
    await page.waitForSelector('.toast');
    await page.getByTestId('begin').waitFor();
  },
};

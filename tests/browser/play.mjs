import { check, same, serve, wabe } from './harness.mjs';
import { GAME, begin, clickField, clickMove, dice, drop, middleOf, movedOn, playOut, plies, still, targets, turn, view } from './steps.mjs';

export default {
  async 'a contest game by clicks to its end'({ open }) {
    const page = await open();
    await begin(page);
    await playOut(page, 1);
  },

  async 'a game of Base+MLP by clicks to its end'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base+MLP', side: 'Black' });
    await playOut(page, 2);
  },

  async 'by keyboard alone'({ open }) {
    const page = await open();
    const press = (key) => page.keyboard.press(key);
    const focused = () => page.evaluate(() => {
      const element = document.activeElement;
      return { testid: element?.getAttribute('data-testid'), role: element?.getAttribute('role'), letter: element?.getAttribute('data-letter'), name: element?.getAttribute('aria-label') ?? '' };
    });
    const tabTo = async (wanted) => {
      for (let i = 0; i < 80; i += 1) {
        await press('Tab');
        if (wanted(await focused())) return;
      }
      throw new Error('the key Tab does not lead there');
    };
    await tabTo((element) => element.testid === 'begin');
    await press('Enter');
    await page.waitForSelector('[role=grid]');
    for (let round = 0; round < 4; round += 1) {
      if ((await turn(page)) !== 'move') break;
      const before = await plies(page);
      if (await page.locator('button.reserve-tile').count()) {
        await tabTo((element) => element.letter !== null);
        await press('Enter');
      } else {
        await tabTo((element) => element.role === 'gridcell');
        await press('n');
        await press('Enter');
        await press('n');
      }
      await page.waitForFunction(() => document.activeElement?.classList.contains('target'));
      check(/you can go here/.test((await focused()).name), `a target says so: ${(await focused()).name}`);
      await press('n');
      await press('Enter');
      await movedOn(page, before);
    }
    // Along the board with the arrows, to a piece that can move.
    await turn(page);
    await tabTo((element) => element.role === 'gridcell');
    const one = await focused();
    await press('ArrowRight');
    const other = await focused();
    check(other.role === 'gridcell' && other.name !== one.name, `the arrows walk: ${one.name}, ${other.name}`);
    if (await page.locator('.cell.movable').count()) {
      await press('n');
      await press('Enter');
      check((await targets(page)).length > 0, 'a chosen piece shows its targets');
      await press('Escape');
      same(await targets(page), [], 'Escape puts the piece back');
    }
    check((await page.locator('#announcements').textContent()) !== '', 'moves are announced');
  },

  async 'dragging with the mouse'({ open }) {
    const page = await open();
    await begin(page);
    await turn(page);
    const tile = await page.locator('button.reserve-tile[data-letter="Q"]').boundingBox();
    const to = await middleOf(page, '0,3');
    const blocked = await page.locator('[data-key="0,3"] .bramble').count();
    await page.mouse.move(tile.x + 10, tile.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x - 30, to.y);
    await page.mouse.move(to.x, to.y);
    check(await page.locator('.drag-image').isVisible(), 'the piece follows the mouse');
    await page.mouse.up();
    same(await page.locator('.drag-image').count(), 0, 'it is put down');
    if (!blocked) await movedOn(page, 0);
  },

  async 'dragging on a touch screen'({ open }) {
    const page = await open({ width: 390, height: 844, touch: true });
    await begin(page);
    await turn(page);
    const client = await page.context().newCDPSession(page);
    const touch = (type, points) => client.send('Input.dispatchTouchEvent', { type, touchPoints: points });
    const drag = async (from, to) => {
      await touch('touchStart', [from]);
      for (let i = 1; i <= 4; i += 1) await touch('touchMove', [{ x: from.x + ((to.x - from.x) * i) / 4, y: from.y + ((to.y - from.y) * i) / 4 }]);
      await touch('touchEnd', []);
    };
    const free = await page.evaluate(() => [...document.querySelectorAll('.cell')].filter((cell) => !cell.querySelector('.bramble')).map((cell) => cell.getAttribute('data-key'))[40]);
    const tile = await page.locator('button.reserve-tile[data-letter="Q"]').boundingBox();
    await drag({ x: tile.x + tile.width / 2, y: tile.y + tile.height / 2 }, await middleOf(page, free));
    await movedOn(page, 0);
    await turn(page);
    const before = await plies(page);
    const from = await page.evaluate(() => document.querySelector('.cell.movable')?.getAttribute('data-key'));
    check(from, 'the bee can move');
    await clickField(page, from);
    const [to] = await targets(page);
    await clickField(page, from);
    await drag(await middleOf(page, from), await middleOf(page, to));
    await movedOn(page, before);
  },

  async 'two fingers change the size and move nothing'({ open }) {
    const page = await open({ width: 390, height: 844, touch: true });
    await begin(page, { side: 'Two people' });
    await turn(page);
    const client = await page.context().newCDPSession(page);
    const scale = () => page.evaluate(() => document.querySelector('svg.board-svg').getScreenCTM().a);
    const middle = await middleOf(page, '0,0');
    const touch = (type, away) => client.send('Input.dispatchTouchEvent', { type, touchPoints: away === null ? [] : [{ x: middle.x - away, y: middle.y, id: 0 }, { x: middle.x + away, y: middle.y, id: 1 }] });
    const pinch = async (...steps) => {
      await touch('touchStart', steps[0]);
      for (const away of steps.slice(1)) await touch('touchMove', away);
      await touch('touchEnd', null);
    };
    const before = await scale();
    await pinch(40, 55, 80);
    const larger = await scale();
    check(larger > before * 1.7 && larger < before * 2.3, `twice as large: ${before}, ${larger}`);
    const now = await middleOf(page, '0,0');
    check(Math.hypot(now.x - middle.x, now.y - middle.y) < 6, `the field between the fingers stays there: ${JSON.stringify([middle, now])}`);
    await pinch(80, 60, 40);
    check((await scale()) < larger * 0.7, 'and smaller again');
    same(await plies(page), 0, 'moves');
    // One finger still works.
    await page.locator('button.reserve-tile').first().click();
    check((await targets(page)).length > 0, 'targets');
  },

  async 'typing a move'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base', side: 'Two people' });
    const input = page.getByLabel('Type a move');
    await input.fill('wZ9');
    await input.press('Enter');
    await page.getByRole('alert').waitFor();
    await input.fill('ws1');
    await input.press('Enter');
    await movedOn(page, 0);
    await input.fill('bG1 -wS1');
    await input.press('Enter');
    await movedOn(page, 1);
    await page.getByTestId('state').getByText('White to move').waitFor();
  },

  async 'taking back'({ open }) {
    const page = await open();
    await begin(page);
    await turn(page);
    await clickMove(page, dice(5));
    await turn(page);
    same(await plies(page), 2, 'two plies');
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.move-row .move[data-node]').length === 0);
    same(await turn(page), 'move', 'it is the person’s turn again');
  },

  async 'a hint, then resigning, then a rematch with the other colours'({ open }) {
    const page = await open();
    await begin(page);
    await turn(page);
    await page.keyboard.press('h');
    await page.waitForSelector('.arrow.hint');
    check(/Hint: red/.test(await page.locator('.status').innerText()), 'the hint in words');
    check(/You expect|wins/.test(await page.locator('.status').innerText()), 'its value for the person');
    await page.getByRole('button', { name: 'Resign' }).dblclick();
    await page.getByRole('button', { name: 'Really resign?' }).click();
    same((await page.getByTestId('state').innerText()).split(/\n+/), ['You lost.', 'Red resigned.'], 'the end');
    same((await page.locator('.panel').innerText()).match(/resigned/g).length, 1, 'how often the panel says why');
    same(await page.locator('#announcements').textContent(), 'Blue wins: Red resigned', 'what is announced');
    await page.getByRole('button', { name: 'Rematch' }).click();
    await movedOn(page, 0);
    same(await turn(page), 'move', 'after wabe’s first move');
  },

  async 'a piece that cannot be used says why, and so does a typed move'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base', side: 'Two people' });
    await page.locator('.strip.turn .reserve-tile.idle').click();
    await page.getByText('Not on the first turn').waitFor();
    for (const move of ['wS1', 'bS1 wS1-']) {
      const before = await plies(page);
      await page.locator('[name=typed]').fill(move);
      await page.keyboard.press('Enter');
      await movedOn(page, before);
    }
    // The picture follows the list of moves, and fields move with it.
    await page.waitForFunction(() => document.querySelectorAll('.cell .piece').length === 2 && document.querySelector('.cell.last-to'));
    await still(page, '0,0');
    await clickField(page, '0,0');
    await page.getByText('Place your queen first').waitFor();
    await page.locator('[name=typed]').fill('wS1 bS1-');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('No piece can be moved before the queen is placed').waitFor();
  },

  async 'the way back of the browser leads through the views'({ open }) {
    const page = await open();
    await view(page, 'Learn');
    await view(page, 'Watch');
    await page.waitForFunction(() => location.hash === '#watch');
    await page.goBack();
    await page.waitForSelector('.tour');
    await page.getByTestId('tour-next').click();
    await page.getByText('Step 2 of').waitFor();
    await page.reload();
    await page.getByText('Step 2 of').waitFor();
    await page.goBack();
    await page.waitForSelector('.start');
  },

  async 'offering a draw'({ open }) {
    const page = await open();
    await begin(page);
    await turn(page);
    await page.getByRole('button', { name: 'Offer a draw' }).click();
    await page.waitForFunction(() => /declines|the players agreed/i.test(document.querySelector('.status')?.textContent ?? ''));
  },

  async 'two people, who agree on a draw'({ open }) {
    const page = await open();
    await begin(page, { side: 'Two people' });
    await clickMove(page, dice(3));
    await clickMove(page, dice(4));
    const offer = page.getByRole('button', { name: 'Offer a draw' });
    await offer.dblclick();
    await page.getByText('Red offers a draw. Blue, do you accept?').waitFor();
    await page.getByRole('button', { name: 'Decline' }).click();
    same(await page.locator('.end-card').count(), 0, 'the game is not over');
    await offer.click();
    await page.getByRole('button', { name: 'Accept' }).click();
    check(await page.getByRole('button', { name: 'Resign' }).isDisabled(), 'nothing takes the place of the buttons');
    same((await page.getByTestId('state').innerText()).split(/\n+/), ['Draw', 'The players agreed.'], 'state');
  },

  async 'a game that was given up is analysed beyond its end'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base', side: 'Two people' });
    await clickMove(page, dice(3));
    await page.getByRole('button', { name: 'Resign' }).click();
    await page.getByRole('button', { name: 'Really resign?' }).click();
    await page.waitForSelector('.end-card');
    await view(page, 'Analyse');
    await page.locator('.moves .recorded').getByText('White wins: Black resigned').waitFor();
    await clickMove(page, dice(4));
    same(await page.locator('.recorded').count(), 0, 'an end after the new move');
    await page.keyboard.press('ArrowLeft');
    await page.locator('.who-won').getByText('White wins').waitFor();
    await view(page, 'Play');
    await page.waitForSelector('.end-card');
  },

  async 'a clock that runs out'({ open }) {
    const page = await open({ prepare: (one) => one.clock.install() });
    await page.getByRole('radio', { name: 'Clock', exact: true }).check({ force: true });
    await page.getByLabel('Minutes a side').selectOption('1');
    await begin(page, { side: 'Two people' });
    await clickMove(page, dice(1));
    await page.clock.fastForward('02:00');
    await page.waitForSelector('.end-card');
    same((await page.getByTestId('state').innerText()).split(/\n+/), ['Red wins', 'Blue ran out of time.'], 'state');
  },

  async 'a forced pass is explained'({ open }) {
    const page = await open({ fragment: '#game=contest&start=20_-4,0;3,1;5,0_0,0:rQbB;1,0:bQ_-/-' });
    check(/has to pass/.test(await page.locator('.callout').innerText()), 'it says why');
    await page.getByTestId('pass').click();
    await movedOn(page, 0);
  },

  async 'a page that is loaded again goes on where it was'({ open }) {
    const page = await open();
    await begin(page);
    await turn(page);
    await clickMove(page, dice(9));
    await turn(page);
    await page.reload();
    await page.waitForSelector('[role=grid]');
    same(await turn(page), 'move', 'still the person’s turn');
    same(await plies(page), 2, 'plies');
    await clickMove(page, dice(10));
    await turn(page);
    same(await plies(page), 4, 'wabe goes on, too');
  },

  async 'a contest client as opponent'({ open }) {
    const { child, address } = await serve(['board', '--no-open', '--port', '0', '--allow-programs']);
    try {
      const page = await open({ url: address });
      await page.getByRole('radio', { name: 'a program' }).check({ force: true });
      await page.getByLabel('Its command line').fill(`${wabe} play --player greedy`);
      await begin(page);
      await turn(page);
      await clickMove(page, dice(12));
      same(await turn(page), 'move', 'the program has moved');
      same(await plies(page), 2, 'plies');
    } finally {
      child.kill('SIGINT');
    }
  },

  async 'two levels of wabe: watched, paused, stepped, taken back'({ open }) {
    // Slow and long enough to be stepped through.
    const engines = [6, 5].map((level) => ({ kind: 'wabe', level, program: '' }));
    const page = await open({ prepare: (one) => one.addInitScript((stored) => localStorage.setItem('wabe-board', stored), JSON.stringify({ moveMs: 150, engines })) });
    await begin(page, { game: 'Base', side: 'Two engines' });
    await movedOn(page, 3);
    // Stepping back leaves the game running, and the watcher where he is.
    await page.keyboard.press('Home');
    await movedOn(page, await plies(page));
    same(await page.locator('.cell .piece').count(), 0, 'pieces of the first position');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused').waitFor();
    await page.keyboard.press('End');
    await page.waitForSelector('.move.current');
    const before = await plies(page);
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.waitForFunction((n) => document.querySelectorAll('.move-row .move[data-node]').length === n, before - 1);
    await page.getByText('Paused').waitFor();
    same(await page.locator('.cell.movable, button.reserve-tile').count(), 0, 'what a person could move');
    await page.getByRole('button', { name: 'Continue' }).click();
    await movedOn(page, before);
  },

  async 'two engines play to the end, which is said once'({ open }) {
    const page = await open({ prepare: (one) => one.addInitScript(() => localStorage.setItem('wabe-board', JSON.stringify({ moveMs: 20 }))) });
    await begin(page, { side: 'Two engines' });
    await page.waitForSelector('.end-card', { timeout: 60_000 });
    const panel = await page.locator('.panel').innerText();
    same(panel.match(/wins|Draw/g).length, 1, 'how often the panel says who won');
    check(/wins: |Draw: /.test(await page.locator('#announcements').textContent()), 'the end is announced');
    check(await page.getByRole('button', { name: 'Review this game' }).isVisible(), 'a review is offered');
  },

  async 'two programs against each other, one of them a contest client'({ open }) {
    const { child, address } = await serve(['board', '--no-open', '--port', '0', '--allow-programs']);
    try {
      const page = await open({ url: address });
      await page.getByRole('radio', { name: 'Two engines' }).check({ force: true });
      const sides = { Red: `${wabe} play --player greedy`, Blue: `wabe:'${wabe} play' nodes=1500` };
      for (const side of Object.keys(sides)) await page.getByRole('group', { name: side }).getByRole('radio', { name: 'a program' }).check({ force: true });
      check(await page.getByTestId('begin').isDisabled(), 'no game without programs');
      for (const [i, command] of Object.values(sides).entries()) await page.getByLabel('Its command line').nth(i).fill(command);
      await begin(page);
      await movedOn(page, 3);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused').waitFor();
      same(await page.locator('.toast').count(), 0, 'complaints');
      await page.getByRole('button', { name: 'Continue' }).click();
      await movedOn(page, await plies(page));
    } finally {
      child.kill('SIGINT');
    }
  },

  async 'a click elsewhere puts the piece back'({ open }) {
    const page = await open();
    await begin(page);
    await turn(page);
    await page.locator('button.reserve-tile').first().click();
    check((await targets(page)).length > 50, 'targets');
    const box = await page.locator('.board').boundingBox();
    await page.mouse.click(box.x + 4, box.y + box.height - 4);
    same(await targets(page), [], 'no targets');
  },

  async 'a game that takes the place of a running one leaves the way back to it'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base', side: 'Two people' });
    await turn(page);
    await clickMove(page, dice(4));
    await movedOn(page, 0);
    await drop(page, 'game.uhp', GAME);
    await page.waitForFunction(() => document.querySelectorAll('.move-row .move[data-node]').length === 16);
    await page.reload();
    await page.waitForSelector('.nav:not([disabled])');
    await page.locator('.brand').click();
    await page.getByRole('button', { name: 'Back to your game' }).click();
    same(await turn(page), 'move', 'the other side');
    same(await plies(page), 1, 'plies');
  },
};

import { check, same, serve, wabe } from './harness.mjs';
import { GAME, begin, clickField, clickMove, dice, drop, middleOf, movedOn, playOut, plies, still, targets, turn, typeMove, view } from './steps.mjs';

export default {
  async 'contest game by clicks'({ open }) {
    const page = await open();
    await begin(page);
    await playOut(page, 1);
  },

  async 'Base+MLP game by clicks'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base+MLP', side: 'Black' });
    await playOut(page, 2);
  },

  async 'game by keyboard'({ open }) {
    const page = await open();
    const press = (key) => page.keyboard.press(key);
    const focused = () => page.evaluate(() => {
      const element = document.activeElement;
      return { testid: element?.getAttribute('data-testid'), role: element?.getAttribute('role'), letter: element?.getAttribute('data-letter'), name: element?.getAttribute('aria-label') ?? '' };
    });
    const tabTo = async (isWanted) => {
      for (let i = 0; i < 80; i += 1) {
        await press('Tab');
        if (isWanted(await focused())) return;
      }
      throw new Error('Tab does not reach the element');
    };
    await tabTo((element) => element.testid === 'begin');
    await press('Enter');
    await page.waitForSelector('[role=grid]');
    for (let round = 0; round < 4; round += 1) {
      if ((await turn(page)) !== 'move') break;
      const before = await plies(page);
      if (await page.locator('button.reserve-tile[data-letter]').count()) {
        await tabTo((element) => element.letter !== null);
        await press('Enter');
      } else {
        await tabTo((element) => element.role === 'gridcell');
        await press('n');
        await press('Enter');
        await press('n');
      }
      await page.waitForFunction(() => document.activeElement?.classList.contains('target'));
      check(/possible target/.test((await focused()).name), `the label names the target: ${(await focused()).name}`);
      await press('n');
      await press('Enter');
      await movedOn(page, before);
    }
    // Arrow keys move the focus on the board. `n` moves it to a movable piece.
    await turn(page);
    await tabTo((element) => element.role === 'gridcell');
    const one = await focused();
    await press('ArrowRight');
    const other = await focused();
    check(other.role === 'gridcell' && other.name !== one.name, `an arrow key moves the focus: ${one.name}, ${other.name}`);
    if (await page.locator('.cell.movable').count()) {
      await press('n');
      await press('Enter');
      check((await targets(page)).length > 0, 'a selected piece shows its targets');
      await press('Escape');
      same(await targets(page), [], 'targets after Escape');
    }
    check((await page.locator('#announcements').textContent()) !== '', 'moves are announced');
  },

  async 'drag with the mouse'({ open }) {
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
    same(await page.locator('.drag-image').count(), 0, 'drag images after the drop');
    if (!blocked) await movedOn(page, 0);
  },

  async 'drag on a touch screen'({ open }) {
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

  async 'pinching zooms, moves no piece'({ open }) {
    const page = await open({ width: 390, height: 844, touch: true });
    await begin(page, { side: 'Two people' });
    await turn(page);
    const client = await page.context().newCDPSession(page);
    const scale = () => page.evaluate(() => document.querySelector('svg.board-svg').getScreenCTM().a);
    const middle = await middleOf(page, '0,0');
    const touch = (type, offset) => client.send('Input.dispatchTouchEvent', { type, touchPoints: offset === null ? [] : [{ x: middle.x - offset, y: middle.y, id: 0 }, { x: middle.x + offset, y: middle.y, id: 1 }] });
    const pinch = async (...offsets) => {
      await touch('touchStart', offsets[0]);
      for (const offset of offsets.slice(1)) await touch('touchMove', offset);
      await touch('touchEnd', null);
    };
    const before = await scale();
    await pinch(40, 55, 80);
    const larger = await scale();
    check(larger > before * 1.7 && larger < before * 2.3, `the board is about twice as large: ${before}, ${larger}`);
    const now = await middleOf(page, '0,0');
    check(Math.hypot(now.x - middle.x, now.y - middle.y) < 6, `the field between the fingers stays in place: ${JSON.stringify([middle, now])}`);
    await pinch(80, 60, 40);
    check((await scale()) < larger * 0.7, 'the board is smaller again');
    same(await plies(page), 0, 'plies');
    // A single tap still selects a piece.
    await page.locator('button.reserve-tile[data-letter]').first().click();
    check((await targets(page)).length > 0, 'a touched piece shows its targets');
  },

  async 'typed moves'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base', side: 'Two people' });
    const input = page.getByLabel('Type a move');
    await input.fill('wZ9');
    await input.press('Enter');
    await page.getByRole('alert').waitFor();
    await input.fill('1. s1');
    await input.press('Enter');
    await movedOn(page, 0);
    await input.fill('G1 -wS1');
    await input.press('Enter');
    await movedOn(page, 1);
    await page.getByTestId('state').getByText('White to move').waitFor();
  },

  async 'undo keeps the moves of the game'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base', side: 'Two people' });
    await view(page, 'Analyse');
    await typeMove(page, 'wG1');
    await view(page, 'Play');
    await turn(page);
    for (const move of ['wG1', 'bG1 wG1-']) await typeMove(page, move);
    await view(page, 'Analyse');
    await page.locator('.board').focus();
    await page.keyboard.press('Control+z');
    same(await plies(page), 2, 'plies');
  },

  async 'take back'({ open }) {
    const page = await open();
    await begin(page);
    await turn(page);
    await clickMove(page, dice(5));
    await turn(page);
    same(await plies(page), 2, 'plies');
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.move-row .move[data-node]').length === 0);
    same(await turn(page), 'move', 'turn');
  },

  async 'take back keeps variations'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base' });
    await turn(page);
    await typeMove(page, 'wS1');
    await turn(page);
    await view(page, 'Analyse');
    await page.locator('.board').focus();
    await page.keyboard.press('Home');
    await typeMove(page, 'wB1');
    await view(page, 'Play');
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.move-row .move[data-node]').length === 1);
    same(await turn(page), 'move', 'turn');
  },

  async 'hint, resignation, rematch'({ open }) {
    const page = await open();
    await begin(page);
    await turn(page);
    await page.keyboard.press('h');
    await page.waitForSelector('.arrow.hint');
    check(/Hint: place the \w+ at/.test(await page.locator('.status').innerText()), 'the hint names a move');
    check(/Your winning chances|wins/.test(await page.locator('.status').innerText()), 'the hint names the chances');
    await page.getByRole('button', { name: 'Resign' }).dblclick();
    await page.getByRole('button', { name: 'Really resign?' }).click();
    same((await page.getByTestId('state').innerText()).split(/\n+/), ['You lost.', 'Red resigned.'], 'the ending');
    same((await page.locator('.panel').innerText()).match(/resigned/g).length, 1, 'reasons in the panel');
    same(await page.locator('#announcements').textContent(), 'Blue wins: Red resigned', 'announcement');
    await page.getByRole('button', { name: 'Rematch' }).click();
    await movedOn(page, 0);
    same(await turn(page), 'move', 'turn after wabe’s first move');
  },

  async 'hint ends when the position changes'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base', side: 'Two people' });
    await clickMove(page, dice(1));
    await page.keyboard.press('h');
    const note = page.getByText('Looking for a good move');
    await note.waitFor();
    await page.keyboard.press('ArrowLeft');
    await note.waitFor({ state: 'detached' });
  },

  async 'idle pieces, illegal moves are explained'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base', side: 'Two people' });
    await page.locator('.strip.turn .reserve-tile.idle').click();
    await page.getByText('may not be placed on the first turn').waitFor();
    for (const move of ['wS1', 'bS1 wS1-']) {
      const before = await plies(page);
      await page.locator('[name=typed]').fill(move);
      await page.keyboard.press('Enter');
      await movedOn(page, before);
    }
    // The board is drawn after the move list, and the camera may still be moving.
    await page.waitForFunction(() => document.querySelectorAll('.cell .piece').length === 2 && document.querySelector('.cell.last-to'));
    await still(page, '0,0');
    await clickField(page, '0,0');
    await page.getByText('The queen must be placed first').waitFor();
    await page.locator('[name=typed]').fill('wS1 bS1-');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The queen must be placed first').waitFor();
  },

  async 'browser history steps through views'({ open }) {
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

  async 'draw offer to wabe'({ open }) {
    const page = await open();
    await begin(page);
    await turn(page);
    await page.getByRole('button', { name: 'Offer a draw' }).click();
    await page.waitForFunction(() => /declines|the players agreed/i.test(document.querySelector('.status')?.textContent ?? ''));
  },

  async 'draw offer between two people'({ open }) {
    const page = await open();
    await begin(page, { side: 'Two people' });
    await clickMove(page, dice(3));
    await clickMove(page, dice(4));
    const offer = page.getByRole('button', { name: 'Offer a draw' });
    await offer.dblclick();
    await page.getByText('Red offers a draw. Blue, do you accept?').waitFor();
    await page.getByRole('button', { name: 'Decline' }).click();
    same(await page.locator('.end-card').count(), 0, 'end cards after declining');
    await offer.click();
    await page.getByRole('button', { name: 'Accept' }).click();
    check(await page.getByRole('button', { name: 'Resign' }).isDisabled(), 'the buttons stay, disabled');
    same((await page.getByTestId('state').innerText()).split(/\n+/), ['Draw', 'The players agreed.'], 'state');
  },

  async 'resigned game is analysed further'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base', side: 'Two people' });
    await clickMove(page, dice(3));
    await page.getByRole('button', { name: 'Resign' }).click();
    await page.getByRole('button', { name: 'Really resign?' }).click();
    await page.waitForSelector('.end-card');
    await view(page, 'Analyse');
    await page.locator('.moves .recorded').getByText('White wins: Black resigned').waitFor();
    await clickMove(page, dice(4));
    same(await page.locator('.recorded').count(), 0, 'endings after the new move');
    await page.keyboard.press('ArrowLeft');
    await page.locator('.who-won').getByText('White wins').waitFor();
    await view(page, 'Play');
    await page.waitForSelector('.end-card');
  },

  async 'clock runs out'({ open }) {
    const page = await open({ prepare: (one) => one.clock.install() });
    await begin(page, { side: 'Two people', minutes: '1' });
    await clickMove(page, dice(1));
    await page.clock.fastForward('02:00');
    await page.waitForSelector('.end-card');
    same((await page.getByTestId('state').innerText()).split(/\n+/), ['Red wins', 'Blue ran out of time.'], 'state');
  },

  async 'forced pass is explained'({ open }) {
    const page = await open({ fragment: '#game=contest&start=20_-4,0;3,1;5,0_0,0:rQbB;1,0:bQ_-/-' });
    check(/must pass/.test(await page.locator('.callout').innerText()), 'a callout explains the pass');
    await page.getByTestId('pass').click();
    await movedOn(page, 0);
  },

  async 'game continues after a reload'({ open }) {
    const page = await open();
    await begin(page);
    await turn(page);
    await clickMove(page, dice(9));
    await turn(page);
    await page.reload();
    await page.waitForSelector('[role=grid]');
    same(await turn(page), 'move', 'turn');
    same(await plies(page), 2, 'plies');
    await clickMove(page, dice(10));
    await turn(page);
    same(await plies(page), 4, 'plies after wabe’s reply');
  },

  async 'game does not go on in a promoted variation'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base', side: 'Two people' });
    for (const move of ['wG1', 'bG1 wG1-']) await typeMove(page, move);
    await view(page, 'Analyse');
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.querySelector('.move.current .move-text')?.textContent === 'wG1');
    await typeMove(page, 'bA1 wG1-');
    await page.getByRole('button', { name: 'Make this the main line' }).click();
    await page.waitForFunction(() => document.querySelector('.move.current')?.closest('.variation') === null);
    await page.reload();
    await page.waitForSelector('.move.current');
    await view(page, 'Play');
    await turn(page);
    same(await page.locator('.move.current .move-text').innerText(), 'bG1 wG1-', 'the last move of the game');
  },

  async 'contest client as opponent'({ open }) {
    const { child, address } = await serve(['board', '--no-open', '--port', '0', '--allow-programs']);
    try {
      const page = await open({ url: address });
      await page.getByRole('radio', { name: 'another program' }).check({ force: true });
      await page.getByLabel('Command line').fill(`${wabe} play --player greedy`);
      await begin(page);
      await turn(page);
      await clickMove(page, dice(12));
      same(await turn(page), 'move', 'turn after the program’s move');
      same(await plies(page), 2, 'plies');
    } finally {
      child.kill('SIGINT');
    }
  },

  async 'move is planned while wabe thinks'({ open }) {
    const page = await open();
    await page.getByLabel('wabe’s time per move').selectOption('2000');
    await begin(page, { game: 'Base', level: 'Level 10' });
    await page.getByText('Choose a piece from your reserve').waitFor();
    same(await page.evaluate(() => document.activeElement?.className), 'board', 'the focus after the start');
    await clickMove(page, dice(1));
    const plan = (letter) => page.locator(`button.reserve-tile[data-plan="${letter}"]`);
    await plan('A').click();
    same(await plan('A').getAttribute('aria-pressed'), 'true', 'the chosen piece');
    await clickField(page, '0,1');
    await page.waitForSelector('.arrow.premove');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.querySelector('.arrow.premove'));
    // White may place a piece next to its own, away from wherever Black placed its first.
    const keys = await page.evaluate(() => [...document.querySelectorAll('.cell')].map((cell) => cell.getAttribute('data-key')));
    await plan('G').click();
    await clickField(page, keys[keys.length - 1]);
    await page.waitForSelector('.arrow.premove');
    await page.waitForFunction(() => !document.querySelector('.arrow.premove'), null, { polling: 50 });
    await page.waitForFunction(() => document.querySelectorAll('.move-row .move[data-node]').length >= 3 || /not legal/.test(document.querySelector('.status')?.textContent ?? ''));
  },

  async 'take back cancels the planned move'({ open }) {
    const page = await open();
    await page.getByLabel('wabe’s time per move').selectOption('2000');
    await begin(page, { game: 'Base', level: 'Level 10' });
    await clickMove(page, dice(1));
    await page.locator('button.reserve-tile[data-plan="G"]').click();
    await clickField(page, '0,0');
    await page.waitForSelector('.arrow.premove');
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.getByText('Choose a piece from your reserve').waitFor();
    same(await plies(page), 0, 'plies');
  },

  async 'clock runs in other views'({ open }) {
    const page = await open();
    await page.getByRole('radio', { name: 'Clock', exact: true }).check({ force: true });
    await begin(page, { game: 'Base', level: 'Level 1 ·' });
    await clickMove(page, dice(1));
    await turn(page);
    await view(page, 'Analyse');
    await page.waitForSelector('.clock.runs');
    const left = () => page.locator('.clock.runs').innerText();
    const before = await left();
    await page.waitForFunction((text) => document.querySelector('.clock.runs').textContent !== text, before);
    // A move in the analysis is a variation, not a move of the game.
    await clickMove(page, dice(2));
    await view(page, 'Learn');
    await view(page, 'Play');
    same(await turn(page), 'move', 'turn');
    same(await page.locator('.move.current').count(), 1, 'current move');
    await clickMove(page, dice(5)).catch(() => {});
    await page.waitForFunction(() => document.querySelectorAll('.move-row .move[data-node]').length >= 4);
  },

  async 'wabe moves while the analysis is shown'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base', level: 'Level 10', minutes: '1' });
    await clickMove(page, dice(1));
    await view(page, 'Analyse');
    await page.keyboard.press('l');
    await page.getByText('The engine is thinking about its move').waitFor();
    same(await page.locator('li.line:not(.empty)').count(), 0, 'lines while wabe thinks');
    await page.locator('.toast').getByText('has moved').waitFor();
    await page.waitForSelector('li.line:not(.empty)');
    same(await page.locator('.move.current .move-text').count(), 1, 'current move');
    await page.locator('.toast').getByRole('button', { name: 'Back to the game' }).click();
    same(await turn(page), 'move', 'turn');
    same(await plies(page), 2, 'plies');
  },

  async 'invalid file does not stop the running game'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base', level: 'Level 10', minutes: '1' });
    await clickMove(page, dice(1));
    const line = { game: 'Base', start: null, moves: ['nonsense'] };
    await drop(page, 'review.json', JSON.stringify({ format: 'wabe-review', version: 1, line, names: ['', ''], nodes: 1, plies: [] }));
    await page.locator('.toast').getByText('nonsense').waitFor();
    same(await turn(page), 'move', 'turn');
    same(await plies(page), 2, 'plies');
  },

  async 'space does not press a clicked button again'({ open }) {
    const page = await open({ fragment: '#game=Base&moves=wS1' });
    await page.getByRole('button', { name: 'Flip the board' }).click();
    await page.keyboard.press(' ');
    await page.waitForFunction(() => document.querySelector('[role=switch]').getAttribute('aria-checked') === 'true');
    await page.waitForFunction(() => JSON.parse(sessionStorage.getItem('wabe-table'))?.at.flipped === true);
  },

  async 'two levels of wabe: pause, step, take back'({ open }) {
    // Slow enough to step through the game while it is running.
    const engines = [7, 6].map((level) => ({ kind: 'wabe', level, program: '' }));
    const page = await open({ prepare: (one) => one.addInitScript((stored) => localStorage.setItem('wabe-board', stored), JSON.stringify({ version: 3, moveMs: 150, engines })) });
    await begin(page, { game: 'Base', side: 'Two engines' });
    await movedOn(page, 3);
    // The game continues while an earlier position is shown.
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
    same(await page.locator('.cell.movable, button.reserve-tile[data-letter]').count(), 0, 'movable pieces');
    await page.getByRole('button', { name: 'Continue' }).click();
    await movedOn(page, before);
  },

  async 'two engines: the result is shown once'({ open }) {
    const page = await open({ prepare: (one) => one.addInitScript(() => localStorage.setItem('wabe-board', JSON.stringify({ moveMs: 20 }))) });
    await begin(page, { side: 'Two engines' });
    await page.waitForSelector('.end-card', { timeout: 60_000 });
    const panel = await page.locator('.panel').innerText();
    same(panel.match(/wins|Draw/g).length, 1, 'results in the panel');
    check(/wins: |Draw: /.test(await page.locator('#announcements').textContent()), 'the ending is announced');
    check(await page.getByRole('button', { name: 'Review this game' }).isVisible(), 'a review is offered');
  },

  async 'match: colours alternate, reload, stop, continue'({ open }) {
    const engines = [1, 2].map((level) => ({ kind: 'wabe', level, program: '' }));
    const page = await open({ prepare: (one) => one.addInitScript((stored) => {
      localStorage.setItem('wabe-board', stored);
      // The pauses between moves and games are for people.
      const later = window.setTimeout;
      window.setTimeout = (run, ms = 0) => later(run, Math.min(ms, 150));
    }, JSON.stringify({ version: 3, moveMs: 20, games: 2, engines })) });
    await page.getByRole('radio', { name: 'Two engines' }).check({ force: true });
    same(await page.getByRole('combobox', { name: 'Games' }).inputValue(), '2', 'games');
    await begin(page, { side: 'Two engines' });
    const shows = (text) => page.locator('.match').getByText(text).waitFor({ timeout: 60_000 });
    const first = () => page.locator('.strip .name b').last().innerText();
    const opening = () => page.evaluate(() => [...document.querySelectorAll('.move-row .move[data-node]')].slice(0, 4).map((move) => move.textContent.trim()));
    await shows('game 1 of 2');
    await page.waitForSelector('.move-row .move[data-node]');
    same(await first(), 'wabe, level 1', 'the first player of game 1');
    const moves = await opening();
    await shows('game 2 of 2');
    await page.waitForSelector('.move-row .move[data-node]');
    await page.getByRole('button', { name: 'Stop the match' }).click();
    same(await first(), 'wabe, level 2', 'the first player of game 2');
    same(await opening(), moves, 'the opening of game 2');
    const before = await plies(page);
    await page.reload();
    await shows('game 2 of 2');
    await page.getByText('Paused').waitFor();
    await view(page, 'Library');
    await page.locator('.library-row', { hasText: '1/2' }).first().locator('.entry').click();
    await page.waitForSelector('.node-tools');
    await page.locator('.brand').click();
    await page.getByRole('button', { name: 'Back to the match' }).click();
    await shows('game 2 of 2');
    await movedOn(page, before);
    await shows('2 games played');
    const rows = await page.locator('.match tbody tr').evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].slice(0, 3).map((cell) => Number(cell.textContent))));
    same(rows.map((row) => row.reduce((sum, n) => sum + n)), [2, 2], 'games per player');
    same(rows[0], [...rows[1]].reverse(), 'wins and losses');
    same(await page.locator('.match-games button').count(), 2, 'links to games');
  },

  async 'Elo of a match has an error margin'({ open }) {
    const page = await open();
    const found = await page.evaluate(async () => {
      const { eloOf, tally } = await import('./match.js');
      const winners = [...Array(55).fill(0), ...Array(20).fill(null), ...Array(25).fill(1)];
      return [tally(winners, 1), eloOf(winners), eloOf([0, 0]), eloOf([])];
    });
    const { elo, error } = found[1];
    same(found[0], { wins: 25, draws: 20, losses: 55, score: 35 }, 'the second player');
    same([Math.round(elo), Math.round(error)], [108, 63], 'Elo for 65% of 100 games');
    same(found.slice(2), [null, null], 'one-sided matches');
  },

  async 'two programs play each other'({ open }) {
    const { child, address } = await serve(['board', '--no-open', '--port', '0', '--allow-programs']);
    try {
      const page = await open({ url: address });
      await page.getByRole('radio', { name: 'Two engines' }).check({ force: true });
      const sides = { Red: `${wabe} play --player greedy`, Blue: `wabe:'${wabe} play' nodes=1500` };
      for (const side of Object.keys(sides)) await page.getByRole('group', { name: side }).getByRole('radio', { name: 'another program' }).check({ force: true });
      check(await page.getByTestId('begin').isDisabled(), 'the start button is disabled without command lines');
      for (const [i, command] of Object.values(sides).entries()) await page.getByLabel('Command line').nth(i).fill(command);
      await begin(page);
      await movedOn(page, 3);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused').waitFor();
      same(await page.locator('.toast').count(), 0, 'toasts');
      await page.getByRole('button', { name: 'Continue' }).click();
      await movedOn(page, await plies(page));
    } finally {
      child.kill('SIGINT');
    }
  },

  async 'click elsewhere deselects the piece'({ open }) {
    const page = await open();
    await begin(page);
    await turn(page);
    await page.locator('button.reserve-tile[data-letter]').first().click();
    check((await targets(page)).length > 50, 'the piece has many targets');
    const box = await page.locator('.board').boundingBox();
    await page.mouse.click(box.x + 4, box.y + box.height - 4);
    same(await targets(page), [], 'targets');
  },

  async 'replaced running game can be resumed'({ open }) {
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
    same(await turn(page), 'move', 'turn');
    same(await plies(page), 1, 'plies');
  },
};

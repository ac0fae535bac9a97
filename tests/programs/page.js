// Runs the script of a page that `wabe replay --export html` made, without a browser: page.js PAGE HASH ACTION…
//
// An action is a key's name, `button:STEP` for a button of the bar, or `move:N` for the N-th entry of the list of moves. Prints
// the plies that are shown, the current move and the hash, a line at the start and one for each action.
const fs = require('fs');
const vm = require('vm');

const [file, hash, ...actions] = process.argv.slice(2);
const html = fs.readFileSync(file, 'utf8');

const element = (dataset, text) => {
  const classes = new Set();
  const attributes = new Map();
  return {
    dataset, text, classes, attributes,
    classList: { toggle: (name, on) => { if (on) classes.add(name); else classes.delete(name); } },
    setAttribute: (name, value) => { attributes.set(name, value); },
    removeAttribute: (name) => { attributes.delete(name); },
    scrollIntoView: () => {},
    onclick: null,
  };
};
const found = (pattern, make) => [...html.matchAll(pattern)].map(make);
const plies = found(/class="ply" data-ply="(\d+)"/g, ([, ply]) => element({ ply }));
const moves = found(/<li[^>]*><button>([^<]*)<\/button>/g, ([, text]) => element({}, text));
const buttons = found(/<button data-step="([^"]*)"/g, ([, step]) => element({ step }));
const selected = { '.ply': plies, 'ol button': moves, 'nav button': buttons };

const listeners = [];
const location = { hash, replace(to) { this.hash = to; } };
vm.runInNewContext(html.match(/<script>([\s\S]*)<\/script>/)[1], {
  document: { querySelectorAll: (selector) => selected[selector] },
  location,
  addEventListener: (type, listener) => { if (type === 'keydown') listeners.push(listener); },
});

const print = () => {
  const shown = plies.filter((ply) => ply.classes.has('shown')).map((ply) => ply.dataset.ply);
  const current = moves.filter((move) => move.attributes.has('aria-current')).map((move) => move.text);
  console.log(`${shown.join()} ${current.join()} ${location.hash}`);
};
print();
for (const action of actions) {
  const [kind, which] = action.split(':');
  if (kind === 'button') buttons.find((button) => button.dataset.step === which).onclick();
  else if (kind === 'move') moves[Number(which)].onclick();
  else listeners.forEach((listener) => listener({ key: action, preventDefault: () => {} }));
  print();
}

/* The figure computes with a tape of its own, so that it moves at once; Python starts only on a click. */
const $ = id => document.getElementById(id);
const START = { a: 1.2, b: 0.8 };
const LIMIT = 2.5; // of an input, either way
const inputs = { ...START };

/* ---------------------------------------------------------------- a tape: each node notes its inputs and the slopes */
function record({ a, b }) {
  const nodes = { a: { value: a, from: [] }, b: { value: b, from: [] } };
  nodes.p = { value: a * b, from: [['a', b], ['b', a]] };
  nodes.s = { value: Math.sin(nodes.p.value), from: [['p', Math.cos(nodes.p.value)]] };
  nodes.y = { value: nodes.s.value + a, from: [['s', 1], ['a', 1]] };
  const order = Object.keys(nodes);
  order.forEach(name => (nodes[name].gradient = name === 'y' ? 1 : 0));
  const pulls = {};
  for (const name of order.reverse()) {
    for (const [input, slope] of nodes[name].from) {
      pulls[`${input}${name}`] = nodes[name].gradient * slope;
      nodes[input].gradient += pulls[`${input}${name}`];
    }
  }
  return { nodes, pulls };
}

/* ---------------------------------------------------------------- the drawing, made once and changed in place */
const number = (x, digits = 2) => (Math.abs(x) < 0.5 * 10 ** -digits ? '0' : x.toFixed(digits).replace('-', '−'));
const svg = (name, attributes = {}, ...inside) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  element.append(...inside);
  return element;
};
const PLACES = { a: [70, 66], b: [70, 232], p: [245, 190], s: [410, 190], y: [570, 100] };
const FORMULAS = { p: ' = a · b', s: ' = sin p', y: ' = s + a' }; // beside the name, where there is room
const EDGES = {
  ay: { path: 'M104 58C250 10 420 20 543 84', label: [330, 54] }, ap: { path: 'M98 86L219 169', label: [196, 116] }, bp: { path: 'M103 226L212 198', label: [150, 190] },
  ps: { path: 'M280 190L375 190', label: [328, 174] }, sy: { path: 'M438 171L542 121', label: [468, 130] }
};
const drawn = { nodes: {}, pulls: {} };

function make() {
  const picture = $('tape');
  const head = svg('marker', { id: 'forward', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' }, svg('path', { d: 'M0 0L8 4L0 8z', class: 'head' }));
  picture.append(svg('defs', {}, head));
  for (const [name, { path, label }] of Object.entries(EDGES)) {
    const pull = svg('path', { d: path, class: 'pull' });
    const text = svg('text', { x: label[0], y: label[1], class: 'gradient' });
    picture.append(svg('path', { d: path, class: 'edge', transform: 'translate(0 -8)', 'marker-end': 'url(#forward)' }), pull, text);
    drawn.pulls[name] = { pull, text };
  }
  for (const [name, [x, y]] of Object.entries(PLACES)) {
    const value = svg('text', { x, y: y + 13, class: 'value' });
    const gradient = svg('text', { x, y: y + 53, class: 'gradient' });
    const parts = [svg('circle', { cx: x, cy: y, r: 35 }), svg('text', { x, y: y - 6, class: 'quiet' }), value, gradient];
    parts[1].append(name, svg('tspan', { class: 'formula' }, FORMULAS[name] ?? ''));
    const group = svg('g', { class: name in inputs ? 'node input' : 'node' }, ...parts);
    picture.append(group);
    drawn.nodes[name] = { group, value, gradient };
    if (name in inputs) {
      makeSlider(group, name);
    }
  }
}

function draw() {
  const { nodes, pulls } = record(inputs);
  for (const [name, { pull, text }] of Object.entries(drawn.pulls)) {
    const size = Math.abs(pulls[name]);
    pull.setAttribute('stroke-width', (1 + 3 * Math.min(2, size)).toFixed(2));
    pull.style.visibility = size < 0.005 ? 'hidden' : 'visible';
    text.textContent = number(pulls[name]);
  }
  for (const [name, { group, value, gradient }] of Object.entries(drawn.nodes)) {
    value.textContent = number(nodes[name].value);
    gradient.textContent = `∂y/∂${name} ${number(nodes[name].gradient)}`;
    if (name in inputs) {
      group.setAttribute('aria-valuenow', inputs[name].toFixed(2));
      group.setAttribute('aria-valuetext', `${name} is ${number(inputs[name])}, the gradient of y with respect to it ${number(nodes[name].gradient)}`);
    }
  }
  $('say').textContent = `Two paths lead back to a: ${number(pulls.ap)} through the product and ${number(pulls.ay)} directly. They add up to ${number(nodes.a.gradient)}: if a grows by 0.01, y changes by about ${number(0.01 * nodes.a.gradient, 4)}.`;
  if (!touchedCode) {
    $('code').value = program();
  }
}

/* ---------------------------------------------------------------- moving it: by itself until it is touched */
let moving = !matchMedia('(prefers-reduced-motion: reduce)').matches;
let began = null;
let touchedCode = false;

function setMoving(on) {
  moving = on;
  began = null;
  $('tape').classList.toggle('still', !on);
  $('pause').textContent = on ? 'Pause' : 'Play';
  if (on) {
    requestAnimationFrame(step);
  }
}

const hundredths = value => Math.round(100 * value) / 100;

/* A small drawing needs no more, and leaves the processor to the reader. */
const EVERY = 50; // ms between two pictures
let drawnAt = 0;
let inSight = true;

function step(now) {
  if (!moving || !inSight) {
    return;
  }
  requestAnimationFrame(step);
  if (now - drawnAt < EVERY) {
    return;
  }
  drawnAt = now;
  began ??= now;
  const t = (now - began) / 1000;
  inputs.a = hundredths(START.a + 0.9 * Math.sin(t)); // as the code beside the figure writes them
  inputs.b = hundredths(START.b + 0.7 * Math.sin(0.7 * t));
  draw();
}

new IntersectionObserver(([{ isIntersecting }]) => {
  const returns = isIntersecting && !inSight;
  inSight = isIntersecting;
  $('tape').classList.toggle('still', !moving || !inSight);
  if (returns) {
    requestAnimationFrame(step);
  }
}).observe($('tape'));

function set(name, value) {
  if (moving) {
    setMoving(false);
  }
  inputs[name] = Math.max(-LIMIT, Math.min(LIMIT, hundredths(value)));
  draw();
}

function makeSlider(group, name) {
  Object.entries({ role: 'slider', tabindex: 0, 'aria-label': `Input ${name}`, 'aria-orientation': 'vertical', 'aria-valuemin': -LIMIT, 'aria-valuemax': LIMIT }).forEach(([key, value]) => group.setAttribute(key, value));
  let from = null;
  group.addEventListener('pointerdown', event => {
    group.setPointerCapture(event.pointerId);
    from = { y: event.clientY, value: inputs[name] };
    group.focus({ preventScroll: true });
    event.preventDefault();
  });
  group.addEventListener('pointermove', event => from && set(name, from.value + (from.y - event.clientY) / 60));
  ['pointerup', 'pointercancel'].forEach(end => group.addEventListener(end, () => (from = null)));
  group.addEventListener('keydown', event => {
    const by = { ArrowUp: 0.1, ArrowRight: 0.1, ArrowDown: -0.1, ArrowLeft: -0.1, PageUp: 0.5, PageDown: -0.5, Home: -2 * LIMIT, End: 2 * LIMIT }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      set(name, inputs[name] + by);
    }
  });
}

/* ---------------------------------------------------------------- Python, after a click */
const program = () => `import autodiff_kit as ak

a, b = ak.Variable(${inputs.a.toFixed(2)}), ak.Variable(${inputs.b.toFixed(2)})
with ak.GradientTape() as tape:
    y = ak.sin(a * b) + a
da, db = tape.gradient(y, [a, b])
print(f"y = {y.numpy():.4f}, dy/da = {da.numpy():.4f}, dy/db = {db.numpy():.4f}")`;

const { engine, files } = document.body.dataset;
const total = Number(document.body.dataset.bytes);
const KNOWN = 'autodiff_kit:python'; // which engine this browser has loaded before; a browser may refuse to say
const known = () => { try { return localStorage.getItem(KNOWN) === engine; } catch { return false; } };
const remember = () => { try { localStorage.setItem(KNOWN, engine); } catch { /* the next visit counts again */ } };
const STAGES = { download: 'Downloading Python', start: 'Starting Python', import: 'Importing the kit', run: 'Running' };
const REACHED = { download: 0, start: 0.7, import: 0.85, run: 0.95 }; // of the bar, which never stands at its end
let worker = null;
let ranAt = 0;

function show({ stage, bytes = 0, output, error, seconds }) {
  const done = output !== undefined || error !== undefined;
  const downloading = stage === 'download' && bytes > 0;
  $('run').disabled = !done;
  $('stop').hidden = done;
  $('bar').hidden = done;
  $('bar').value = downloading ? REACHED.start * Math.min(1, bytes / total) : (REACHED[stage] ?? 1);
  $('stage').textContent = done ? `${error === undefined ? 'Done' : 'An error'}, ${seconds.toFixed(1)} s` : downloading ? `${STAGES[stage]}: ${(bytes / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB` : `${STAGES[stage]} …`;
  if (done) {
    $('output').hidden = false;
    $('output').textContent = (output ?? error) || 'It ran, and printed nothing: print(x) shows x.';
    $('output').scrollIntoView({ block: 'nearest' });
    $('run').textContent = 'Run again';
  }
}

function receive(message, seconds) {
  if (message.loaded) {
    remember();
    dispatchEvent(new CustomEvent('autodiff-kit:loaded', { detail: message.loaded })); // for offline.js
  } else {
    show({ ...message, seconds });
  }
}

/* Python in a page cannot be interrupted, but ended: the next click starts it again. */
function stop() {
  worker.terminate();
  worker = null;
  show({ error: 'Stopped. Run again starts Python anew.', seconds: (performance.now() - ranAt) / 1000 });
}

function run() {
  ranAt = performance.now();
  const seconds = () => (performance.now() - ranAt) / 1000;
  show({ stage: worker ? 'run' : 'download' });
  if (!worker) {
    worker = new Worker('python.js', { type: 'module' });
    worker.postMessage({ engine: new URL(engine, location.href).href, files: files.split(' '), known: known() });
    worker.onerror = event => {
      worker = null; // the next click tries again
      show({ error: `Python could not be loaded. ${event.message ?? ''} Check the connection and run again.`, seconds: seconds() });
    };
  }
  worker.onmessage = event => receive(event.data, seconds());
  worker.postMessage({ code: $('code').value });
}

make();
draw();
setMoving(moving);
$('pause').addEventListener('click', () => setMoving(!moving));
$('reset').addEventListener('click', () => { setMoving(false); Object.assign(inputs, START); touchedCode = false; draw(); });
$('code').addEventListener('input', () => (touchedCode = true));
$('code').addEventListener('focus', () => setMoving(false));
$('stop').addEventListener('click', stop);
$('run').addEventListener('click', () => { setMoving(false); run(); });

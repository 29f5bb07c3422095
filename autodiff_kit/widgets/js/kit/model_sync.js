const SPELLED = { nan: NaN, inf: Infinity, "-inf": -Infinity };

/** JSON has no nan and no inf: they travel as strings, and None travels as null. Lists and objects are gone through. */
export function decode(wire) {
  if (Array.isArray(wire)) return wire.map(decode);
  if (wire && typeof wire === "object")
    return Object.fromEntries(Object.entries(wire).map(([key, value]) => [key, decode(value)]));
  return Object.hasOwn(SPELLED, wire) ? SPELLED[wire] : wire;
}

/** Run `draw` once after any change of the named traits, however many came together; returns a function that stops. */
export function listen(model, names, draw) {
  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    queueMicrotask(() => {
      waiting = false;
      draw();
    });
  };
  for (const name of names) model.on(`change:${name}`, soon);
  return () => names.forEach((name) => model.off(`change:${name}`, soon));
}

/** All declared traits of a widget by name, outputs decoded. */
export function readTraits(model) {
  const { input, view, output } = model.get("trait_roles");
  const plain = [...input, ...view].map((name) => [name, model.get(name)]);
  return Object.fromEntries([...plain, ...output.map((name) => [name, decode(model.get(name))])]);
}

/**
 * Draw a widget now and after every change of its traits: `draw(state)` gets them by name. Returns the function that
 * anywidget calls at the end; it destroys those of `parts` that have something to stop.
 */
export function mount(model, parts, draw) {
  const again = () => draw(readTraits(model));
  const stop = listen(model, [...Object.values(model.get("trait_roles")).flat(), "answered"], again);
  again();
  return () => {
    stop();
    for (const part of parts) part.destroy?.();
  };
}

/** Set view state: it is kept in the kernel and drawn at once, and nothing is computed. */
export function setView(model, changes) {
  for (const [name, value] of Object.entries(changes)) model.set(name, value);
  model.save_changes();
}

const PATIENCE = 8000; // ms after which a silent kernel is asked again all the same
const waiting = new WeakMap(); // model -> when its unanswered question was sent
const owed = new WeakMap(); // model -> what changed since then: {name: value}

/**
 * Send inputs and one question number; the kernel answers with its outputs and the same number in `answered`.
 * At most one question is under way: what changes meanwhile is kept on the model, and the newest state of it is sent
 * with the answer. So a drag never queues up, however slow the kernel.
 */
export function ask(model, changes) {
  for (const [name, value] of Object.entries(changes)) model.set(name, value);
  const since = waiting.get(model);
  if (since !== undefined && Date.now() - since < PATIENCE) {
    keep(model, { ...changes, asked: (model.get("answered") ?? 0) + 2 }); // the frame must not call old numbers new
    return;
  }
  send(model);
}

/**
 * Jupyter echoes what was sent. An echo that comes late would put an older value in the place of one that was
 * set meanwhile: a key or the end of a drag would be lost. What is owed is therefore put back at once.
 */
function keep(model, changes) {
  const held = owed.get(model) ?? {};
  owed.set(model, held);
  for (const [name, value] of Object.entries(changes)) {
    if (!(name in held))
      model.on(`change:${name}`, function again() {
        if (owed.get(model) !== held) model.off(`change:${name}`, again);
        else if (model.get(name) !== held[name]) model.set(name, held[name]);
      });
    held[name] = value;
    model.set(name, value);
  }
}

function send(model) {
  waiting.set(model, Date.now());
  owed.delete(model);
  const number = (model.get("answered") ?? 0) + 1;
  model.set("asked", number);
  const answered = () => {
    if (model.get("answered") < number) return;
    model.off("change:answered", answered);
    waiting.delete(model);
    if (owed.has(model)) send(model);
  };
  model.on("change:answered", answered);
  model.save_changes();
}

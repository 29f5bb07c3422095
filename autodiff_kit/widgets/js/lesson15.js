import { h, put } from "./kit/core.js";
import { fmt, chip } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Stepper } from "./kit/stepper.js";
import { Lanes } from "./kit/lanes.js";
import { SplitBar } from "./kit/split_bar.js";

const INPUTS = ["optimizer", "grads", "at", "start", "scale", "actions", "lazy", "preset"];
const OUTPUTS = ["slots", "names"];
const OPTIMIZERS = [
  ["sgd", "SGD"],
  ["momentum", "momentum"],
  ["rmsprop", "RMSProp"],
  ["adam", "Adam"],
  ["adamw", "AdamW"],
].map(([value, label]) => ({ value, label }));
const BRUSHES = [
  { value: "value", label: "1 value" },
  { value: "zero", label: "0 zero" },
  { value: "none", label: "N None" },
];
const ACTS = [
  ["zero", "Zero"],
  ["save", "Save"],
  ["restore", "Restore"],
  ["freeze", "Freeze"],
  ["thaw", "Thaw"],
];

/** Lesson 15: paint gradients in three states and watch a parameter move after its gradient is gone. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "One gradient, then nothing. Who is still moving?",
    lead: "Paint each strip: a value, a zero, or None. Dotted is ghost motion: the weight moves although its gradient at that step is zero.",
  });
  const names = get("names");
  const change = (changes) => ask(model, { preset: "", ...changes }); // what was changed is no preset any more
  const presets = h(
    "div",
    { class: "ak-row", role: "group", "aria-label": "Starting points", style: "gap:6px;margin-bottom:14px" },
    h("span", { class: "ak-label", text: "Start from" }),
    get("presets").map((name) =>
      h("button", { type: "button", "data-preset": name, text: name, onclick: () => ask(model, { preset: name }) }),
    ),
  );
  let brush = "zero";
  const painted = () => ({ value: 1, zero: 0, none: null })[brush];
  const paint = (which, from, to, value) =>
    change({
      grads: get("grads").map((list, k) =>
        k === which ? list.map((g, i) => (i >= from && i <= to ? value : g)) : list,
      ),
    });

  const optimizer = Segmented({
    label: "Optimizer",
    options: OPTIMIZERS,
    value: get("optimizer"),
    onChange: (value) => change({ optimizer: value }),
  });
  const brushes = Segmented({
    label: "Brush",
    options: BRUSHES,
    value: brush,
    onChange: (value) => {
      brush = value;
    },
  });
  const start = Segmented({
    label: "w starts at",
    options: [0, 1].map((value) => ({ value, label: String(value) })),
    value: get("start"),
    onChange: (value) => change({ start: value }),
  });
  const scale = Segmented({
    label: "loss times",
    options: [1, 1000].map((value) => ({ value, label: String(value) })),
    value: get("scale"),
    onChange: (value) => change({ scale: value }),
  });
  const stepper = Stepper({
    label: "Cursor: step",
    first: 1,
    count: get("grads")[0].length - 1,
    at: get("at"),
    pace: 60,
    onStep: (at) => move(at),
  });
  const lanes = Lanes({
    params: names,
    brush: painted,
    unit: () => 1,
    onPaint: paint,
    onCursor: (at) => {
      stepper.halt();
      move(at);
    },
  });
  const split = SplitBar({ label: "Motion in all" });
  const slots = h("table", { class: "ak-table" });
  const queue = h("div", { class: "ak-row", style: "gap:4px;margin-top:8px" });

  frame.stage.append(
    presets,
    h("div", { class: "ak-row", style: "margin-bottom:16px" }, optimizer.el, brushes.el, start.el, scale.el),
    lanes.el,
    stepper.el,
    h(
      "p",
      { class: "ak-note" },
      "On a strip: arrows move, ",
      h("b", { text: "1 0 N" }),
      " paint a value, a zero, None; Shift with a move, such as Shift+End, paints on.",
    ),
    h("hr", { class: "ak-rule" }),
    h(
      "div",
      { class: "ak-split ak-even" },
      h("div", {}, h("h4", { class: "ak-h", text: "Motion in all" }), split.el),
      h(
        "div",
        {},
        h("h4", { class: "ak-h", text: "Slots at the cursor" }),
        h("div", { class: "ak-scroll" }, slots),
        h("p", {
          class: "ak-note",
          text: "A button acts before this step; what it did is listed here and can be taken back.",
        }),
        queue,
      ),
    ),
  );

  function move(at) {
    model.set("at", at);
    model.save_changes();
    draw();
  }

  /** Spans of steps that a freeze covers, for the grey hatch. */
  function heldSpans(which, steps) {
    const spans = [];
    for (const { act, step } of get("actions")
      .filter((a) => a.which === which)
      .sort((a, b) => a.step - b.step)) {
      if (act === "freeze") spans.push([step, steps]);
      if (act === "thaw" && spans.length) spans.at(-1)[1] = step;
    }
    return spans;
  }

  function draw() {
    const [grads, at] = [get("grads"), get("at")];
    const state = get("slots");
    names.splice(0, names.length, ...get("names"));
    presets
      .querySelectorAll("button")
      .forEach((button) => put(button, { "aria-pressed": button.dataset.preset === get("preset") }));
    optimizer.update(get("optimizer"));
    start.update(get("start"));
    scale.update(get("scale"));
    stepper.update({ count: grads[0].length - 1, at });
    lanes.update({
      at,
      held: names.map((_, which) => heldSpans(which, grads[0].length)),
      params: names.map((name, which) => ({ name, grads: grads[which], ...state[which] })),
    });
    split.update(
      names.map((name, which) => ({
        name,
        parts: [
          { amount: state[which].real, kind: "real" },
          { amount: state[which].ghost, kind: "ghost" },
        ],
      })),
    );
    drawSlots(state, at);
    drawQueue();
    frame.say(
      `${OPTIMIZERS.find((o) => o.value === get("optimizer")).label}, after ${grads[0].length} steps: ${names.map((name, which) => `${name} is at ${fmt(state[which].w.at(-1), 6)}, of which ghost ${fmt(state[which].ghost, 6)}`).join("; ")}.`,
    );
    frame.tell({
      caption: "The weight over time",
      digits: 6,
      columns: ["step", ...names.flatMap((name) => [`gradient of ${name}`, name])],
      rows: [0, 1, 2, 5, 10, 25, 50, 75, 99].map((i) => [
        String(i + 1),
        ...names.flatMap((_, which) => [grads[which][i] === null ? null : grads[which][i], state[which].w[i + 1]]),
      ]),
    });
  }

  function drawSlots(state, at) {
    const held = slots.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const value = (slot, key) => (slot[key] ? slot[key][at + 1] : null);
    const buttons = (which) =>
      h(
        "td",
        { class: "ak-left" },
        h(
          "span",
          { class: "ak-tools" },
          ACTS.map(([act, label]) =>
            h("button", {
              type: "button",
              "data-key": `${which}${act}`,
              text: label,
              "aria-label": `${label} the slots of ${names[which]} at step ${at + 1}`,
              onclick: () =>
                change({
                  actions: [
                    ...get("actions").filter((a) => !(a.which === which && a.step === at && a.act === act)),
                    { which, step: at, act },
                  ],
                }),
            }),
          ),
        ),
      );
    slots.replaceChildren(
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["", "m", "v", "t", "last move"].map((text) => h("th", { scope: "col", text })),
        ),
      ),
      h(
        "tbody",
        {},
        state.flatMap((slot, which) => [
          h(
            "tr",
            {},
            h("th", { scope: "row", text: names[which] }),
            ...["m", "v", "t"].map((key) => h("td", {}, chip(value(slot, key), key === "t" ? 0 : 5))),
            h("td", {}, chip(slot.w[at + 1] - slot.w[at], 6)),
          ),
          h(
            "tr",
            { class: "ak-noprint" },
            h("td", { colspan: 5, class: "ak-left", style: "padding-bottom:8px" }, buttons(which).firstChild),
          ),
        ]),
      ),
    );
    if (held) slots.querySelector(`[data-key="${held}"]`)?.focus();
  }

  function drawQueue() {
    const actions = get("actions");
    queue.replaceChildren(
      ...actions.map((action, i) =>
        h("button", {
          type: "button",
          text: `${action.act} ${names[action.which]} at step ${action.step + 1} ✕`,
          "aria-label": `Take back: ${action.act} ${names[action.which]} at step ${action.step + 1}`,
          onclick: () => change({ actions: actions.filter((_, k) => k !== i) }),
        }),
      ),
    );
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, stepper, lanes, split].forEach((part) => part.destroy());
  };
}

export default { render };

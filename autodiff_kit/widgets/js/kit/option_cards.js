import { h, put } from "./dom.js";
import { chip } from "./numbers.js";

/**
 * A board of things side by side, of which one is looked at: each with a letter, a title, and what it gives now.
 * A radio group with one tab stop; arrows move and choose, Home and End jump. update(at, values): lists of numbers or None.
 */
export function OptionCards({ label, names, onChange }) {
  const results = names.map(() => h("span", { class: "ak-tools" }));
  const buttons = names.map(([letter, title], k) =>
    h(
      "button",
      { type: "button", role: "radio", onclick: () => onChange(k) },
      h("b", { text: letter }),
      h("span", { text: title }),
      results[k],
    ),
  );
  let now = 0;
  const el = h("div", { class: "ak-board", role: "radiogroup", "aria-label": label, onkeydown }, buttons);
  function onkeydown(event) {
    const to = { ArrowRight: now + 1, ArrowDown: now + 1, ArrowLeft: now - 1, ArrowUp: now - 1, Home: 0, End: -1 }[
      event.key
    ];
    if (to === undefined) return;
    event.preventDefault();
    const next = (to + buttons.length) % buttons.length;
    onChange(next);
    buttons[next].focus();
  }
  function update(at, values) {
    now = at;
    buttons.forEach((button, k) => put(button, { "aria-checked": k === at, tabindex: k === at ? 0 : -1 }));
    results.forEach((result, k) =>
      result.replaceChildren(...values[k].map((value) => chip(value, Number.isInteger(value) ? 0 : 4, "rev"))),
    );
  }
  return { el, update };
}

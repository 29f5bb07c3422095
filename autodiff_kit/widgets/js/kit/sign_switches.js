import { h, put } from "./dom.js";

const MANY = 6; // entries up to which there is room for +1 and −1

/**
 * A vector of signs, an entry a switch: one tab stop, arrows move, Home and End jump, Space or Enter turns an entry round.
 * update(signs) with numbers of which only the sign counts; onChange hears the new list.
 */
export function SignSwitches({ label, name, onChange }) {
  const row = h("div", { class: "ak-segments", role: "group", "aria-label": label, onkeydown });
  const el = h("div", {}, h("span", { class: "ak-label", text: label }), row);
  let signs = [];
  let at = 0;

  function flip(k) {
    at = k;
    onChange(signs.map((one, i) => (i === k ? -one : one)));
  }
  function onkeydown(event) {
    const last = signs.length - 1;
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    at = (to + signs.length) % signs.length;
    draw();
    row.children[at].focus();
  }
  function draw() {
    while (row.children.length > signs.length) row.lastChild.remove();
    while (row.children.length < signs.length) {
      const k = row.children.length;
      row.append(h("button", { type: "button", role: "switch", onclick: () => flip(k) }));
    }
    at = Math.min(at, Math.max(0, signs.length - 1));
    [...row.children].forEach((button, k) =>
      put(button, {
        text: (signs[k] > 0 ? "+" : "−") + (signs.length > MANY ? "" : "1"),
        style: `padding:0;min-width:${signs.length > MANY ? 25 : 34}px`,
        tabindex: k === at ? 0 : -1,
        "aria-checked": signs[k] > 0,
        "aria-label": `${name} ${k}: ${signs[k] > 0 ? "plus 1" : "minus 1"}`,
      }),
    );
  }
  return {
    el,
    update(next) {
      signs = next.map((one) => (one < 0 ? -1 : 1));
      draw();
    },
  };
}

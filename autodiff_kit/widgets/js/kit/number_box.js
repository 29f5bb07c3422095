import { h } from "./dom.js";

/** A box for a number. What a reader is typing stays until Enter, or until the box is left, whatever arrives meanwhile. */
export function NumberBox({ label, step, style, onSend }) {
  let typing = false;
  const el = h("input", {
    type: "number",
    step,
    style,
    "aria-label": label,
    oninput: () => {
      typing = true;
    },
    onchange: () => {
      typing = false;
      onSend(Number(el.value) || 0);
    },
    onblur: () => {
      typing = false;
    },
  });
  function update(text) {
    if (!typing) el.value = text;
  }
  return { el, update };
}

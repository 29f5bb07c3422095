import { h } from "./dom.js";

/**
 * A box for a number. What a reader is typing stays until Enter, or until the box is left, whatever arrives meanwhile; a
 * box that is left empty, or with what is no number, shows its number again.
 */
export function NumberBox({ label, step, style, onSend }) {
  let typing = false;
  let last = "";
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
      if (el.value === "") el.value = last;
      else onSend(Number(el.value));
    },
    onblur: () => {
      if (typing) el.value = last; // nothing was sent
      typing = false;
    },
  });
  function update(text) {
    last = text;
    if (!typing) el.value = text;
  }
  return { el, update };
}

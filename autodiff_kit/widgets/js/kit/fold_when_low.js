import { h, put, isLow, onLow } from "./dom.js";

/**
 * Controls that stand among others, and behind a line that unfolds them where the window is low. `el` goes where that
 * line is to stand; `take` is called once the controls are in their places.
 */
export function FoldWhenLow({ words, controls }) {
  const inside = h("div", { class: "ak-row" });
  const el = h("details", { class: "ak-fold" }, h("summary", { text: words }), inside);
  const homes = controls.map(() => document.createComment(""));
  let stop = null;

  function place() {
    const low = isLow();
    put(el, { hidden: !low });
    if (low) inside.append(...controls);
    else homes.forEach((home, i) => home.after(controls[i]));
  }
  return {
    el,
    take() {
      controls.forEach((control, i) => control.before(homes[i]));
      place();
      stop = onLow(place);
    },
    destroy: () => stop?.(),
  };
}

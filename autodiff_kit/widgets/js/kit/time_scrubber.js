import { h, put, clamp } from "./dom.js";
import { stepIcon } from "./stepper.js";

const HALF_THUMB = 8; // px
const CALM = 250; // ms a step at least, where motion is to be reduced

/**
 * A scrubber under a picture whose horizontal axis is time: its thumb stands below the cursor of the picture. Play is at
 * the left of it; a step back and on are at the right, where the window is narrow below.
 * update({count, at, from, to}): steps run from 0 to `count`, shown to the reader from `first` on; `from` and `to` are the
 * places in px of the first and the last step. Space plays, arrows step, Home and End jump.
 */
export function TimeScrubber({ label, first = 0, pace = 60, onStep }) {
  let state = { count: 1, at: 0, from: 0, to: 0 };
  let timer = null;
  const button = (name, words, act) =>
    h("button", { type: "button", "aria-label": words, onclick: act }, stepIcon(name));
  const stepBy = (by) => () => {
    halt();
    go(state.at + by);
  };
  const play = button("play", "Play", toggle);
  const back = button("prev", "Step back", stepBy(-1));
  const on = button("next", "Step", stepBy(1));
  const where = h("output", {});
  const range = h("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": label,
    oninput: () => {
      halt();
      go(Number(range.value));
    },
    onkeydown: (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      toggle();
    },
  });
  const el = h(
    "div",
    { class: "ak-scrub", role: "group", "aria-label": label },
    h("span", { class: "ak-icons ak-play" }, play),
    range,
    h("span", { class: "ak-steps" }, h("span", { class: "ak-icons" }, back, on), where),
  );

  function update(next) {
    state = { ...state, ...next };
    const { count, at, from, to } = state;
    put(range, { max: count, "aria-valuetext": `step ${at + first} of ${count + first}` });
    range.value = at;
    range.style.left = `${from - HALF_THUMB}px`;
    range.style.width = `${to - from + 2 * HALF_THUMB}px`;
    range.style.setProperty("--ak-fill", `${count ? (100 * at) / count : 0}%`);
    put(where, { text: `${at + first} of ${count + first}` });
    const focused = [back, on].find((one) => one.matches(":focus"));
    back.disabled = at === 0;
    on.disabled = at === count;
    if (focused?.disabled) range.focus(); // or the next key would be the notebook's
  }
  function go(to) {
    update({ at: clamp(to, 0, state.count) });
    onStep(state.at);
  }
  function show(name, words) {
    put(play, { "aria-label": words }).replaceChildren(stepIcon(name));
  }
  function halt() {
    clearInterval(timer);
    timer = null;
    show("play", "Play");
  }
  function toggle() {
    if (timer) return halt();
    if (state.at === state.count) go(0);
    show("pause", "Pause");
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    timer = setInterval(
      () => {
        go(state.at + 1);
        if (state.at === state.count) halt();
      },
      calm ? Math.max(pace, CALM) : pace,
    );
  }
  return { el, update, halt, destroy: halt };
}

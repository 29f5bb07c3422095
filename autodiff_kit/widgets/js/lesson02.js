import { h, put, uid } from "./kit/dom.js";
import { brief } from "./kit/numbers.js";
import { ask, mount, setView } from "./kit/model_sync.js";
import { withEntry } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { OptionCards } from "./kit/option_cards.js";
import { ProgramListing, breakableCode } from "./kit/program_listing.js";

const LETTERS = ["A", "B", "C", "D", "E"];
const [NOT_YET, NO_LINE] = [-1, 0];

const shown = (gradient) => (Array.isArray(gradient) ? `[${gradient.map(shown).join(", ")}]` : brief(gradient));
const lineName = (line) => (line === NO_LINE ? "no line" : `line ${line}`);

/** Lesson 02: five programs whose gradient is None; point at the line that breaks the path, and replace it. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "Where does the path break?",
    lead: "Five programs whose gradient is None, or has a None in it. Choose one and point at the line that breaks the path. Then put another line in its place.",
  });
  const focus = { next: "" }; // where the focus goes after a button has switched itself off
  const parts = makeParts(model, focus);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (traits) => {
    const { at, paths, said, mends } = traits;
    const state = { ...traits, path: paths[at], guess: said[at], mend: mends[at], judged: said[at] !== NOT_YET };
    parts.board.update(at, paths.map((one) => [one.gradient].flat()));
    drawListing(parts, state);
    drawReason(parts.why, state);
    parts.mends.update(state);
    moveFocus(parts, focus, state.judged);
    frame.say(`${LETTERS[at]}: ${sentence(state)}`);
    frame.tell(tableOf(state));
  });
}

function makeParts(model, focus) {
  const changed = (name, value) => ({ [name]: withEntry(model.get(name), model.get("at"), value) });
  const point = (line) => {
    focus.next = "mends";
    ask(model, changed("said", line));
  };
  const restart = () => {
    ask(model, { ...changed("said", NOT_YET), ...changed("mends", 0) });
    focus.next = "lines";
  };
  return {
    board: OptionCards({
      label: "Programs",
      names: model.get("paths").map((path, k) => [LETTERS[k], path.title]),
      onChange: (at) => setView(model, { at }),
    }),
    listing: ProgramListing({ label: "The program; point at the line that breaks the path", onPoint: point }),
    none: h("button", { type: "button", text: "No line is to blame", onclick: () => point(NO_LINE) }),
    again: h("button", { type: "button", class: "ak-quiet", text: "Begin again", onclick: restart }),
    why: h("div", { class: "ak-rulebox" }),
    mends: Replacements({ onChoose: (k) => ask(model, changed("mends", k)) }),
  };
}

const layout = ({ board, listing, none, again, why, mends }) => [
  board.el,
  h(
    "div",
    { class: "ak-split ak-wide-side" },
    listing.el,
    h("div", { style: "min-width:0" }, h("div", { class: "ak-row ak-noprint", style: "gap:8px" }, none, again), why, mends.el),
  ),
];

/** The lines that may stand in place of the one that breaks the path, as a radio group. */
function Replacements({ onChoose }) {
  const group = uid("mend");
  const el = h("fieldset", { class: "ak-mends" });
  const option = ({ line, text }, k, chosen) => {
    const radio = h("input", { type: "radio", name: group, value: k, onchange: () => onChoose(k) });
    return h(
      "label",
      { class: "ak-choice" },
      put(radio, { checked: chosen }),
      k ? h("span", {}, h("span", { class: "ak-tag", text: `line ${line} ` }), breakableCode(text)) : h("span", { text }),
    );
  };
  function update({ path, mend, judged }) {
    const focused = el.contains(document.activeElement);
    put(el, { hidden: !judged });
    el.replaceChildren(
      h("legend", { class: "ak-label", text: "Put another line there" }),
      ...path.mends.map((one, k) => option(one, k, k === mend)),
    );
    if (focused) el.querySelector("input:checked")?.focus();
  }
  return { el, update };
}

function drawListing({ listing, none, again }, { path, guess, mend, judged }) {
  const marks = {};
  const mark = (line, text) => (marks[line] ??= []).push(text);
  if (judged && guess !== NO_LINE) mark(guess, "◇ you");
  if (judged && path.line) mark(path.line, "◆ kernel");
  listing.update({ lines: path.lines, marks, told: judged, fresh: mend ? path.mends[mend].line : 0 });
  put(none, { disabled: judged, "aria-pressed": judged ? guess === NO_LINE : null });
  put(again, { hidden: !judged });
}

function drawReason(box, { path, judged }) {
  put(box, { hidden: !judged });
  if (!judged) return;
  const text = ` ${path.because}${path.fix ? ` ${path.fix}` : ""}`;
  box.replaceChildren(h("p", {}, h("b", { text: path.headline }), text));
}

/** Once the kernel has answered, move the focus to the first control that is still on. */
function moveFocus({ mends, listing }, focus, judged) {
  const target = {
    mends: () => mends.el.querySelector("input:checked"),
    lines: () => listing.el.querySelector("button:enabled"),
  }[focus.next]?.();
  if (!target || judged !== (focus.next === "mends")) return;
  target.focus({ preventScroll: true });
  focus.next = "";
}

/** What the picture says of one program. */
function sentence({ path, guess, mend }) {
  const gradient = `the gradient is ${shown(path.gradient)}`;
  if (guess === NOT_YET) return `${gradient}. Which line breaks the path?`;
  if (mend) return `with “${path.mends[mend].text}”, ${gradient}. ${path.headline}`;
  return `${gradient}. ${path.headline} The kernel found ${lineName(path.line)}, you said ${lineName(guess)}.`;
}

const tableOf = ({ paths, said, mends }) => ({
  caption: "Five programs, as they stand",
  columns: ["program", "gradient", "why", "line", "in place of the line"],
  rows: paths.map((one, k) => [
    `${LETTERS[k]} · ${one.title}`,
    shown(one.gradient),
    ...(said[k] === NOT_YET ? ["?", "?"] : [one.headline, one.line ? String(one.line) : "–"]),
    mends[k] ? one.mends[mends[k]].text : "–",
  ]),
});

export default { render };

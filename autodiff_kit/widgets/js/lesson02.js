import { h, put, uid } from "./kit/core.js";
import { brief } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Board } from "./kit/board.js";
import { Listing } from "./kit/listing.js";

const INPUTS = ["at", "said", "mends"];
const OUTPUTS = ["paths"];
const LETTERS = ["A", "B", "C", "D", "E"];
const [NOT_YET, NO_LINE] = [-1, 0];

const shown = (gradient) => (Array.isArray(gradient) ? `[${gradient.map(shown).join(", ")}]` : brief(gradient));
const place = (line) => (line === NO_LINE ? "no line" : `line ${line}`);

/** Lesson 02: five programs whose gradient is None; point at the line that breaks the path, and put another there. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "Where does the path break?",
    lead: "Five programs whose gradient is None, or has a None in it. Choose one and point at the line that breaks the path. Then put another line in its place, and see what comes back.",
  });
  const change = (name, value) => ask(model, { [name]: get(name).map((old, k) => (k === get("at") ? value : old)) });
  const board = Board({
    label: "Programs",
    names: get("paths").map((path, k) => [LETTERS[k], path.title]),
    onChange: (at) => {
      model.set("at", at);
      model.save_changes();
      draw();
    },
  });
  const listing = Listing({ label: "The program; point at the line that breaks the path", onPoint: (line) => point(line) });
  const none = h("button", { type: "button", text: "No line is to blame", onclick: () => point(NO_LINE) });
  const again = h("button", {
    type: "button",
    class: "ak-quiet",
    text: "Begin this one again",
    onclick: () => {
      ask(model, {
        said: get("said").map((old, k) => (k === get("at") ? NOT_YET : old)),
        mends: get("mends").map((old, k) => (k === get("at") ? 0 : old)),
      });
      moveTo = "lines";
    },
  });
  const why = h("div", { class: "ak-rulebox" });
  const mends = h("fieldset", { class: "ak-mends" });
  frame.stage.append(
    board.el,
    listing.el,
    h("div", { class: "ak-row ak-noprint", style: "margin:8px 0 0;gap:8px" }, none, again),
    why,
    mends,
  );

  let moveTo = ""; // where the focus goes after a button has switched itself off
  function point(line) {
    moveTo = "mends";
    change("said", line);
  }

  function draw() {
    const [at, paths, said, chosen] = [get("at"), get("paths"), get("said"), get("mends")];
    const [path, guess, mend] = [paths[at], said[at], chosen[at]];
    const told = guess !== NOT_YET;
    board.update(
      at,
      paths.map((one) => (Array.isArray(one.gradient) ? one.gradient : [one.gradient])),
    );
    const marks = {};
    const mark = (line, text) => (marks[line] ??= []).push(text);
    if (told && guess !== NO_LINE) mark(guess, "◇ you");
    if (told && path.line) mark(path.line, "◆ kernel");
    listing.update({ lines: path.lines, marks, told, fresh: mend ? path.mends[mend].line : 0 });
    put(none, { disabled: told, "aria-pressed": told ? guess === NO_LINE : null });
    put(again, { hidden: !told });
    drawWhy(path, told);
    drawMends(path, mend, told);
    const next = { mends: "input:checked", lines: "button:enabled" }[moveTo];
    const target = next && { mends, lines: listing.el }[moveTo].querySelector(next);
    if (target && told === (moveTo === "mends")) {
      target.focus({ preventScroll: true });
      moveTo = "";
    }
    frame.say(`${LETTERS[at]}: ${sentence(path, guess, mend)}`);
    frame.tell({
      caption: "Five programs, as they stand",
      columns: ["program", "gradient", "why", "line", "in place of the line"],
      rows: paths.map((one, k) => [
        `${LETTERS[k]} · ${one.title}`,
        shown(one.gradient),
        ...(said[k] === NOT_YET ? ["?", "?"] : [one.headline, one.line ? String(one.line) : "–"]),
        chosen[k] ? one.mends[chosen[k]].text : "–",
      ]),
    });
  }

  function drawWhy(path, told) {
    put(why, { hidden: !told });
    if (told)
      why.replaceChildren(
        h("p", {}, h("b", { text: path.headline }), ` ${path.because}`, path.fix ? ` ${path.fix}` : ""),
      );
  }

  const group = uid("mend");
  function drawMends(path, mend, told) {
    const held = mends.contains(document.activeElement);
    put(mends, { hidden: !told });
    mends.replaceChildren(
      h("legend", { class: "ak-label", text: "Put another line there" }),
      ...path.mends.map(({ line, text }, k) =>
        h(
          "label",
          { class: "ak-choice" },
          put(h("input", { type: "radio", name: group, value: k, onchange: () => change("mends", k) }), {
            checked: k === mend,
          }),
          k ? h("code", { text }) : h("span", { text }),
          h("span", { class: "ak-tag", text: k ? `line ${line}` : "" }),
        ),
      ),
    );
    if (held) mends.querySelector("input:checked")?.focus();
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    frame.destroy();
    listing.destroy();
  };
}

/** What the picture says of one program. */
function sentence(path, guess, mend) {
  const gradient = `the gradient is ${shown(path.gradient)}`;
  if (guess === NOT_YET) return `${gradient}. Which line breaks the path?`;
  if (mend) return `with “${path.mends[mend].text}”, ${gradient}. ${path.headline}`;
  return `${gradient}. ${path.headline} The kernel found ${place(path.line)}, you said ${place(guess)}.`;
}

export default { render };

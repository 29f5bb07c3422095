import { h, s, put } from "./dom.js";
import { chip } from "./numbers.js";

const GUTTER = 44; // px left of the lines, where the arcs are drawn
const BREAKS = /(?<=[(_=])(?=[^\s)])|(?<=\.)(?=[a-z])/; // places in a long call

/** Code that breaks between the parts of a name or a call where there is little room, not inside them. */
export const breakableCode = (text) => h("code", {}, text.split(BREAKS).flatMap((part, i) => (i ? [h("wbr"), part] : [part])));

/**
 * A program, line by line, with what each line made and the gradient that came back to it. Arcs lead from a line to those
 * that it reads; where the gradient passes they are dashed and coloured, where it does not they are grey. Each number of a
 * line is a button: onPoint(line). update({lines: [{text, reads: [line], value, gradient, plain}], marks: {line: text},
 * told, fresh}): before `told` only values are shown, and after it the buttons are off; `fresh` stands in another's place.
 */
export function ProgramListing({ label, onPoint }) {
  const body = h("tbody", {});
  const arcs = s("svg", { class: "ak-arcs", width: GUTTER, "aria-hidden": "true" });
  const table = h(
    "table",
    { class: "ak-table ak-listing" },
    h("caption", { class: "ak-sr", text: label }),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col", style: `padding-left:${GUTTER}px`, text: "line" }),
        h("th", { scope: "col", class: "ak-left" }, h("span", { class: "ak-sr", text: "code" })),
        h("th", { scope: "col", text: "value" }),
        h("th", { scope: "col", text: "gradient ↑" }),
      ),
    ),
    body,
  );
  const el = h("div", { class: "ak-tape ak-scroll", tabindex: 0, role: "region", "aria-label": label }, arcs, table);
  let rows = [];
  let last = null;

  function row(line, k, { marks, told, fresh }) {
    const button = h("button", {
      type: "button",
      text: String(k),
      "data-line": k,
      "aria-label": `Line ${k} breaks the path`,
      disabled: told,
      onclick: () => onPoint(k),
    });
    const gradient = told && line.gradient !== undefined ? chip(line.gradient, digitsOf(line.gradient), "rev") : "";
    return h(
      "tr",
      { class: fresh === k ? "ak-fresh" : null },
      h("th", { scope: "row", style: `padding-left:${GUTTER}px` }, button),
      h(
        "td",
        { class: "ak-left" },
        breakableCode(line.text),
        (marks[k] ?? []).map((text) => h("span", { class: "ak-tag", text })),
      ),
      h("td", {}, line.value === undefined ? "" : chip(line.value, digitsOf(line.value))),
      h("td", {}, told && line.plain ? h("span", { class: "ak-tag", text: "plain number" }) : gradient),
    );
  }

  function drawArcs() {
    if (!last) return;
    const { lines, told } = last;
    const top = el.getBoundingClientRect().top;
    const middle = rows.map((one) => {
      const box = one.getBoundingClientRect();
      return box.top - top + box.height / 2;
    });
    const x = GUTTER - 10;
    const came = (i) => told && lines[i].gradient !== undefined && lines[i].gradient !== null;
    const edges = lines.flatMap((line, to) => line.reads.map((from) => ({ from: from - 1, to })));
    const lit = ({ from, to }) => came(from) && came(to);
    edges.sort((a, b) => Number(lit(a)) - Number(lit(b)));
    const bend = ({ from, to }) => x - 8 - (34 * (to - from)) / lines.length;
    put(arcs, { height: el.clientHeight });
    arcs.replaceChildren(
      ...edges.map((edge) =>
        s("path", {
          d: `M${x} ${middle[edge.from]}C${bend(edge)} ${middle[edge.from]} ${bend(edge)} ${middle[edge.to]} ${x} ${middle[edge.to]}`,
          class: lit(edge) ? "ak-arc-rev" : null,
        }),
      ),
      ...middle.flatMap((y, i) =>
        lines[i].value === undefined ? [] : s("circle", { cx: x, cy: y, r: 4, class: came(i) ? "ak-dot-rev" : null }),
      ),
    );
  }

  function update(state) {
    const held = body.contains(document.activeElement) ? document.activeElement.dataset.line : null;
    last = state;
    rows = state.lines.map((line, i) => row(line, i + 1, state));
    body.replaceChildren(...rows);
    if (held) body.querySelector(`[data-line="${held}"]`)?.focus();
    drawArcs();
  }
  const watcher = new ResizeObserver(drawArcs);
  watcher.observe(el);
  return { el, update, destroy: () => watcher.disconnect() };
}

const digitsOf = (x) => (x === null || Number.isInteger(x) ? 0 : 4);

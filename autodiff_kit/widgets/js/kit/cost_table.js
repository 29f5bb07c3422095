import { h, s, put } from "./dom.js";
import { fmt } from "./numbers.js";

/** Names in a row: "h, W2 and b2"; "nothing" for none. */
export const joinNames = (names) =>
  names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : (names[0] ?? "nothing");

/**
 * A bill line by line: what each line of a program costs forward and backward, as numbers and as bars of one scale.
 * update({lines: [{code, forward, backward, to: [name]}], forward, backward, ratio}); a line that hands nothing back has no bar.
 */
export function CostTable({ label }) {
  const body = h("tbody", {});
  const foot = h("tfoot", {});
  const heads = [
    ["line", "ak-left"],
    ["forward ↓", "ak-as-fwd"],
    ["backward ↑", "ak-as-rev"],
    ["gradient to", "ak-left"],
  ];
  const el = h(
    "table",
    { class: "ak-table ak-bill" },
    h("caption", { class: "ak-sr", text: label }),
    h("thead", {}, h("tr", {}, heads.map(([text, look]) => h("th", { scope: "col", class: look, text })))),
    body,
    foot,
  );

  const bar = (amount, most, role) =>
    h(
      "td",
      {},
      h(
        "div",
        { class: "ak-barcell" },
        h("span", { text: fmt(amount, 0) }),
        s(
          "svg",
          { width: "100%", height: 12, "aria-hidden": "true" },
          s("rect", { width: `${(100 * amount) / most}%`, height: 12, class: `ak-fill-${role}` }),
        ),
      ),
    );

  function update({ lines, forward, backward, ratio }) {
    const most = Math.max(1, ...lines.flatMap((line) => [line.forward, line.backward]));
    body.replaceChildren(
      ...lines.map(({ code, forward: ahead, backward: back, to }) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, h("code", { text: code })),
          bar(ahead, most, "fwd"),
          bar(back, most, "rev"),
          h("td", { class: "ak-left", text: joinNames(to) }),
        ),
      ),
    );
    const sum = (amount) => h("td", {}, h("div", { class: "ak-barcell" }, h("strong", { text: fmt(amount, 0) })));
    foot.replaceChildren(h("tr", {}, h("th", { scope: "row", text: "in all" }), sum(forward), sum(backward), h("td", { class: "ak-left", text: `${fmt(ratio, 3)} times` })));
    put(el, { "data-lines": lines.length });
  }
  return { el, update };
}

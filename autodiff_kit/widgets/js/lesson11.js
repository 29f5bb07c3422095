import { h, put } from "./kit/core.js";
import { brief } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { NumberBox } from "./kit/number_box.js";
import { Gather } from "./kit/gather.js";

const INPUTS = ["h", "ids", "count", "readout"];
const OUTPUTS = ["sums", "rows", "readouts", "into_h", "into_v", "refused"];
const READOUTS = [
  ["sum", "sum", "segment_sum(h, ids, c)"],
  ["mean", "mean", "segment_mean(h, ids, c)"],
  ["naive", "sum ÷ count", "segment_sum(h, ids, c) / segment_sum(ones, ids, c)"],
  ["max", "max", "segment_max(h, ids, c)"],
].map(([value, label, hint]) => ({ value, label, hint }));
const MOST_GRAPHS = 4;

/** Lesson 11: put nodes into graphs, and read a number out of each. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "What does a graph without nodes say?",
    lead: "Five nodes with a value each. A node's shape says which graph it belongs to, and its arcs who stands beside it there. Click a node to move it to the next graph. Each graph reads a number out of its nodes, and the loss is v = 1 times the sum of all of them. Dashed is what comes back.",
  });
  const readout = Segmented({
    label: "Readout",
    options: READOUTS,
    value: get("readout"),
    onChange: (value) => ask(model, { readout: value }),
  });
  const count = Segmented({
    label: "Graphs c",
    options: [1, 2, 3, 4].map((value) => ({ value, label: String(value), hint: `${value} graphs` })),
    value: get("count"),
    onChange: (value) => ask(model, { count: value }),
  });
  const change = (name, i, value) => ask(model, { [name]: get(name).map((one, k) => (k === i ? value : one)) });
  const code = h("code", {});
  const boxes = get("h").map((_, i) =>
    NumberBox({ label: `Value of node ${i}`, step: 0.5, onSend: (x) => change("h", i, Math.min(9, Math.max(-9, x))) }),
  );
  const gather = Gather({
    label: "Nodes and their graphs; the table below says the same",
    most: MOST_GRAPHS,
    onMove: (i, graph) => change("ids", i, graph),
  });
  frame.stage.append(
    h("div", { class: "ak-row", style: "margin-bottom:4px" }, readout.el, count.el),
    h("p", { class: "ak-note", style: "margin:0 0 12px" }, code),
    h("span", { class: "ak-label", text: "Values h of the nodes" }),
    h("div", { class: "ak-values", role: "group", "aria-label": "Values of the nodes" }, boxes.map((box) => box.el)),
    gather.el,
  );

  function draw() {
    const [values, ids, c, kind] = [get("h"), get("ids"), get("count"), get("readout")];
    const [sums, rows, readouts, intoH, intoV, refused] = OUTPUTS.map(get);
    const graphs = Array.from({ length: c }, (_, k) => k);
    const fits = !refused && readouts?.length === c;
    readout.update(kind);
    count.update(c);
    boxes.forEach((box, i) => box.update(values[i]));
    put(code, { text: `ids = [${ids.join(", ")}]; ${READOUTS.find((one) => one.value === kind).hint.replace("c)", `${c})`).replace("c)", `${c})`)}` });
    gather.update({
      values,
      groups: ids,
      arcs: chains(ids, c),
      boxes: graphs.map((k) => ({
        rows: fits ? rows[k] : null,
        work: fits ? worked(kind, sums[k], rows[k]) : "",
        result: fits ? readouts[k] : null,
      })),
      back: fits ? intoH : undefined,
      shared: fits ? intoV : null,
    });
    frame.say(fits || refused ? claim({ kind, rows, readouts, intoH, intoV, refused }) : "");
    frame.tell({
      caption: refused ? `Refused: ${refused}` : `${READOUTS.find((one) => one.value === kind).label} of each graph; into v ${brief(intoV)}`,
      columns: ["node", "value", "graph", "graph's nodes", "graph's readout", "comes back"],
      rows: [
        ...values.map((one, i) => [`node ${i}`, one, String(ids[i]), ...(fits ? [String(rows[ids[i]]), readouts[ids[i]], intoH[i]] : ["?", "?", "?"])]),
        ...graphs.filter((k) => fits && rows[k] === 0).map((k) => ["no node", "–", String(k), "0", readouts[k], "–"]),
      ],
    });
  }

  function claim({ kind, rows, readouts, intoH, intoV, refused }) {
    if (refused) return `The kit refuses: ${refused}.`;
    const list = (numbers) => `[${numbers.map((one) => brief(one)).join(", ")}]`;
    const empty = rows.flatMap((n, k) => (n === 0 ? [k] : []));
    const label = { sum: "sums", mean: "means", naive: "sums over counts", max: "maxima" }[kind];
    const told = empty.length ? ` Graph ${empty.join(" and ")} ${empty.length > 1 ? "have" : "has"} no nodes${kind === "naive" ? ": 0 ÷ 0" : ""}.` : "";
    return `The ${label} are ${list(readouts)}.${told} Into the nodes come ${list(intoH)}, and into v ${brief(intoV)}.`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, gather].forEach((part) => part.destroy());
  };
}

/** How a graph's number is worked out, in few words. */
function worked(kind, sum, rows) {
  if (kind === "naive" || (kind === "mean" && rows)) return `${brief(sum, 2)} ÷ ${rows}`;
  if (rows === 0) return "no nodes";
  return `${kind} of ${rows}`;
}

/** Neighbours: each node with the next one of its graph. */
function chains(ids, count) {
  return ids.flatMap((graph, i) => {
    const next = ids.indexOf(graph, i + 1);
    return next > 0 && graph < count ? [[i, next]] : [];
  });
}

export default { render };

import { h, keepKeys } from "./kit/dom.js";
import { listen, decode } from "./kit/model_sync.js";
import { PredictBox } from "./kit/predict_box.js";

/** One question, asked before the cell that answers it. Stands alone in its own cell. */
function render({ model, el }) {
  const box = PredictBox({
    question: model.get("question"),
    kind: model.get("kind"),
    words: model.get("words") ?? {},
    choices: model.get("choices") ?? [],
    min: model.get("low") ?? 0,
    max: model.get("high") ?? 1,
    step: model.get("step") ?? 0.1,
    onCommit: (answer) => {
      model.set("answer", answer);
      model.save_changes();
    },
    onSkip: () => {
      model.set("skipped", true);
      model.save_changes();
    },
    onAgain: () => {
      model.set("skipped", false);
      model.set("truth", null);
      model.set("otherwise", "");
      model.save_changes();
    },
  });
  const isNumber = ["number", "slider"].includes(model.get("kind"));
  // A choice is named by a word, which may be "nan".
  const read = (name) => (isNumber ? decode(model.get(name)) : model.get(name));
  const draw = () =>
    box.update({
      answer: read("answer"),
      truth: read("truth") ?? undefined,
      skipped: model.get("skipped"),
      otherwise: model.get("otherwise"),
    });
  el.append(keepKeys(h("div", { class: "ak", lang: model.get("lang") }, box.el)));
  const stop = listen(model, ["answer", "truth", "skipped", "otherwise"], draw);
  draw();
  return () => {
    stop();
    box.destroy();
  };
}

export default { render };

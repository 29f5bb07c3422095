import { ask } from "./model_sync.js";
import { Segmented } from "./segmented.js";
import { Slider } from "./slider.js";

/** A row of choices that sets one input; `also` are inputs that a choice resets. */
export const inputChoice = (model, name, label, options, also = {}) =>
  Segmented({ label, options, value: model.get(name), onChange: (value) => ask(model, { [name]: value, ...also }) });

/** A slider that sets one input; `toInput` makes it of what was set, such as a whole number of what was typed. */
export const inputSlider = (model, name, { toInput = (value) => value, ...props }) =>
  Slider({ ...props, value: model.get(name), onChange: (value) => ask(model, { [name]: toInput(value) }) });

/** A list with one entry replaced. */
export const withEntry = (list, i, value) => list.map((old, k) => (k === i ? value : old));

/** One slider for each entry of an input that is a list; `toInput` makes an entry of what was set. */
export const entrySliders = (model, name, labels, { toInput = (value) => value, ...props }) =>
  labels.map((label, i) =>
    Slider({
      ...props,
      label,
      value: model.get(name)[i],
      onChange: (value) => ask(model, { [name]: withEntry(model.get(name), i, toInput(value)) }),
    }),
  );

"use strict";(self.rspackChunkautodiff_kit=self.rspackChunkautodiff_kit||[]).push([[700],{880(a,e,r){var l=r(18),i=r.n(l),o=r(387),t=(r.n(o))()(i());t.push([a.id,`/* Marks that the inspector puts on lines of code cells, and the few places where panels stand in JupyterLab's frame. */

.akl-panel {
  min-width: 260px !important;
  background: var(--jp-layout-color1);
}

#autodiff-kit-exercises {
  min-width: 280px !important;
}

#autodiff-kit-inspector {
  min-width: 320px !important;
}

/* In Notebook 7 a side keeps a width of its own, whatever stands in it. */
#jp-left-stack:has(> .lm-StackedPanel > .akl-panel:not(.lm-mod-hidden)),
#jp-right-stack:has(> .lm-StackedPanel > .akl-panel:not(.lm-mod-hidden)) {
  min-width: 280px !important;
}

#jp-right-stack:has(> .lm-StackedPanel > #autodiff-kit-inspector:not(.lm-mod-hidden)) {
  min-width: 320px !important;
}

@media (min-width: 1100px) {
  #autodiff-kit-inspector,
  #jp-right-stack:has(> .lm-StackedPanel > #autodiff-kit-inspector:not(.lm-mod-hidden)) {
    min-width: 360px !important;
  }
}

.jp-MainAreaWidget > .lm-Widget > .akl {
  height: 100%;
}

.akl-status {
  font: inherit;
  color: inherit;
  background: none;
  border: 0;
  padding: 0 4px;
  line-height: var(--jp-statusbar-height, 24px);
  cursor: pointer;
}

.akl-status:empty {
  display: none;
}

.cm-line:is(.akl-line-now, .akl-line-nan, .akl-line-torn, .akl-line-heat, .akl-line-hover, .akl-line-flash) {
  --akl-fwd: #0072b2;
  --akl-rev: #d55e00;
  --akl-nan: #b0148f;
}

[data-jp-theme-light='false'] .cm-line:is(.akl-line-now, .akl-line-nan, .akl-line-torn, .akl-line-heat, .akl-line-hover, .akl-line-flash) {
  --akl-fwd: #56b4e9;
  --akl-rev: #f28e4a;
  --akl-nan: #ff7ad9;
}

.cm-line.akl-line-hover {
  background: color-mix(in srgb, var(--jp-brand-color1) 13%, transparent);
}

.cm-line.akl-line-heat {
  background: linear-gradient(to left, color-mix(in srgb, var(--akl-rev) 26%, transparent) calc(var(--akl-heat) * 120px), transparent 0) no-repeat;
}

.cm-line.akl-line-nan {
  background: repeating-linear-gradient(135deg, color-mix(in srgb, var(--akl-nan) 20%, transparent) 0 3px, transparent 3px 7px);
}

.cm-line.akl-line-torn {
  outline: 1.5px dashed var(--jp-ui-font-color1);
  outline-offset: -1px;
}

.cm-line.akl-line-now {
  background: color-mix(in srgb, var(--akl-fwd) 15%, transparent);
  box-shadow: inset 3px 0 var(--akl-fwd);
}

.cm-line.akl-line-now.akl-line-rev {
  background: color-mix(in srgb, var(--akl-rev) 15%, transparent);
  box-shadow: inset 3px 0 var(--akl-rev);
}

.cm-line.akl-line-flash {
  animation: akl-flash 1.2s ease-out;
}

@keyframes akl-flash {
  from {
    background: color-mix(in srgb, var(--jp-brand-color1) 40%, transparent);
  }
}

.akl-line-note {
  margin-inline-start: 16px;
  font: 12px/1 var(--jp-ui-font-family);
  color: var(--jp-ui-font-color1);
}

.akl-line-note.akl-line-nan {
  color: var(--akl-nan);
  font-weight: 600;
}

@media (prefers-reduced-motion: reduce) {
  .cm-line.akl-line-flash {
    animation: none;
  }
}

@media (forced-colors: active) {
  .cm-line.akl-line-now {
    outline: 2px solid Highlight;
  }
}
`,""]),r.d(e,{},{A:t})},583(a,e,r){var l=r(18),i=r.n(l),o=r(387),t=r.n(o),n=r(146),k=r(880),s=r(465),d=t()(i());d.i(n.A),d.i(k.A),d.i(s.A),d.push([a.id,`
`,""]),r.d(e,{},{A:d})},465(a,e,r){var l=r(18),i=r.n(l),o=r(387),t=(r.n(o))()(i());t.push([a.id,`/* A widget that the kernel does not hold: a bar over how it last stood. */
.akl-saved-bar { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; max-width: 860px; box-sizing: border-box; margin: 4px 0 8px; padding: 6px 8px 6px 12px; border: 1px solid var(--jp-border-color1, #bdbdbd); border-left: 3px solid var(--jp-content-font-color1, #212121); border-radius: 3px; background: var(--jp-layout-color2, #f5f5f5); color: var(--jp-content-font-color1, #212121); font: 400 var(--jp-ui-font-size1, 13px)/1.4 var(--jp-ui-font-family, system-ui, sans-serif); }
.akl-saved-bar p { flex: 1 1 200px; min-width: 0; margin: 0; }
.akl-saved-bar .akl-btn { --ak-paper: var(--jp-layout-color1, #fff); --ak-sunk: var(--jp-layout-color3, #e0e0e0); --ak-line2: var(--jp-border-color0, #757575); --ak-control: var(--jp-content-font-color1, #212121); --ak-ink3: var(--jp-content-font-color2, #616161); }
.akl-saved-bar .akl-btn:focus-visible { outline: 2px solid var(--jp-brand-color1, #1976d2); outline-offset: 1px; }
.akl-saved .akl-rests { opacity: .72; }
.akl-saved .jp-RenderedHTMLCommon table { margin-left: 0; } .akl-saved .jp-RenderedHTMLCommon img { background: #fff; border-radius: 3px; }

/* The tab of an exercise, whose file has the name of its lesson's. */
.lm-TabBar-tab[data-akl-tab]::before { content: attr(data-akl-tab); align-self: center; flex: none; margin-right: 6px; font-weight: 600; }
`,""]),r.d(e,{},{A:t})},146(a,e,r){var l=r(18),i=r.n(l),o=r(387),t=(r.n(o))()(i());t.push([a.id,`/* The three panels. Everything neutral comes from JupyterLab's theme; the roles below belong to the kit. */
.akl { --ak-ink: rgba(0,0,0,.87); --ak-ink2: rgba(0,0,0,.62); --ak-ink3: rgba(0,0,0,.4); --ak-control: #757575; --ak-paper: var(--jp-layout-color1, #fff); --ak-sunk: #f5f5f5; --ak-line: var(--jp-border-color2, #e0e0e0); --ak-line2: var(--jp-border-color1, #bdbdbd);
  --ak-fwd: #0072b2; --ak-fwd-text: #00639b; --ak-fwd-tint: #e6f1f8; --ak-rev: #d55e00; --ak-rev-text: #a84a00; --ak-rev-tint: #fbefe6; --ak-nan: #b0148f; --ak-held: #757575; --ak-focus: var(--jp-brand-color1, #1976d2);
  --akl-mono: var(--jp-code-font-family, menlo, consolas, "DejaVu Sans Mono", monospace); --akl-small: 12px; --akl-tiny: 11px; --akl-hover: color-mix(in srgb, var(--jp-brand-color1, #1976d2) 9%, transparent);
  position: relative; display: flex; flex-direction: column; height: 100%; min-width: 0; box-sizing: border-box; color: var(--ak-ink); background: var(--ak-paper); font: 400 var(--jp-ui-font-size1, 13px)/1.4 var(--jp-ui-font-family, system-ui, sans-serif); font-variant-numeric: tabular-nums; outline: 0; }
[data-jp-theme-light="false"] .akl { --ak-ink: rgba(255,255,255,.87); --ak-ink2: rgba(255,255,255,.64); --ak-ink3: rgba(255,255,255,.42); --ak-control: #9e9e9e; --ak-sunk: #2c2c2c; --ak-fwd: #56b4e9; --ak-fwd-text: #7cc6f0; --ak-fwd-tint: #26343d; --ak-rev: #f28e4a; --ak-rev-text: #ffae78; --ak-rev-tint: #3b2c22; --ak-nan: #ff7ad9; --ak-held: #9e9e9e; --ak-focus: #64b5f6; }
.akl *, .akl *::before { box-sizing: border-box; } .akl [hidden] { display: none !important; }
.akl h2, .akl h3, .akl h4, .akl p, .akl ul, .akl ol, .akl dl, .akl dd { margin: 0; padding: 0; } .akl ul, .akl ol { list-style: none; }
.akl :focus { outline: 0; } .akl :focus-visible { outline: 2px solid var(--ak-focus); outline-offset: -2px; border-radius: 2px; }
.akl code { font: 12px/1.4 var(--akl-mono); background: none; color: inherit; padding: 0; }
.ak-sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.akl-icon { fill: none; stroke: currentColor; stroke-width: 1.35; stroke-linecap: round; stroke-linejoin: round; flex: none; display: block; }
.akl-quiet { color: var(--ak-ink2); font-size: var(--akl-small); } .akl .akl-pad { padding: 10px 12px; } .akl-mono { font-family: var(--akl-mono); font-size: 12px; } .akl-as-rev { color: var(--ak-rev-text); } .akl-as-fwd { color: var(--ak-fwd-text); } .akl-in-rev { fill: var(--ak-rev-text); }

/* controls */
.akl-btn { font: inherit; line-height: 1; color: inherit; background: var(--ak-paper); border: 1px solid var(--ak-line2); border-radius: 3px; height: 26px; padding: 0 10px; display: inline-flex; align-items: center; gap: 6px; cursor: pointer; white-space: nowrap; }
.akl-btn:hover:not(:disabled) { background: var(--ak-sunk); border-color: var(--ak-control); } .akl-btn:disabled { color: var(--ak-ink3); cursor: default; } .akl-btn-icon { border-color: transparent; width: 26px; padding: 0; justify-content: center; background: none; }
.akl-btn[aria-pressed="true"] { background: var(--ak-ink); color: var(--ak-paper); } .akl-btn.akl-primary { background: var(--ak-ink); border-color: var(--ak-ink); color: var(--ak-paper); font-weight: 600; } .akl-btn.akl-primary:hover { background: var(--ak-ink); opacity: .86; }
.akl-select { font: inherit; font-size: var(--akl-small); color: inherit; background: var(--ak-paper); border: 1px solid var(--ak-line2); border-radius: 3px; height: 26px; padding: 0 4px; min-width: 0; max-width: 100%; } .akl-select.akl-mono { font-family: var(--akl-mono); }
.akl-segments { display: inline-flex; border: 1px solid var(--ak-line2); border-radius: 3px; overflow: hidden; } .akl-segments button { font: inherit; font-size: var(--akl-small); color: var(--ak-ink2); background: none; border: 0; height: 24px; padding: 0 9px; cursor: pointer; } .akl-segments button + button { border-left: 1px solid var(--ak-line2); } .akl-segments button[aria-checked="true"] { background: var(--ak-ink); color: var(--ak-paper); font-weight: 600; } .akl-segments button:hover:not([aria-checked="true"]) { background: var(--ak-sunk); color: var(--ak-ink); }
.akl-dir .akl-segments button[aria-checked="true"] { color: var(--ak-paper); } .akl-dir[data-dir="1"] .akl-segments button[aria-checked="true"] { background: var(--ak-fwd-text); } .akl-dir[data-dir="-1"] .akl-segments button[aria-checked="true"] { background: var(--ak-rev-text); }
.akl-dir .akl-segments button:first-child::before { content: "↓ "; } .akl-dir .akl-segments button:last-child::before { content: "↑ "; }
.akl-searchbox { flex: 1 1 90px; min-width: 0; display: flex; align-items: center; gap: 6px; height: 26px; padding: 0 7px; border: 1px solid var(--ak-line2); border-radius: 3px; color: var(--ak-ink2); } .akl-searchbox:focus-within { border-color: var(--ak-focus); box-shadow: 0 0 0 1px var(--ak-focus); } .akl-searchbox svg { width: 14px; height: 14px; }
.akl-search { flex: 1; min-width: 0; border: 0; background: none; color: var(--ak-ink); font: inherit; font-size: var(--akl-small); outline: 0 !important; padding: 0; } .akl-search::placeholder { color: var(--ak-ink2); opacity: .9; } .akl-search::-webkit-search-cancel-button { filter: grayscale(1); }
.akl-check { display: inline-flex; gap: 6px; align-items: center; font-size: var(--akl-small); cursor: pointer; } .akl-check input { margin: 0; accent-color: var(--ak-ink); }
.akl-actions { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; }
.akl-seed-row { display: flex; flex-wrap: wrap; gap: 4px 6px; align-items: center; } .akl-seed-row label { display: flex; align-items: center; gap: 4px; flex: 1 1 120px; min-width: 0; } .akl-seed-said { flex: 1 0 100%; margin: 0; color: var(--ak-ink2); font-size: var(--akl-small); } .akl-seed-said:empty { display: none; }
.akl-seed { flex: 1; min-width: 0; height: 26px; padding: 0 7px; border: 1px solid var(--ak-line2); border-radius: 3px; background: var(--ak-paper); color: var(--ak-ink); font: var(--akl-small) var(--jp-code-font-family, monospace); } .akl-seed:focus { border-color: var(--ak-focus); box-shadow: 0 0 0 1px var(--ak-focus); outline: 0; } .akl-seed[aria-invalid="true"] { border-style: dashed; border-color: var(--ak-ink); }
.akl-row { display: flex; align-items: center; gap: 4px; min-width: 0; }

/* one way to write a number, three words for what is not one */
.akl-v { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; max-width: 100%; display: inline-block; vertical-align: middle; line-height: 17px; }
.akl-v-fwd { color: var(--ak-fwd-text); } .akl-v-rev { color: var(--ak-rev-text); } .akl-v-dim { color: var(--ak-ink2); font-size: var(--akl-small); } .akl-v-wait { color: var(--ak-ink3); }
.akl-v-none { color: var(--ak-ink2); border: 1px dashed var(--ak-control); border-radius: 9px; padding: 0 6px; font-size: var(--akl-tiny); line-height: 14px; font-style: italic; }
.akl-v-zero { font-weight: 700; font-size: var(--akl-tiny); line-height: 15px; background: var(--ak-ink); color: var(--ak-paper); padding: 0 5px; border-radius: 2px; }
.akl-v-nan { color: var(--ak-nan); font-weight: 600; font-size: var(--akl-small); line-height: 15px; padding: 0 5px; border: 1px solid var(--ak-nan); border-radius: 2px; background: repeating-linear-gradient(135deg, color-mix(in srgb, var(--ak-nan) 24%, transparent) 0 3px, transparent 3px 6px); }
.akl-v-load { width: 52px; height: 8px; border-radius: 2px; background: var(--ak-line); }

.akl-v-lost { color: var(--ak-ink2); font-size: var(--akl-tiny); font-style: italic; }

/* what the signs mean */
.akl-legend { flex: none; border-top: 1px solid var(--ak-line); font-size: var(--akl-small); } .akl-legend summary { padding: 4px 10px; color: var(--ak-ink2); cursor: pointer; } .akl-legend[open] { max-height: 45%; overflow-y: auto; scrollbar-width: thin; }
.akl-legend dl { display: grid; grid-template-columns: 72px minmax(0, 1fr); gap: 3px 10px; padding: 2px 10px 10px; align-items: center; } .akl-legend dt { display: flex; justify-content: flex-end; } .akl-legend-mark { display: inline-flex; } .akl-legend-source { width: 7px; height: 7px; border: 1.5px solid var(--ak-ink); border-radius: 1px; }
.akl-chain-side + .akl-chain-side { margin-top: 4px; }

/* header of the inspector */
.akl-head { flex: none; padding: 6px 8px 4px 10px; } .akl-tape-pick { flex: 1; border-color: transparent; font-size: 13px; font-weight: 600; padding: 0; margin-left: -1px; } .akl-tape-pick:hover { border-color: var(--ak-line2); }
.akl-live { width: 8px; height: 8px; border-radius: 50%; flex: none; margin-right: 4px; border: 2px solid var(--ak-ink); } .akl-live.is-pinned { border-radius: 1px; background: var(--ak-ink); } [data-kernel="busy"] .akl-live { border-style: dotted; animation: akl-turn 1.2s linear infinite; } [data-kernel="dead"] .akl-live { border-color: var(--ak-ink3); } @keyframes akl-turn { to { transform: rotate(1turn); } }
.akl-facts { color: var(--ak-ink2); font-size: var(--akl-small); } .akl-head .akl-facts { padding-left: 13px; }
.akl-tabs { flex: none; display: flex; padding: 0 6px; border-bottom: 1px solid var(--ak-line2); } .akl-tabs button { position: relative; font: inherit; color: var(--ak-ink2); background: none; border: 0; padding: 5px 0 6px; flex: 0 1 auto; min-width: 0; cursor: pointer; white-space: nowrap; margin: 0 clamp(4px, 1.4cqi, 9px); } .akl-tabs button:hover { color: var(--ak-ink); } .akl-tabs button[aria-selected="true"] { color: var(--ak-ink); font-weight: 600; } .akl-tabs button[aria-selected="true"]::after { content: ""; position: absolute; left: 0; right: 0; bottom: -1px; height: 2px; background: var(--ak-ink); }
.akl-badge { display: inline-block; min-width: 15px; margin-left: 4px; padding: 0 4px; font-size: 11px; line-height: 13px; border: 1px dashed var(--ak-control); border-radius: 8px; color: var(--ak-ink2); font-weight: 400; vertical-align: 1px; }
.akl-inspector { container-type: inline-size; }
.akl-deck { flex: none; padding: 7px 10px 6px; border-bottom: 1px solid var(--ak-line); } .akl-transport { display: flex; align-items: center; gap: 8px; margin-bottom: 6px; } .akl-keys { display: inline-flex; gap: 0; margin-left: -5px; } .akl-keys .akl-btn { width: 24px; } .akl-keys svg { fill: currentColor; stroke-width: 1.2; } .akl-keys .akl-play { border-color: var(--ak-line2); width: 30px; margin: 0 2px; }
.akl-where { margin-left: auto; min-width: 0; font-size: var(--akl-small); color: var(--ak-ink2); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; } .akl-where b { color: var(--ak-ink); }
.akl-strip { position: relative; cursor: ew-resize; touch-action: none; height: 36px; } .akl-strip-canvas { width: 100%; height: 36px; display: block; }
.akl-tools { flex: none; display: flex; gap: 6px; padding: 6px 10px; } [data-size="xs"] .akl-tools .akl-select { max-width: 86px; }
.akl-inspector:is([data-view="cost"], [data-view="memory"], [data-view="diff"], [data-view="why"]) > .akl-tools { display: none; } .akl-inspector:is([data-view="cost"], [data-view="diff"], [data-view="why"]) > .akl-deck { display: none; }
.akl-banner { display: flex; align-items: center; gap: 9px; margin: 6px 10px 2px; padding: 6px 6px 6px 9px; border: 1px solid var(--ak-line2); border-radius: 3px; background: var(--ak-sunk); font-size: var(--akl-small); } .akl-banner p { flex: 1; min-width: 0; } .akl-banner.is-nan { border-color: var(--ak-nan); } .akl-banner.is-none { border-style: dashed; border-color: var(--ak-control); background: none; } .akl-banner .akl-btn { height: 24px; }
.akl-main { flex: 1; min-height: 0; display: flex; flex-direction: column; } .akl-view { flex: 1; min-height: 0; display: flex; flex-direction: column; min-width: 0; }

/* table */
.akl-table { flex: 1; min-height: 0; display: flex; flex-direction: column; } .akl-thead, .akl-tr { display: grid; grid-template-columns: var(--akl-grid); align-items: center; padding-right: 10px; } .akl-thead { position: sticky; top: 0; z-index: 2; height: 24px; background: var(--ak-paper); box-shadow: 0 1px var(--ak-line2); padding-right: 10px; }
.akl-th { font-size: var(--akl-tiny); color: var(--ak-ink2); } .akl-th-n { text-align: right; padding-left: 8px; } .akl-th-rail { padding-left: 10px; } .akl-th-tangent { color: var(--ak-fwd-text); } .akl-th-cotangent { color: var(--ak-rev-text); } .akl-dirmark { font-style: normal; margin-right: 3px; }
.akl-tbody { position: relative; flex: 1; min-height: 0; } .akl-rows { position: absolute; inset: 0; overflow-y: auto; overflow-x: hidden; scrollbar-width: thin; overflow-anchor: none; } .akl-rows-sizer { position: relative; overflow: hidden; } .akl-rows-head { position: sticky; top: 0; z-index: 2; } .akl-tr { position: absolute; left: 0; right: 0; top: 0; contain: strict; cursor: default; }
.akl-td { min-width: 0; text-align: right; padding-left: 5px; overflow: hidden; line-height: var(--akl-row, 26px); white-space: nowrap; } .akl-td-rail { text-align: left; padding-left: 8px; } .akl-id { font-size: 11px; color: var(--ak-ink2); } .akl-td-node { text-align: left; padding-left: 2px; display: flex; align-items: center; gap: 5px; }
.akl-name { font-weight: 600; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; flex: 0 0 auto; max-width: 100%; } .akl-name-op { font: 400 12px/1.4 var(--akl-mono); } .akl-name-code { font: 400 12px/1.4 var(--akl-mono); flex: 1 1 0; } .akl-op { font: 12px/1.4 var(--akl-mono); color: var(--ak-ink2); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; flex: 0 2 auto; min-width: 0; } .akl-count { font: var(--akl-tiny)/15px var(--jp-ui-font-family); border: 1px solid var(--ak-line2); border-radius: 8px; padding: 0 6px; flex: none; }
.akl-twist { width: 0; color: var(--ak-ink2); font-size: 10px; } .akl-group .akl-twist { width: 11px; flex: none; } .akl-child .akl-td-node { padding-left: 14px; } .akl-marks { display: inline-flex; gap: 4px; align-items: center; flex: none; } .akl-marks i { font-style: normal; display: inline-flex; } .akl-marks svg { width: 13px; height: 13px; } .akl-mark-hook { color: var(--ak-rev-text); }
.akl-tag { font-style: normal; font-size: 11px; line-height: 14px; border: 1px solid var(--ak-ink); border-radius: 2px; padding: 0 4px; } .akl-tag-quiet { border-color: var(--ak-line2); color: var(--ak-ink2); } :is([data-size="xs"], [data-size="s"]) .akl-rows { font-size: 12.5px; } [data-size="xs"] .akl-marks .akl-tag { border: 0; padding: 0; font-size: 13px; }
.akl-v-send { font-size: var(--akl-tiny); line-height: 15px; color: var(--ak-rev-text); border: 1px dashed var(--ak-rev); border-radius: 2px; padding: 0 4px; background: var(--ak-paper); }
.akl-tr:hover { background: var(--akl-hover); } .akl-tr.akl-lit { background: color-mix(in srgb, var(--jp-brand-color1, #1976d2) 13%, transparent); } .akl-source .akl-name::before { content: ""; display: inline-block; width: 6px; height: 6px; border: 1.5px solid var(--ak-ink); margin-right: 5px; vertical-align: 1px; border-radius: 1px; } .akl-const .akl-td-node > * { color: var(--ak-ink2); font-style: italic; }
.akl-ahead .akl-td-node > * { color: var(--ak-ink2); } .akl-now { background: var(--ak-fwd-tint); box-shadow: inset 3px 0 var(--ak-fwd); } .akl-now.akl-now-rev { background: var(--ak-rev-tint); box-shadow: inset 3px 0 var(--ak-rev); } .akl-tr.akl-sel:not(.akl-now) { box-shadow: inset 0 0 0 1px var(--ak-control); } .akl-rows:focus-visible .akl-sel { box-shadow: inset 0 0 0 2px var(--ak-focus); } .akl-rows:focus-visible { outline: 0; }
.akl-torn { border-bottom: 2px dashed var(--ak-ink2); } .akl-torn::after { content: ""; position: absolute; inset: auto 0 0; height: 4px; background: linear-gradient(135deg, var(--ak-ink) 25%, transparent 0) 0 0 / 8px 4px repeat-x, linear-gradient(225deg, var(--ak-ink) 25%, transparent 0) 4px 0 / 8px 4px repeat-x; opacity: .45; }
.akl-group .akl-name:not(.akl-name-code) { font-weight: 600; } .akl-group { border-bottom: 1px solid var(--ak-line); }
.akl-arcs { position: absolute; left: 0; top: 0; pointer-events: none; overflow: hidden; } .akl-arcs path { fill: none; stroke-width: 1.75; } .akl-arc-fwd { stroke: var(--ak-fwd); } .akl-arc-rev { stroke: var(--ak-rev); stroke-dasharray: 4 2.5; } .akl-arc-out { stroke: var(--ak-control); stroke-width: 1.2 !important; } .akl-dot-fwd { fill: var(--ak-fwd); } .akl-dot-rev { fill: var(--ak-rev); } .akl-dot { fill: var(--ak-paper); stroke: var(--ak-control); stroke-width: 1.5; }

/* the chosen node */
.akl-detail { flex: none; display: none; flex-direction: column; max-height: 46%; border-top: 1px solid var(--ak-line2); background: var(--ak-sunk); } .has-detail .akl-detail { display: flex; }
.akl-detail-head { flex: none; display: flex; align-items: center; gap: 8px; padding: 4px 4px 2px 10px; } .akl-detail-head b { white-space: nowrap; } .akl-detail-head .akl-op { flex: 1; } .akl-detail-body { overflow: auto; padding: 2px 10px 10px; display: flex; flex-direction: column; gap: 6px; scrollbar-width: thin; }
.akl-quietbtn, .akl-nodelink, .akl-linkrow { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; text-decoration: underline; text-decoration-color: var(--ak-ink3); text-underline-offset: 2px; } .akl-quietbtn { color: var(--ak-ink2); font-size: var(--akl-small); } .akl-nodelink { font-family: var(--akl-mono); font-size: 12px; } .akl-nodelink:hover { text-decoration-color: currentColor; }
.akl-detail-body > * { flex: none; } .akl-codeline { display: block; padding: 3px 7px; background: var(--ak-paper) !important; border: 1px solid var(--ak-line) !important; border-radius: 2px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .akl-rule { font-size: var(--akl-small); line-height: 1.5; } .akl-rule b { font-weight: 600; }
.akl-blocks { display: flex; flex-wrap: wrap; gap: 6px 16px; } .akl-block { flex: 1 1 100%; min-width: 0; } .akl-block-head > span:first-child { white-space: nowrap; } .akl-block-head { display: flex; justify-content: space-between; gap: 8px; font-size: var(--akl-small); border-bottom: 1px solid var(--ak-line); padding-bottom: 2px; } .akl-block-fwd .akl-block-head > span:first-child { color: var(--ak-fwd-text); } .akl-block-rev .akl-block-head > span:first-child { color: var(--ak-rev-text); }
.akl-matrix { border-collapse: collapse; font-size: var(--akl-tiny); margin: 3px 0 0; max-width: 100%; } .akl-matrix td { text-align: right; padding: 1px 0 1px 8px; } .akl-matrix-fwd { color: var(--ak-fwd-text); } .akl-matrix-rev { color: var(--ak-rev-text); } .akl-matrix td.is-nan { color: var(--ak-nan); } .akl-matrix { border-left: 1px solid var(--ak-ink2); border-right: 1px solid var(--ak-ink2); padding: 0 4px; } .akl-matrix td:last-child { padding-right: 6px; } .akl-matrix.is-wide td { padding-left: 5px; } .akl-matrix.is-wide td:last-child { padding-right: 4px; } .akl-matrix-box { overflow-x: auto; scrollbar-width: thin; }
.akl-hook { display: flex; gap: 8px; padding: 5px 8px; border: 1px solid var(--ak-line2); border-radius: 3px; background: var(--ak-paper); font-size: var(--akl-small); } .akl-hook svg { margin-top: 1px; color: var(--ak-rev-text); } .akl-numt { font-variant-numeric: tabular-nums; }
@container (min-width: 720px) { .akl-main { flex-direction: row; } .akl-detail { max-height: none; border-top: 0; border-left: 1px solid var(--ak-line2); width: 320px; } .akl-transport { gap: 16px; } }
@container (max-width: 399px) { .akl-dir .akl-segments button { width: 34px; padding: 0; } .akl-dir .akl-segments button > span { position: absolute; clip-path: inset(50%); } .akl-transport { gap: 6px; } .akl-tabs button { margin: 0 4px; font-size: 12.5px; } .akl-badge { margin-left: 2px; } }
@container (min-width: 400px) and (max-width: 719px) { .akl-block { flex: 1 1 28%; } .akl-block-head { flex-direction: column; gap: 0; align-items: flex-start; border: 0; } .akl-blocks { flex-wrap: nowrap; } }

/* graph */
.akl-graph { position: relative; flex: 1; min-height: 0; overflow: hidden; background: radial-gradient(circle, color-mix(in srgb, var(--ak-ink) 18%, transparent) .8px, transparent .9px) 0 0 / 18px 18px; } .akl-graph-svg { position: absolute; inset: 0; width: 100%; height: 100%; cursor: grab; touch-action: none; } .akl-graph-tools { position: absolute; right: 8px; bottom: 8px; display: flex; flex-direction: column; background: var(--ak-paper); border: 1px solid var(--ak-line2); border-radius: 3px; } .akl-graph-note { position: absolute; left: 10px; bottom: 8px; right: 48px; font-size: var(--akl-tiny); color: var(--ak-ink2); pointer-events: none; text-shadow: 0 0 3px var(--ak-paper), 0 0 3px var(--ak-paper), 0 0 3px var(--ak-paper); }
.akl-box { cursor: pointer; } .akl-box-face { fill: var(--ak-paper); stroke: var(--ak-control); stroke-width: 1; } .akl-box-back { fill: var(--ak-paper); stroke: var(--ak-control); } .akl-box-name { font-weight: 600; font-size: 12px; fill: var(--ak-ink); } .akl-box-sub { font: 11px var(--akl-mono); fill: var(--ak-ink2); } .akl-box-fwd { fill: none; } .akl-box-rev { fill: none; stroke: none; }
.akl-box.is-fwd .akl-box-fwd { fill: var(--ak-fwd); } .akl-box.is-rev .akl-box-rev { stroke: var(--ak-rev); stroke-width: 4; stroke-dasharray: 4 2; } .akl-box.is-source .akl-box-face { stroke: var(--ak-ink); stroke-width: 1.5; } .akl-box.is-target .akl-box-face { stroke: var(--ak-ink); stroke-width: 2.5; } .akl-box.is-none .akl-box-face { stroke-dasharray: 4 3; fill: none; } .akl-box.is-none text { fill: var(--ak-ink2); } .akl-box.is-nan .akl-box-face { stroke: var(--ak-nan); stroke-width: 1.5; stroke-dasharray: 2 2; } .akl-box.is-nan .akl-box-name { fill: var(--ak-nan); } .akl-box.is-ahead { opacity: .5; } .akl-box.is-now .akl-box-face { stroke-width: 2; } .akl-box.now-fwd .akl-box-face { fill: var(--ak-fwd-tint); stroke: var(--ak-fwd); } .akl-box.now-rev .akl-box-face { fill: var(--ak-rev-tint); stroke: var(--ak-rev); } .akl-box:is(.is-hover, .is-lit) .akl-box-face { stroke: var(--ak-focus); stroke-width: 2; } .akl-box.is-sel .akl-box-face { stroke: var(--ak-ink); stroke-width: 2; } .akl-box-torn { fill: none; stroke: none; } .akl-box.is-torn .akl-box-torn { stroke: var(--ak-ink); stroke-width: 1.75; } .akl-box.is-torn .akl-box-face { stroke: var(--ak-ink); stroke-dasharray: 4 3; stroke-width: 2; }
.akl-edge { fill: none; stroke: var(--ak-line2); stroke-width: 1.25; } .akl-edge.is-loop { stroke-dasharray: 1 4; stroke-linecap: round; stroke: var(--ak-control); stroke-width: 1.6; } .akl-edge.is-hover { stroke: var(--ak-ink2); stroke-width: 1.5; } .akl-edge.is-fwd { stroke: var(--ak-fwd); stroke-width: 2.25; } .akl-edge.is-rev { stroke: var(--ak-rev); stroke-width: 2.25; stroke-dasharray: 5 3; }

/* cost, memory */
.akl-scrollview { flex: 1; min-height: 0; overflow: auto; padding: 12px 14px 20px; display: flex; flex-direction: column; gap: 12px; scrollbar-width: thin; }
.akl-figures { display: flex; gap: 20px; flex-wrap: wrap; } .akl-figures > div { display: flex; flex-direction: column; } .akl-figures b { font-size: 20px; font-weight: 600; line-height: 1.2; letter-spacing: -.01em; } .akl-figures span { font-size: var(--akl-small); color: var(--ak-ink2); } .akl-figures .akl-as-rev span { color: inherit; }
.akl-sub { display: flex; align-items: center; justify-content: space-between; gap: 8px; flex-wrap: wrap; } .akl-scrollview h3 { font-size: 13px; font-weight: 600; } .akl-scrollview h4 { font-size: var(--akl-small); font-weight: 600; margin-bottom: 3px; }
.akl-dear { display: flex; flex-direction: column; } .akl-dear li { display: flex; flex-direction: column; gap: 3px; padding: 7px 8px; margin: 0 -8px; border-radius: 3px; } .akl-dear li:hover, .akl-dear li.is-lit { background: var(--akl-hover); } .akl-dear-line { all: unset; box-sizing: border-box; display: flex; gap: 10px; width: 100%; cursor: pointer; } .akl-dear-line code { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .akl-dear-line:focus-visible { outline: 2px solid var(--ak-focus); } .akl-share { font-weight: 600; } .akl-dear-where { font-size: var(--akl-tiny); color: var(--ak-ink2); }
.akl-bar { display: flex; align-items: center; gap: 6px; height: 11px; } .akl-bar i { display: block; height: 8px; border-radius: 1px; max-width: calc(100% - 52px); flex: none; } .akl-bar em { font-style: normal; font-size: var(--akl-tiny); color: var(--ak-ink2); } .akl-bar-ink i { background: var(--ak-ink); } .akl-bar-rev i { background: repeating-linear-gradient(90deg, var(--ak-rev) 0 5px, color-mix(in srgb, var(--ak-rev) 55%, transparent) 5px 7px); } .akl-bar-held i { background: var(--ak-held); }
.akl-more summary { cursor: pointer; font-size: var(--akl-small); color: var(--ak-ink2); } .akl-plain { border-collapse: collapse; font-size: var(--akl-small); margin-top: 6px; } .akl-plain th, .akl-plain td { text-align: right; font-weight: 400; padding: 2px 14px 2px 0; border-bottom: 1px solid var(--ak-line); } .akl-plain thead th { color: var(--ak-ink2); } .akl-plain tr > :first-child { text-align: left; }
.akl-mem { overflow: visible; display: block; } .akl-mem text { font-size: var(--akl-tiny); fill: var(--ak-ink2); } .akl-mem text.akl-strong { fill: var(--ak-ink); font-weight: 600; } .akl-mem text.akl-in-rev { fill: var(--ak-rev-text); } .akl-mem-area { fill: var(--ak-held); opacity: .16; } .akl-mem-line { fill: none; stroke: var(--ak-ink); stroke-width: 1.75; } .akl-mem-release { fill: none; stroke: var(--ak-rev); stroke-width: 1.75; stroke-dasharray: 5 3; } .akl-axis { stroke: var(--ak-line2); fill: none; } .akl-mem-head path { stroke: var(--ak-ink); stroke-width: 1.25; } .akl-mem-head text { fill: var(--ak-ink); font-weight: 600; }

/* diff */
.akl-diff { flex: 1; min-height: 0; display: flex; flex-direction: column; --akl-grid: 26px minmax(100px, 1.3fr) minmax(76px, 1fr) minmax(76px, 1fr) 68px; } [data-size="xs"] .akl-diff { --akl-grid: 22px minmax(76px, 1.2fr) minmax(72px, 1fr) minmax(72px, 1fr); } [data-size="xs"] :is(.akl-diff-cols, .akl-diff-row) > :last-child { display: none; } .akl-diff-head { display: flex; flex-direction: column; gap: 7px; border-bottom: 1px solid var(--ak-line); } .akl-diff-pick { display: flex; align-items: center; gap: 7px; flex-wrap: wrap; min-width: 0; } .akl-diff-pick .akl-select { flex: 0 1 auto; } .akl-ab { width: 18px; height: 18px; display: inline-grid; place-items: center; border: 1px solid var(--ak-ink); border-radius: 2px; font-size: 11px; font-weight: 600; flex: none; } .akl-ab-b { background: var(--ak-ink); color: var(--ak-paper); } .akl-diff-sum { font-size: var(--akl-small); } .akl-diff-tools { display: flex; gap: 12px; align-items: center; flex-wrap: wrap; }
.akl-diff-row { padding-right: 10px; } .akl-sign { text-align: center !important; padding: 0 !important; font-weight: 700; } .akl-diff-row.is-same { color: var(--ak-ink2); } .akl-diff-row.is-new { background: color-mix(in srgb, var(--ak-ink) 6%, transparent); box-shadow: inset 3px 0 var(--ak-ink); } .akl-diff-row.is-gone { background: repeating-linear-gradient(135deg, color-mix(in srgb, var(--ak-held) 16%, transparent) 0 3px, transparent 3px 7px); } .akl-diff-row.is-gone .akl-name { text-decoration: line-through; text-decoration-thickness: 1px; } .akl-v-gap { display: none; }

/* why none */
.akl-why-ask { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; } .akl-verdict { display: flex; gap: 12px; align-items: flex-start; } .akl-verdict > .akl-v { flex: none; font-size: 14px; line-height: 20px; padding: 0 10px; border-radius: 12px; border-width: 1.5px; margin-top: 1px; } .akl-verdict h3 { font-size: 15px; line-height: 1.3; } .akl-verdict p { margin-top: 2px; max-width: 60ch; } .akl-okmark { width: 24px; height: 24px; border-radius: 50%; background: var(--ak-ink); color: var(--ak-paper); display: grid; place-items: center; flex: none; }
.akl-chain { position: relative; } .akl-chain li { position: relative; display: flex; align-items: center; gap: 7px; min-height: 26px; padding-left: 22px; cursor: pointer; border-radius: 2px; } .akl-chain li:hover { background: var(--akl-hover); } .akl-chain b { font-weight: 600; } .akl-chain-line { margin-left: auto; font-size: var(--akl-tiny); color: var(--ak-ink2); padding-right: 4px; }
.akl-chain li::before { content: ""; position: absolute; left: 8px; top: 0; bottom: 0; border-left: 2px solid var(--ak-fwd); } .akl-chain li.is-needed::before { border-left: 2px dashed var(--ak-rev); } .akl-chain li.is-both::before { border-color: var(--ak-ink); } .akl-chain li:first-child::before { top: 13px; } .akl-chain li:last-child::before { bottom: 13px; } .akl-chain-dot { position: absolute; left: 5px; width: 8px; height: 8px; border-radius: 50%; background: var(--ak-fwd); } .is-needed .akl-chain-dot { background: var(--ak-paper); border: 2px solid var(--ak-rev); } .is-both .akl-chain-dot { background: var(--ak-ink); } .akl-chain-lost .akl-chain-dot { background: var(--ak-paper); border: 1.5px dashed var(--ak-control); } .akl-chain-lost::before { border-left: 1.5px dashed var(--ak-control) !important; } .akl-chain-fold { color: var(--ak-ink2); font-size: var(--akl-small); } .akl-chain-fold .akl-chain-dot { width: 4px; height: 4px; left: 7px; }
.akl-chain .akl-chain-gap { margin: 8px 0; padding: 7px 10px 7px 34px; border: 1.5px dashed var(--ak-control); border-radius: 4px; } .akl-chain .akl-chain-gap::before { display: none; } .akl-chain-gap > div { display: flex; flex-direction: column; min-width: 0; } .akl-chain-gap code { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 600; } .akl-chain-gap div span { font-size: var(--akl-small); color: var(--ak-ink2); } .akl-chain-cut { position: absolute; left: 10px; top: 50%; transform: translateY(-50%); }
.akl-fix { border-left: 3px solid var(--ak-ink); padding-left: 10px; } .akl-fix p { max-width: 62ch; } .akl-others { border-top: 1px solid var(--ak-line); padding-top: 10px; } .akl-linkrow { min-height: 26px; align-items: center; display: flex; justify-content: space-between; gap: 10px; width: 100%; text-decoration: none; padding: 3px 6px; margin: 0 -6px; border-radius: 2px; text-align: left; } .akl-linkrow:hover { background: var(--akl-hover); } .akl-linkrow span { color: var(--ak-ink2); font-size: var(--akl-small); white-space: nowrap; }

/* empty */
.akl-empty { display: none; } [data-state="empty"] > :not(.akl-empty):not(.akl-head) { display: none; } [data-state="empty"] .akl-empty { display: flex; flex-direction: column; gap: 12px; padding: 28px 20px; align-items: flex-start; } .akl-empty-busy { display: none; } [data-kernel="busy"] .akl-empty-busy { display: flex; gap: 8px; align-items: center; } .akl-empty h2 { font-size: 15px; font-weight: 600; } .akl-empty pre { margin: 0; padding: 8px 10px; width: 100%; background: var(--ak-sunk); border: 1px solid var(--ak-line); border-radius: 2px; font: 12px/1.5 var(--akl-mono); color: inherit; overflow: auto; } .akl-empty-art { width: 100%; max-width: 260px; } .akl-empty-art .l { stroke: var(--ak-line2); } .akl-empty-art .on { fill: var(--ak-ink); opacity: .75; } .akl-empty-art .off { fill: none; stroke: var(--ak-control); stroke-dasharray: 2 2; } .akl-empty-art .hd { stroke: var(--ak-ink); stroke-width: 1.5; } .akl-empty-art .fw { fill: var(--ak-fwd); }
[data-state="one"] .akl-strip { display: none; }

/* welcome */
.akl-welcome { overflow: auto; background: var(--ak-paper); color: var(--ak-ink); } .akl-welcome-page { max-width: 620px; margin: 0 auto; padding: 32px 24px 40px; display: flex; flex-direction: column; gap: 18px; font-size: 14px; line-height: 1.55; } .akl-welcome h1 { margin: 0; font-size: 26px; line-height: 1.2; font-weight: 600; }
.akl-welcome-steps { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; gap: 12px; counter-reset: step; } .akl-welcome-steps li { counter-increment: step; display: grid; grid-template-columns: 28px minmax(0, 1fr); column-gap: 12px; } .akl-welcome-steps li::before { content: counter(step); grid-row: span 2; align-self: start; width: 26px; height: 26px; border: 1.5px solid var(--ak-ink); border-radius: 50%; display: grid; place-items: center; font-weight: 600; } .akl-welcome-steps b { display: block; }
.akl-grad { margin: 0; display: grid; gap: 6px; } .akl-grad-curve { display: block; width: 100%; height: auto; cursor: ew-resize; touch-action: none; } .akl-grad-axis { fill: none; stroke: var(--ak-line2); } .akl-grad-line { fill: none; stroke: var(--ak-ink); stroke-width: 2; } .akl-grad-tangent { fill: none; stroke: var(--ak-rev); stroke-width: 2.5; stroke-linecap: round; } .akl-grad-point { fill: var(--ak-ink); stroke: var(--ak-paper); stroke-width: 2; } .akl-grad input { width: 100%; margin: 0; accent-color: var(--ak-ink); } .akl-grad table { border-collapse: collapse; font-size: 13px; } .akl-grad :is(th, td) { font-weight: 400; text-align: right; padding: 1px 12px 1px 0; } .akl-grad thead th { color: var(--ak-ink2); } .akl-grad tbody th { text-align: left; } .akl-welcome .akl-grad-said { margin: 0; }
.akl-welcome .akl-actions { gap: 10px; } .akl-welcome .akl-actions button { min-height: 34px; padding: 0 16px; } .akl-link { text-decoration: underline; text-underline-offset: 2px; }
.akl-totals { display: grid; grid-template-columns: auto 1fr; gap: 1px 10px; margin: 6px 0 0; } .akl-totals dt { color: var(--ak-ink2); } .akl-totals dd { margin: 0; }

/* syllabus and exercises */
.akl-syl-head { flex: none; padding: 8px 8px 6px 12px; } .akl-syl-head h2 { font-size: 14px; font-weight: 600; flex: 1; min-width: 0; } .akl-syl-head .akl-facts { margin-top: 5px; } .akl-progress { display: flex; gap: 2px; margin: 6px 4px 0 0; } .akl-progress i { flex: 1 1 0; height: 8px; border: 1px solid var(--ak-control); border-radius: 1px; } .akl-progress i.is-done { background: var(--ak-ink); border-color: var(--ak-ink); } .akl-progress i.is-read { background: linear-gradient(90deg, var(--ak-ink) 50%, transparent 0); } .akl-progress i.is-begun { background: linear-gradient(90deg, var(--ak-ink) 25%, transparent 0); } .akl-progress i.is-none { border-color: var(--ak-line2); }
.akl-next { flex: none; margin: 4px 12px 6px; padding: 9px 11px 10px; border: 1px solid var(--ak-line2); border-left: 3px solid var(--ak-ink); border-radius: 3px; } .akl-next-kicker { font-size: var(--akl-tiny); color: var(--ak-ink2); } .akl-next-row { display: flex; align-items: center; gap: 10px; margin-top: 7px; }
.akl-syllabus .akl-tools { padding: 4px 12px 6px; } .akl-tree { flex: 1; min-height: 0; overflow: auto; padding: 0 0 16px; scrollbar-width: thin; border-top: 1px solid var(--ak-line); } .akl-second { font-weight: 600; } .akl-part { font-size: var(--akl-tiny); font-weight: 400; color: var(--ak-ink2); padding: 10px 12px 3px !important; }
.akl-lesson-row { display: grid; grid-template-columns: 16px 20px minmax(0, 1fr) auto; gap: 7px; align-items: center; padding: 0 12px; min-height: 28px; cursor: pointer; } .is-open > .akl-lesson-row { align-items: baseline; padding-top: 6px; } .is-open > .akl-lesson-row .akl-state { align-self: start; margin-top: 2px; } .akl-lesson-row:hover { background: var(--akl-hover); } .akl-lesson-title { overflow-wrap: anywhere; padding: 4px 0; line-height: 1.3; } .akl-no, .akl-min { color: var(--ak-ink2); font-size: var(--akl-small); } .akl-lesson.is-open { background: var(--ak-sunk); border-block: 1px solid var(--ak-line); } .akl-lesson.is-open .akl-lesson-title { font-weight: 600; white-space: normal; } .akl-lesson.is-done .akl-lesson-title { color: var(--ak-ink2); } .akl-lesson-body { padding: 2px 12px 12px 55px; display: flex; flex-direction: column; gap: 8px; } .akl-lesson-body dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 12px; font-size: var(--akl-small); } .akl-lesson-body dt { color: var(--ak-ink2); }
.akl-state { width: 15px; height: 15px; fill: none; stroke: var(--ak-control); stroke-width: 1.4; flex: none; } .akl-state .f { fill: var(--ak-ink); stroke: none; } .akl-state .tick { stroke: var(--ak-paper); stroke-width: 1.8; } .akl-state.is-begun, .akl-state.is-read { stroke: var(--ak-ink); } .akl-state.is-done circle:first-child { stroke: none; } .akl-needs li { min-height: 24px; display: flex; align-items: center; } .akl-need { min-height: 24px; min-width: 32px; font: inherit; text-align: left; color: inherit; background: none; border: 0; padding: 0; display: inline-flex; gap: 4px; align-items: center; cursor: pointer; text-decoration: underline; text-decoration-color: var(--ak-ink3); text-underline-offset: 2px; } .akl-need .akl-state { width: 12px; height: 12px; }
.akl-sheet { position: absolute; inset: 0; background: color-mix(in srgb, var(--ak-paper) 72%, transparent); display: flex; align-items: flex-end; z-index: 4; } .akl-sheet-box { width: 100%; padding: 14px; background: var(--ak-paper); border-top: 1px solid var(--ak-line2); display: flex; flex-direction: column; gap: 9px; } .akl-sheet h3 { font-size: 15px; } .akl-sheet h4 { font-size: var(--akl-small); font-weight: 600; } .akl-backups { border-top: 1px solid var(--ak-line); padding-top: 8px; } .akl-backups > div { display: flex; justify-content: space-between; align-items: center; font-size: var(--akl-small); padding-top: 4px; }
.akl-toast { flex: none; margin: 6px 10px 10px; padding: 8px 8px 8px 12px; background: var(--ak-ink); color: var(--ak-paper); border-radius: 3px; display: flex; gap: 10px; align-items: center; justify-content: space-between; font-size: var(--akl-small); } .akl-toast .akl-btn { background: none; color: inherit; border-color: currentColor; }
[data-jp-theme-light="false"] .akl :is(.akl-toast) { background: #e0e0e0; color: #212121; }
.akl-points { display: grid; grid-template-columns: auto auto 1fr; align-items: baseline; gap: 5px; margin-top: 6px; } .akl-points b { font-size: 20px; line-height: 1; } .akl-points > span { color: var(--ak-ink2); font-size: var(--akl-small); } .akl-points .akl-progress { align-self: center; margin: 0 4px 0 8px; }
.akl-questions { flex: 1; min-height: 0; overflow: auto; border-top: 1px solid var(--ak-line); scrollbar-width: thin; } .akl-q { border-bottom: 1px solid var(--ak-line); } .akl-q-head { display: grid; grid-template-columns: 22px minmax(0, 1fr) auto; gap: 8px; padding: 8px 12px; cursor: pointer; align-items: start; } .akl-q-head:hover { background: var(--akl-hover); } .akl-q-state { display: block; font-size: var(--akl-small); color: var(--ak-ink2); } .akl-q-mark { width: 22px; height: 22px; border-radius: 50%; border: 1.5px solid var(--ak-control); display: grid; place-items: center; color: var(--ak-ink2); margin-top: 1px; } .akl-q-mark svg { width: 13px; height: 13px; stroke-width: 1.8; } .is-passed .akl-q-mark { background: var(--ak-ink); border-color: var(--ak-ink); color: var(--ak-paper); } .is-failed .akl-q-mark { border-color: var(--ak-ink); color: var(--ak-ink); } .is-error .akl-q-mark { border-color: var(--ak-ink); border-style: dotted; color: var(--ak-ink); border-radius: 4px; } .is-not-attempted .akl-q-mark { border-style: dashed; } .akl-q.is-open { background: var(--ak-sunk); }
.akl-q-body { padding: 0 12px 12px 42px; display: flex; flex-direction: column; gap: 8px; } .akl-msg { border-left: 3px solid var(--ak-ink); padding-left: 9px !important; } .akl-tests li { display: flex; gap: 7px; align-items: center; font-size: var(--akl-small); min-height: 20px; } .akl-tests svg { width: 13px; height: 13px; } .akl-tests .ok { color: var(--ak-ink2); } .akl-tests .no { font-weight: 600; } .akl-hints { list-style: none; counter-reset: h; display: flex; flex-direction: column; gap: 5px; } .akl-hints li { counter-increment: h; padding: 5px 8px; background: var(--ak-paper); border: 1px solid var(--ak-line); border-radius: 2px; } .akl-hints li::before { content: counter(h) ". "; color: var(--ak-ink2); } .akl-solution { margin: 0; padding: 6px 8px; font: 12px/1.5 var(--akl-mono); background: var(--ak-paper); border: 1px solid var(--ak-line); color: inherit; overflow: auto; } .akl-handin { flex: none; display: flex; gap: 10px; align-items: center; justify-content: space-between; padding: 10px 12px; border-top: 1px solid var(--ak-line2); } .akl-handin p { flex: 1; display: flex; gap: 7px; font-size: var(--akl-small); }

.akl-hit { display: block; font-weight: 400; font-size: var(--akl-tiny); color: var(--ak-ink2); } .akl-tree mark { background: color-mix(in srgb, var(--ak-focus) 26%, transparent); color: inherit; }

/* A low window, such as one of 800 px at 200 %: a panel scrolls as a whole, or its list would be a slit. */
@media (max-height: 560px) { .akl-syllabus, .akl-exercises { overflow-y: auto; scrollbar-width: thin; } :is(.akl-syllabus, .akl-exercises) > :is(.akl-tree, .akl-questions) { flex: none; overflow: visible; } .akl-lesson, .akl-lesson-row { scroll-margin-top: 42px; } .akl-syllabus > .akl-tools { position: sticky; top: 0; z-index: 2; background: var(--ak-paper); } :is(.akl-syllabus, .akl-exercises) > :is(.akl-sheet, .akl-toast) { position: sticky; inset: auto 0 0; flex: none; } }

@media (prefers-reduced-motion: reduce) { .akl *, .akl *::before { animation: none !important; transition: none !important; } }
@media (forced-colors: active) { .akl-v-zero, .akl-progress i, .akl-state .f, .akl-bar i, .akl-segments button[aria-checked="true"], .akl-strip-canvas { forced-color-adjust: none; } .akl-now { outline: 2px solid Highlight; } }
@media (pointer: coarse) { .akl-btn, .akl-select, .akl-searchbox { height: 36px; } .akl-keys .akl-btn { width: 36px; } }
.akl-v-frozen { color: var(--ak-ink2); font-size: var(--akl-tiny); border: 1px solid var(--ak-line2); border-radius: 2px; padding: 0 4px; line-height: 14px; }
.akl-plainbtn { all: unset; box-sizing: border-box; display: flex; align-items: center; gap: 7px; flex: 1; min-width: 0; min-height: 24px; cursor: pointer; } .akl-chain-gap .akl-plainbtn { flex-direction: column; align-items: flex-start; gap: 0; } .akl .akl-plainbtn:focus-visible { outline: 2px solid var(--ak-focus); outline-offset: -2px; }
.akl button.akl-q-head { all: unset; box-sizing: border-box; width: 100%; display: grid; grid-template-columns: 22px minmax(0, 1fr) auto; gap: 8px; padding: 8px 12px; cursor: pointer; align-items: start; } .akl button.akl-q-head:hover { background: var(--akl-hover); } .akl button.akl-q-head:focus-visible { outline: 2px solid var(--ak-focus); outline-offset: -2px; }
.is-not-yet .akl-q-mark, .is-partial .akl-q-mark { border-color: var(--ak-ink); color: var(--ak-ink); } .is-not-tried .akl-q-mark { border-style: dashed; } .akl-lesson.is-coming .akl-lesson-title { color: var(--ak-ink2); font-style: italic; }
.akl-exercises > .akl-syl-head .akl-quiet { margin-top: 6px; } .akl-exercises .akl-actions { margin-top: 6px; }
@media (forced-colors: active) { .akl-now, .akl-tr.akl-sel, .akl-box.is-now .akl-box-face { outline: 2px solid Highlight; } .akl-v-fwd, .akl-v-rev { color: CanvasText; } }
@media (prefers-contrast: more) { .akl { --ak-ink: #000; --ak-ink2: #000; --ak-ink3: #333; --ak-line: #555; --ak-line2: #333; --ak-control: #000; } [data-jp-theme-light="false"] .akl { --ak-ink: #fff; --ak-ink2: #fff; --ak-ink3: #ddd; --ak-line: #bbb; --ak-line2: #ddd; --ak-control: #fff; } }

/* Forced colours: what is drawn by hand (strip, graph, curves, marks) takes the system's ink and paper, whatever the theme; shapes keep the two roles. */
@media (forced-colors: active) {
  .akl.akl { --ak-ink: CanvasText; --ak-ink2: CanvasText; --ak-ink3: GrayText; --ak-control: CanvasText; --ak-held: CanvasText; --ak-paper: Canvas; --ak-sunk: Canvas; --ak-line: CanvasText; --ak-line2: CanvasText; --ak-focus: Highlight;
    --ak-fwd: #0072b2; --ak-fwd-text: #00639b; --ak-rev: #d55e00; --ak-rev-text: #a84a00; --ak-nan: #b0148f; --ak-fwd-tint: Canvas; --ak-rev-tint: Canvas; }
  .akl-chain-dot, .akl-ab-b, .akl-live { forced-color-adjust: none; }
}
@media (forced-colors: active) and (prefers-color-scheme: dark) { .akl.akl { --ak-fwd: #56b4e9; --ak-fwd-text: #7cc6f0; --ak-rev: #f28e4a; --ak-rev-text: #ffae78; --ak-nan: #ff7ad9; } }

.akl-keep { flex: none; display: flex; flex-wrap: wrap; gap: 6px; align-items: center; padding: 8px 10px; border-top: 1px solid var(--ak-line2); } .akl-keep p { flex: 1 0 100%; }

/* above a notebook's cells while Python is on its way */
.akl-site { display: flex; flex-direction: row; align-items: center; gap: 4px 14px; padding: 0 12px; font-size: var(--jp-ui-font-size1); } .akl-site a { color: var(--jp-ui-font-color1); padding: 4px 0; text-underline-offset: 3px; } .akl-site .akl-site-name { font: 600 var(--jp-ui-font-size1) var(--jp-code-font-family); text-decoration: none; } .akl-site a:hover { text-decoration: underline; }
.akl.akl-start { display: flex; flex-direction: row; flex-wrap: wrap; align-items: center; gap: 2px 9px; height: auto; min-height: 30px; padding: 4px 12px; border-bottom: 1px solid var(--ak-line); background: var(--ak-sunk); } .akl-start progress { width: 140px; height: 6px; accent-color: var(--ak-ink); } .akl-start .akl-btn { margin-left: auto; height: 24px; }
`,""]),r.d(e,{},{A:t})},387(a){a.exports=function(a){var e=[];return e.toString=function(){return this.map(function(e){var r="",l=void 0!==e[5];return e[4]&&(r+="@supports (".concat(e[4],") {")),e[2]&&(r+="@media ".concat(e[2]," {")),l&&(r+="@layer".concat(e[5].length>0?" ".concat(e[5]):""," {")),r+=a(e),l&&(r+="}"),e[2]&&(r+="}"),e[4]&&(r+="}"),r}).join("")},e.i=function(a,r,l,i,o){"string"==typeof a&&(a=[[null,a,void 0]]);var t={};if(l)for(var n=0;n<this.length;n++){var k=this[n][0];null!=k&&(t[k]=!0)}for(var s=0;s<a.length;s++){var d=[].concat(a[s]);l&&t[d[0]]||(void 0!==o&&(void 0===d[5]||(d[1]="@layer".concat(d[5].length>0?" ".concat(d[5]):""," {").concat(d[1],"}")),d[5]=o),r&&(d[2]&&(d[1]="@media ".concat(d[2]," {").concat(d[1],"}")),d[2]=r),i&&(d[4]?(d[1]="@supports (".concat(d[4],") {").concat(d[1],"}"),d[4]=i):d[4]="".concat(i)),e.push(d))}},e}},18(a){a.exports=function(a){return a[1]}},443(a){var e=[];function r(a){for(var r=-1,l=0;l<e.length;l++)if(e[l].identifier===a){r=l;break}return r}function l(a,l){for(var i={},o=[],t=0;t<a.length;t++){var n=a[t],k=l.base?n[0]+l.base:n[0],s=i[k]||0,d="".concat(k," ").concat(s);i[k]=s+1;var p=r(d),x={css:n[1],media:n[2],sourceMap:n[3],supports:n[4],layer:n[5]};if(-1!==p)e[p].references++,e[p].updater(x);else{var c=function(a,e){var r=e.domAPI(e);return r.update(a),function(e){e?(e.css!==a.css||e.media!==a.media||e.sourceMap!==a.sourceMap||e.supports!==a.supports||e.layer!==a.layer)&&r.update(a=e):r.remove()}}(x,l);l.byIndex=t,e.splice(t,0,{identifier:d,updater:c,references:1})}o.push(d)}return o}a.exports=function(a,i){var o=l(a=a||[],i=i||{});return function(a){a=a||[];for(var t=0;t<o.length;t++){var n=r(o[t]);e[n].references--}for(var k=l(a,i),s=0;s<o.length;s++){var d=r(o[s]);0===e[d].references&&(e[d].updater(),e.splice(d,1))}o=k}}},300(a){var e={};a.exports=function(a,r){var l=function(a){if(void 0===e[a]){var r=document.querySelector(a);if(window.HTMLIFrameElement&&r instanceof window.HTMLIFrameElement)try{r=r.contentDocument.head}catch(a){r=null}e[a]=r}return e[a]}(a);if(!l)throw Error("Couldn't find a style target. This probably means that the value for the 'insert' parameter is invalid.");l.appendChild(r)}},727(a){a.exports=function(a){var e=document.createElement("style");return a.setAttributes(e,a.attributes),a.insert(e,a.options),e}},915(a,e,r){a.exports=function(a){var e=r.nc;e&&a.setAttribute("nonce",e)}},968(a){a.exports=function(a){if("u"<typeof document)return{update:function(){},remove:function(){}};var e=a.insertStyleElement(a);return{update:function(r){var l,i,o;l="",r.supports&&(l+="@supports (".concat(r.supports,") {")),r.media&&(l+="@media ".concat(r.media," {")),(i=void 0!==r.layer)&&(l+="@layer".concat(r.layer.length>0?" ".concat(r.layer):""," {")),l+=r.css,i&&(l+="}"),r.media&&(l+="}"),r.supports&&(l+="}"),(o=r.sourceMap)&&"u">typeof btoa&&(l+="\n/*# sourceMappingURL=data:application/json;base64,".concat(btoa(unescape(encodeURIComponent(JSON.stringify(o))))," */")),a.styleTagTransform(l,e,a.options)},remove:function(){var a;null===(a=e).parentNode||a.parentNode.removeChild(a)}}}},620(a){a.exports=function(a,e){if(e.styleSheet)e.styleSheet.cssText=a;else{for(;e.firstChild;)e.removeChild(e.firstChild);e.appendChild(document.createTextNode(a))}}},959(a,e,r){var l=r(443),i=r.n(l),o=r(968),t=r.n(o),n=r(300),k=r.n(n),s=r(915),d=r.n(s),p=r(727),x=r.n(p),c=r(620),f=r.n(c),h=r(583),g={};g.styleTagTransform=f(),g.setAttributes=d(),g.insert=k().bind(null,"head"),g.domAPI=t(),g.insertStyleElement=x(),i()(h.A,g),h.A&&h.A.locals&&h.A.locals}}]);
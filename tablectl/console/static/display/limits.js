/** The smallest and the largest bet, at the foot of the screen. */
import { html } from "/static/vendor/htm-preact.js";
import { showMoney } from "/static/shared/money.js";
import { betKeys } from "/static/display/places.js";
import { T } from "/static/display/speech.js";

/** Limits that all bets share stand once. */
export function Limits({ limits, table, game }) {
  const groups = grouped(limits ?? {});
  return html`<footer class="limits">
    ${groups.map(({ names, minimum, maximum }) => html`<p class="limit">
      ${groups.length > 1 && html`<span class="limit-bets">
        ${names.map((name) => html`<${T} of=${betKeys(game, name)} />`)}
      </span>`}
      <${T} of="page.display.least" /><b class="limit-figure">${showMoney(minimum)}</b>
      <${T} of="page.display.most" /><b class="limit-figure">${showMoney(maximum)}</b>
    </p>`)}
    <p class="table-name">${table}</p>
  </footer>`;
}

function grouped(limits) {
  const groups = new Map();
  for (const [name, { minimum, maximum }] of Object.entries(limits)) {
    const key = `${minimum}/${maximum}`;
    if (!groups.has(key)) groups.set(key, { names: [], minimum, maximum });
    groups.get(key).names.push(name);
  }
  return [...groups.values()];
}

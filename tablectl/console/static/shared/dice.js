/** Dice from above, as they lie: Chinese dice, whose ones and fours are red. */
import { html } from "/static/vendor/htm-preact.js";

const SPOTS = {
  1: [[50, 50]],
  2: [[28, 28], [72, 72]],
  3: [[26, 26], [50, 50], [74, 74]],
  4: [[29, 29], [71, 29], [29, 71], [71, 71]],
  5: [[27, 27], [73, 27], [50, 50], [27, 73], [73, 73]],
  6: [[29, 24], [71, 24], [29, 50], [71, 50], [29, 76], [71, 76]],
};

const RED = new Set([1, 4]);

/**
 * One die.
 *
 * @param {{value: number, label?: string}} props from 1 to 6; what a reader that hears the page says.
 */
export function Die({ value, label = String(value) }) {
  const radius = value === 1 ? 15 : 9.5;
  const spots = SPOTS[value].map(([x, y]) => html`<circle cx=${x} cy=${y} r=${radius} />`);
  return html`<svg class="die ${RED.has(value) ? "die-red" : ""}" viewBox="0 0 100 100" role="img" aria-label=${label}>
    <rect class="die-body" x="2" y="2" width="96" height="96" rx="18" />
    <g class="die-spots">${spots}</g>
  </svg>`;
}

/** Several dice in a row. */
export function Dice({ values, label }) {
  return html`<span class="dice" role="img" aria-label=${label || values.join(" ")}>
    ${values.map((value) => html`<${Die} value=${value} />`)}
  </span>`;
}

/** A pad of digits: for PINs, amounts, numbers. */
import { html } from "/static/vendor/htm-preact.js";

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/**
 * The keys of a telephone.
 *
 * @param {{words, add: function(string), remove: function(), point?: boolean}} props what a digit and the way back do;
 *   whether there is a decimal point.
 */
export function Digits({ words, add, remove, point = false }) {
  const key = (digit) =>
    html`<button type="button" class="button key" data-key=${digit} onClick=${() => add(digit)}>${digit}</button>`;
  return html`<div class="digits" role="group" aria-label=${words.say("page.dealer.pad.digits")}>
    ${DIGITS.map(key)}
    ${point ? key(".") : html`<span></span>`}
    ${key("0")}
    <button type="button" class="button key" data-key="Backspace" aria-label=${words.say("page.dealer.pad.back")}
      onClick=${remove}>⌫</button>
  </div>`;
}

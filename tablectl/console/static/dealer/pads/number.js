/** A whole number: turns, cards counted, which card of a hand. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { Digits } from "/static/dealer/pads/digits.js";

const LENGTH_MAX = 3;

export function NumberPad({ desk, done }) {
  const [text, setText] = useState("");
  return html`<div class="number-pad">
    <output class="amount">${text || "–"}</output>
    <${Digits} words=${desk.words} add=${(digit) => setText((now) => (now + digit).slice(0, LENGTH_MAX))}
      remove=${() => setText((now) => now.slice(0, -1))} />
    <button type="button" class="button button-main wide" data-key="Enter" aria-disabled=${text === ""} onClick=${() => done(Number(text))}>
      ${desk.words.say("page.dealer.form.take")}
    </button>
  </div>`;
}

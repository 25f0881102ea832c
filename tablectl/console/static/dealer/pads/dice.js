/** A throw as the dealer saw it: one tap for each die, or why it isn't valid. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { ACT_KEYS } from "/static/dealer/keys.js";
import { Die } from "/static/shared/dice.js";

const FACES = [1, 2, 3, 4, 5, 6];
const USUAL_DICE = 3;

export function DicePad({ desk, values, done, also }) {
  const { words, layout } = desk;
  const [dice, setDice] = useState([]);
  const count = layout.dice || USUAL_DICE;
  const flaws = (layout.reasons ?? []).filter((one) => one.verb === "invalidate_throw");
  const add = (face) => setDice((now) => (now.length < count ? [...now, face] : now));
  return html`<div class="dice-pad">
    <p class="entered" aria-live="polite">
      <span class="dice">${dice.map((face) => html`<${Die} value=${face} />`)}</span>
      <span class="faint">${words.say("page.dealer.pad.dice_of", { number: dice.length, count })}</span>
    </p>
    <div class="faces" role="group" aria-label=${words.say("page.dealer.pad.dice")}>
      ${FACES.map((face) => html`<button type="button" class="button key" key=${face} data-key=${String(face)} data-face=${face}
        onClick=${() => add(face)}><${Die} value=${face} /></button>`)}
    </div>
    <div class="row">
      <button type="button" class="button" data-key="Backspace" aria-disabled=${!dice.length} onClick=${() => setDice(dice.slice(0, -1))}>
        ${words.say("page.dealer.pad.undo")}
      </button>
      <button type="button" class="button button-main" data-key="Enter" aria-disabled=${!values.flaw && dice.length !== count}
        onClick=${() => done(dice)}>
        ${words.say("page.dealer.form.take")}
      </button>
    </div>
    ${flaws.length && desk.verbs.get(desk.form.verb)?.fields.some((one) => one.name === "flaw")
      ? html`<div class="choices" role="group" aria-label=${words.say("page.dealer.pad.flaw")}>
          ${flaws.map(({ kind, label }, nth) => html`<button type="button" class="button" key=${kind} data-key=${ACT_KEYS[nth]} data-value=${kind}
            aria-pressed=${String(values.flaw === kind)} onClick=${() => also("flaw", values.flaw === kind ? null : kind)}>
            ${words.pick(label)}
          </button>`)}
        </div>`
      : null}
  </div>`;
}

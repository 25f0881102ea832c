/** An amount out of chips, or, where it is no round one, out of digits. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { fromHundredths, showMoney, toHundredths } from "/static/shared/money.js";
import { chipsOf } from "/static/dealer/betting.js";
import { Digits } from "/static/dealer/pads/digits.js";

const AMOUNT = /^\d{0,9}(\.\d{0,2})?$/;

/** Chips that can be taken away again one by one, until the amount is put down. */
export function Chips({ desk, chips, change }) {
  const { words, layout } = desk;
  const add = (chip) => change([...chips, chip]);
  return html`<div class="chips" role="group" aria-label=${words.say("page.dealer.pad.chips")}>
    ${chipsOf(layout).map(
      (chip, nth) => html`<button type="button" class="chip chip-${nth % 6}" key=${chip} data-key=${String(nth + 1)}
        data-chip=${chip} onClick=${() => add(chip)}>${showMoney(chip)}</button>`,
    )}
    <button type="button" class="button" data-key="Backspace" aria-disabled=${!chips.length} onClick=${() => change(chips.slice(0, -1))}>
      ${words.say("page.dealer.pad.undo")}
    </button>
    <button type="button" class="button" data-key="Delete" aria-disabled=${!chips.length} onClick=${() => change([])}>
      ${words.say("page.dealer.pad.clear")}
    </button>
  </div>`;
}

export const total = (chips) => chips.reduce((sum, chip) => sum + toHundredths(chip), 0);

/** The pad for an amount; it proposes the least that is asked for, where the table says one. */
export function MoneyPad({ desk, field, done }) {
  const { words } = desk;
  const [chips, setChips] = useState([]);
  const [typed, setTyped] = useState(null);
  const amount = typed === null ? total(chips) : toHundredths(typed || "0");
  const least = field.name === "capital" ? desk.state.round?.banker?.least_capital : null;
  const type = (next) => AMOUNT.test(next) && setTyped(next.replace(/^0+(?=\d)/, ""));
  const fine = amount !== null && (amount > 0 || field.name === "share");
  return html`<div class="money">
    <output class="amount">${typed === null ? showMoney(amount) : typed || "0"}</output>
    ${typed === null
      ? html`<${Chips} desk=${desk} chips=${chips} change=${setChips} />`
      : html`<${Digits} words=${words} point=${true} add=${(digit) => type(typed + digit)} remove=${() => type(typed.slice(0, -1))} />`}
    <div class="row">
      <button type="button" class="button" data-key="ArrowDown" onClick=${() => setTyped(typed === null ? fromHundredths(total(chips)) : null)}>
        ${words.say(typed === null ? "page.dealer.pad.digits" : "page.dealer.pad.chips")}
      </button>
      ${least && toHundredths(least) > 0
        ? html`<button type="button" class="button" data-key="ArrowUp" onClick=${() => setTyped(fromHundredths(toHundredths(least)))}>
            ${words.say("page.dealer.pad.least", { least: showMoney(least) })}
          </button>`
        : null}
    </div>
    <button type="button" class="button button-main wide" data-key="Enter" aria-disabled=${!fine} onClick=${() => done(fromHundredths(amount))}>
      ${words.say("page.dealer.form.take")}
    </button>
  </div>`;
}

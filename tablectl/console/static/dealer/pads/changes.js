/** What bettors get more, or give back, after a round was settled wrongly: a name, a sign and an amount each. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { fromHundredths, showMoney } from "/static/shared/money.js";
import { Chips, total } from "/static/dealer/pads/money.js";
import { BettorPad } from "/static/dealer/pads/names.js";

export function ChangesPad({ desk, done }) {
  const { words } = desk;
  const [changes, setChanges] = useState([]);
  const [bettor, setBettor] = useState(null);
  const [chips, setChips] = useState([]);
  const add = (sign) => {
    setChanges([...changes, { bettor, amount: fromHundredths(sign * total(chips)) }]);
    setBettor(null);
    setChips([]);
  };
  return html`<div class="changes">
    <ul>${changes.map((one) => html`<li>${one.bettor}: <strong>${showMoney(one.amount, { sign: true })}</strong></li>`)}</ul>
    ${bettor === null
      ? html`<${BettorPad} desk=${desk} values=${{}} done=${setBettor} />`
      : html`<p>${bettor}: <output class="amount">${showMoney(total(chips))}</output></p>
          <${Chips} desk=${desk} chips=${chips} change=${setChips} />
          <div class="row">
            <button type="button" class="button" aria-disabled=${!chips.length} data-value="+" data-key="+" onClick=${() => add(1)}>
              ${words.say("page.dealer.pad.gets")}
            </button>
            <button type="button" class="button" aria-disabled=${!chips.length} data-value="-" data-key="-" onClick=${() => add(-1)}>
              ${words.say("page.dealer.pad.gives_back")}
            </button>
          </div>`}
    <button type="button" class="button button-main wide" data-key="Enter" aria-disabled=${!changes.length || bettor !== null}
      onClick=${() => done(changes)}>${words.say("page.dealer.form.take")}</button>
  </div>`;
}

/** What the round that has just ended pays, bet by bet, for the dealer to pay it. */
import { html } from "/static/vendor/htm-preact.js";
import { showMoney } from "/static/shared/money.js";
import { betLabel } from "/static/dealer/labels.js";

export function Result({ desk }) {
  const { words, state } = desk;
  const settlement = state.result?.settlement;
  if (state.round_id !== null || !state.result) return null;
  if (!settlement) return html`<p class="result">${words.say("page.dealer.result_void", { round: state.result.round_id })}</p>`;
  return html`<section class="result" aria-labelledby="result-title">
    <h2 id="result-title">${words.say("page.dealer.result", { round: state.result.round_id ?? "" })}</h2>
    <table>
      <tbody>${linesOf(settlement).map((line) => html`<${Line} desk=${desk} line=${line} />`)}</tbody>
    </table>
  </section>`;
}

function Line({ desk, line }) {
  const { words } = desk;
  return html`<tr>
    <th scope="row">${line.place === undefined ? "" : words.place(line.place)} ${line.bettor ?? ""}</th>
    <td>${line.layer ? words.say(`layer.chinese_dice.${line.layer}`) : line.bet ? betLabel(desk, line.bet) : ""}</td>
    <td>${line.outcome ? words.first([`outcome_short.${line.outcome}`, `outcome.${line.outcome}`]) : ""}</td>
    <td class="number">${showMoney(line.net, { sign: true })}</td>
  </tr>`;
}

/** Every settled stake with its place, whatever the game calls the list that it is in. */
function linesOf(settlement) {
  const places = settlement.places ?? [];
  const placed = places.flatMap((place) => place.bets.map((bet) => ({ place: place.place, ...bet })));
  const bank = settlement.bank ?? [];
  return [...placed, ...(settlement.bets ?? []), ...bank];
}

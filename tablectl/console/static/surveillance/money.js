/** The bets of a round, what became of each, and that all of its money sums to zero. */
import { html } from "/static/vendor/htm-preact.js";
import { showMoney } from "/static/shared/money.js";
import { term } from "/static/surveillance/speech.js";

export function Bets({ words, round }) {
  const { settlement } = round.settled;
  if (!settlement) return null;
  const rows = [
    ...(settlement.bets ?? []).map((bet) => [null, bet]),
    ...(settlement.places ?? []).flatMap((place) => place.bets.map((bet) => [place.place, bet])),
  ];
  const heads = ["place", "bettor", "bet", "staked", "result", "net", "commission"];
  return html`<table class="money">
    <thead><tr>${heads.map((key) => html`<th key=${key} scope="col" class=${NUMBERS.has(key) ? "number" : ""}>${words.say(`page.surveillance.${key}`)}</th>`)}</tr></thead>
    <tbody>
      ${rows.map(([place, bet], nth) => html`<tr key=${nth}>
        <td>${place === null ? "" : words.place(place)}</td><td>${bet.bettor}</td>
        <td>${bet.bet ? term(words, "bet", bet.bet, round.game) : ""}</td>
        <td class="number">${showMoney(bet.stake)}</td><td>${words.say(`outcome.${bet.outcome}`)}</td>
        <td class="number">${showMoney(bet.net, { sign: true })}</td><td class="number">${showMoney(bet.commission)}</td>
      </tr>`)}
    </tbody>
  </table>`;
}

const NUMBERS = new Set(["staked", "net", "commission"]);

export function Money({ words, round }) {
  const { money } = round;
  if (!money) return null;
  const shares = [...money.bettors.map((share) => [share.name, share]), ...money.bank.map((share) => [`${words.say("explain.layer")}: ${share.name}`, share])];
  const heads = ["bettor", "staked", "net", "commission"];
  const signed = (amount) => showMoney(amount, { sign: true });
  const sum = { bettors: signed(money.bettors_net), bank: signed(money.bank_net), commission: showMoney(money.commission), house: signed(money.house), sum: showMoney(money.sum) };
  return html`<h3>${words.say("explain.money")}</h3>
    <table class="money">
      <thead><tr>${heads.map((key) => html`<th key=${key} scope="col" class=${NUMBERS.has(key) ? "number" : ""}>${words.say(`page.surveillance.${key}`)}</th>`)}</tr></thead>
      <tbody>${shares.map(([name, share]) => html`<tr key=${name}><td>${name}</td><td class="number">${showMoney(share.staked)}</td>
        <td class="number">${showMoney(share.net, { sign: true })}</td><td class="number">${showMoney(share.commission)}</td></tr>`)}</tbody>
    </table>
    <p class="sum">${words.say("explain.sum", sum)}</p>`;
}

/** What goes back to whom after a void round. */
export function Returned({ words, round }) {
  return html`<table class="money"><tbody>
    ${round.returned.map((bet, nth) => html`<tr key=${nth}><td>${words.say("explain.returned")}</td><td>${words.place(bet.place)}</td>
      <td>${bet.bettor}</td><td>${term(words, "bet", bet.bet, round.game)}</td><td class="number">${showMoney(bet.stake)}</td></tr>`)}
  </tbody></table>`;
}

/** What follows of an entry, as the table says it before anything is done. */
import { html } from "/static/vendor/htm-preact.js";
import { showMoney } from "/static/shared/money.js";
import { Said } from "/static/dealer/amend.js";
import { factLabel } from "/static/dealer/amend_values.js";

/** Where the round is then, what has to be entered again, and everybody's money. */
export function Outcome({ desk, outcome, lead = "would" }) {
  const { words, layout } = desk;
  const { phase, asks_again: again, nets, to_pay, to_take_back } = outcome;
  const at = nets?.after ? words.say("page.dealer.amend.end") : words.first([`phase.${layout.game}.${phase}`, phase]);
  return html`<p class="follows">${words.say(`page.dealer.amend.${lead}`)} <b>${at}</b></p>
    <${Again} desk=${desk} facts=${again ?? []} />
    <${Nets} desk=${desk} nets=${nets} />
    <${Money} words=${words} kind="to_pay" lines=${to_pay} />
    <${Money} words=${words} kind="to_take_back" lines=${to_take_back} />`;
}

/** What has to be entered again, because it isn't lawful any more. */
export function Again({ desk, facts }) {
  if (!facts.length) return null;
  return html`<div><h3>${desk.words.say("page.dealer.amend.asks_again")}</h3>
    <ul class="again">${facts.map((fact, nth) => html`<li key=${nth}><b>${factLabel(desk, fact.verb)}</b> <${Said} desk=${desk} verb=${fact.verb} fields=${fact.fields} /></li>`)}</ul></div>`;
}

/** Whose money changes, before and after; a round that isn't over has none yet. */
function Nets({ desk, nets }) {
  const { words } = desk;
  const { before, after } = nets ?? {};
  if (!before && !after) return null;
  const netIn = (side, bettor) => side?.bettors.find((one) => one.bettor === bettor)?.net;
  const money = (net) => (net === undefined ? "–" : showMoney(net, { sign: true }));
  const names = new Set([...(before?.bettors ?? []), ...(after?.bettors ?? [])].map((one) => one.bettor));
  const bettors = [...names].filter((name) => netIn(before, name) !== netIn(after, name));
  if (!bettors.length) return html`<p>${words.say("page.dealer.amend.same")}</p>`;
  // An entry that ends the round has nothing before it.
  const sides = before ? ["before", "after"] : ["after"];
  const row = (name, netOf) => html`<tr key=${name}><th scope="row">${name}</th>${sides.map((side) => html`<td class="number" key=${side}>${money(netOf(nets[side]))}</td>`)}</tr>`;
  return html`<table class="nets">
    <thead><tr><th scope="col">${words.say("page.dealer.field.bettor")}</th>${sides.map((side) => html`<th scope="col" class="number" key=${side}>${words.say(`page.dealer.amend.${side}`)}</th>`)}</tr></thead>
    <tbody>${bettors.map((bettor) => row(bettor, (side) => netIn(side, bettor)))}
      ${row(words.say("page.dealer.amend.house"), (side) => side?.house)}</tbody>
  </table>`;
}

function Money({ words, kind, lines }) {
  if (!lines?.length) return null;
  return html`<div data-money=${kind}><h3>${words.say(`page.dealer.amend.${kind}`)}</h3>
    <ul class="payments">${lines.map((one) => html`<li class="payment" key=${one.bettor}><b>${one.bettor}</b> <strong class="number">${showMoney(one.amount)}</strong></li>`)}</ul></div>`;
}

/** What the round that ended pays and collects, place by place in the order of paying, or why it is void; and what is still due. */
import { html } from "/static/vendor/htm-preact.js";
import { showMoney } from "/static/shared/money.js";
import { CHIP_KEYS } from "/static/dealer/keys.js";
import { betLabel } from "/static/dealer/labels.js";
import { articleText } from "/static/dealer/notice.js";
import { offersOf } from "/static/dealer/offers.js";
import { paymentsOf, shownResult } from "/static/dealer/tableau.js";

/** What is due beside the lines of the shown result: of a part, of a correction, of a round before; also between rounds. */
export function Due({ desk }) {
  const { words, state } = desk;
  const result = shownResult(state);
  const listed = result && !result.void ? result.round_id : null;
  const dues = state.payment
    .flatMap(({ round_id, bets, changes }) => [...(round_id === listed ? [] : bets), ...changes]
      .map((line, nth, lines) => ({ round_id, net: line.amount, ...line, pays: line.bet || nth === lines.length - 1 })));
  if (!dues.length) return null;
  return html`<section class="due" aria-labelledby="due-title">
    <h2 id="due-title">${words.say("page.dealer.due")}</h2>
    <ol class="payments">
      ${dues.map((line, nth) => html`<li class="payment payment-${sign(line.net)}" key=${nth} data-due=${line.bettor}>
        <span><b>${line.place === undefined ? "" : words.place(line.place)}</b> ${line.bettor}
          ${line.round_id === state.round_id ? null : html` <span class="faint">${line.round_id}</span>`}<br />
          ${line.bet ? betLabel(desk, line.bet) : words.say("page.dealer.due_difference")}</span>
        <strong class="number">${showMoney(line.net, { sign: true })}</strong>
        ${line.pays ? html`<${Pay} key=${JSON.stringify(line)} desk=${desk} line=${line} nth=${nth} />` : null}
      </li>`)}
    </ol>
  </section>`;
}

/** The button by which a line is paid or collected with all else of its place; the differences, which have none, with all that is due of their round. */
function Pay({ desk, nth, line: { round_id = desk.state.round_id, place = null, net } }) {
  const { words, state, shown } = desk;
  const may = desk.verbs.get("pay_place")?.roles.includes(desk.who.role);
  const offered = (one) => one.allowed && (one.fields.place ?? null) === place;
  // A round that is over is paid whatever has happened since; in the open one the table says when.
  if (!may || (round_id === state.round_id && !offersOf(desk.offers, "pay_place").some(offered))) return null;
  return html`<button type="button" class="button" data-pay=${String(place)} data-key=${CHIP_KEYS[nth]} aria-disabled=${!desk.live}
    onClick=${() => desk.send("pay_place", place === null ? {} : { place }, { ...shown, round_id })}>
    ${words.say(place === null ? "page.dealer.next.pay_place_all" : `page.dealer.pay.${sign(net)}`)}</button>`;
}

export function Result({ desk }) {
  const result = shownResult(desk.state);
  if (!result) return null;
  return result.void ? html`<${Void} desk=${desk} result=${result} />` : html`<${Settled} desk=${desk} result=${result} />`;
}

function Settled({ desk, result }) {
  const { words } = desk;
  const bank = result.settlement.bank ?? [];
  return html`<section class="result" aria-labelledby="result-title">
    <h2 id="result-title">${words.say("page.dealer.result")}</h2>
    <ol class="payments">
      ${paymentsOf(result).map((line, nth) => html`<${Payment} key=${nth} desk=${desk} line=${line} nth=${nth} />`)}
      ${bank.map((line) => html`<${Payment} key=${line.layer + line.bettor} desk=${desk} line=${line} />`)}
    </ol>
    <p class="faint">${result.round_id}</p>
  </section>`;
}

/** One stake: where and whose it is, what came of it, what is paid (+) or collected (−), and whether that is done. */
function Payment({ desk, line, nth }) {
  const { words, state } = desk;
  const where = line.place === undefined ? "" : words.place(line.place);
  const what = line.layer ? words.say(`layer.chinese_dice.${line.layer}`) : line.bet ? betLabel(desk, line.bet) : "";
  const open = state.phase === "paying" && Number(line.net) && !line.layer;
  const due = open && isDue(state, line);
  return html`<li class="payment payment-${sign(line.net)}" data-paid=${open ? String(!due) : undefined}>
    <span><b>${where}</b> ${line.bettor ?? ""}<br />${what} ${showMoney(line.stake ?? line.amount)}</span>
    <span class="outcome">${line.outcome ? words.first([`outcome_short.${line.outcome}`, `outcome.${line.outcome}`]) : ""}
      <strong class="number">${showMoney(line.net, { sign: true })}</strong></span>
    ${due ? html`<${Pay} desk=${desk} line=${line} nth=${nth} />` : null}
    ${open && !due ? html`<span class="lamp lamp-good">${words.say("page.dealer.dice.paid")}</span>` : null}
  </li>`;
}

/** Whether this very line is due: another one of its place may have been paid before. */
const isDue = ({ payment, round_id }, line) =>
  payment.some((due) => due.round_id === round_id && due.bets.some((one) => ["place", "bettor", "bet", "net"].every((name) => one[name] === line[name])));

const sign = (net) => (net.startsWith("-") ? "lost" : Number(net) ? "won" : "even");

/** A round without a result: under which article, why, and what goes back to whom. */
function Void({ desk, result }) {
  const { words } = desk;
  return html`<section class="result result-void" aria-labelledby="result-title">
    <h2 id="result-title">${words.say("page.dealer.void.title")}</h2>
    <p><span class="article">${articleText(words, result.article)}</span> ${cause(words, result.reason)}</p>
    <${Amounts} words=${words} title="page.dealer.void.returned" lines=${result.returned.map((bet) => ({ ...bet, amount: bet.stake, what: betLabel(desk, bet.bet) }))} />
    <${Amounts} words=${words} title="page.dealer.void.take_back" lines=${result.to_take_back ?? []} />
    <p class="faint">${result.round_id}</p>
  </section>`;
}

/** The reason in words: the house's own where it has a name, else as a person wrote it. */
const cause = (words, reason) => (typeof reason === "object" ? words.pick(reason) : words.first([`void.${reason}`, reason]));

function Amounts({ words, title, lines }) {
  if (!lines.length) return null;
  return html`<h3>${words.say(title)}</h3>
    <ol class="payments">
      ${lines.map((line, nth) => html`<li class="payment" key=${nth}>
        <span><b>${line.place === undefined ? "" : words.place(line.place)}</b> ${line.bettor}<br />${line.what ?? ""}</span>
        <strong class="number">${showMoney(line.amount ?? line.net ?? line.stake)}</strong>
      </li>`)}
    </ol>`;
}

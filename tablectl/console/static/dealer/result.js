/** What the round that ended pays and collects, place by place in the order of paying; or why it is void. */
import { html } from "/static/vendor/htm-preact.js";
import { showMoney } from "/static/shared/money.js";
import { begin } from "/static/dealer/asking.js";
import { betLabel } from "/static/dealer/labels.js";
import { articleText } from "/static/dealer/notice.js";
import { offersOf } from "/static/dealer/offers.js";
import { paymentsOf, shownResult } from "/static/dealer/tableau.js";

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
      ${paymentsOf(result).map((line, nth) => html`<${Payment} key=${nth} desk=${desk} line=${line} />`)}
      ${bank.map((line) => html`<${Payment} key=${line.layer + line.bettor} desk=${desk} line=${line} />`)}
    </ol>
    <p class="faint">${result.round_id}</p>
  </section>`;
}

/** One stake: where and whose it is, what came of it, what is paid (+) or collected (−), and whether that is done. */
function Payment({ desk, line }) {
  const { words, state, shown } = desk;
  const where = line.place === undefined ? "" : words.place(line.place);
  const what = line.layer ? words.say(`layer.chinese_dice.${line.layer}`) : line.bet ? betLabel(desk, line.bet) : "";
  const due = state.phase === "paying" ? offersOf(desk.offers, "pay_place").find((offer) => offer.allowed && offer.fields.place === line.place) : null;
  return html`<li class="payment payment-${sign(line.net)}" data-paid=${state.phase === "paying" ? String(!due) : undefined}>
    <span><b>${where}</b> ${line.bettor ?? ""}<br />${what} ${showMoney(line.stake ?? line.amount)}</span>
    <span class="outcome">${line.outcome ? words.first([`outcome_short.${line.outcome}`, `outcome.${line.outcome}`]) : ""}
      <strong class="number">${showMoney(line.net, { sign: true })}</strong></span>
    ${due ? html`<button type="button" class="button" data-pay=${String(line.place)} disabled=${!desk.live}
      onClick=${() => begin(desk, "pay_place", { ...due.fields }, shown)}>${words.say(`page.dealer.pay.${sign(line.net)}`)}</button>` : null}
    ${state.phase === "paying" && !due ? html`<span class="lamp lamp-good">${words.say("page.dealer.dice.paid")}</span>` : null}
  </li>`;
}

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

/** Chinese dice: eight places around the bowl, the bank going round to the right. */
import { html } from "/static/vendor/htm-preact.js";
import { Dice } from "/static/shared/dice.js";
import { showMoney } from "/static/shared/money.js";
import { Facts, Place } from "/static/dealer/felt/parts.js";

export function ChineseDiceFelt({ desk }) {
  const { layout } = desk;
  return html`<div class="places places-ring ring-${layout.places.length}">
    ${layout.places.map((place) => html`<${Seat} key=${place} desk=${desk} place=${place} />`)}
    <${Bowl} desk=${desk} />
  </div>`;
}

function Seat({ desk, place }) {
  const { words, state } = desk;
  const { seats, banker, due, paid, places } = state.round;
  const seated = seats.find((seat) => seat.place === place)?.bettor;
  const marks = [
    banker?.place === place ? words.say("place.banker") : "",
    due?.place === place ? words.say(`page.dealer.dice.due_${due.to}`) : "",
    paid.includes(place) ? words.say("page.dealer.dice.paid") : "",
  ].filter(Boolean);
  const here = banker?.place === place ? banker : places.find((one) => one.place === place);
  return html`<${Place} desk=${desk} place=${place} mark=${marks.join(", ")} extra=${`seat-${place}`}>
    <p class="seated">${seated ?? html`<span class="faint">${words.say("page.dealer.seat.empty")}</span>`}</p>
    <${Throws} desk=${desk} of=${here} />
  <//>`;
}

/** The last throw of a place, with the marker of what it made. */
function Throws({ desk, of }) {
  const last = of?.throws[of.throws.length - 1];
  if (!of?.throws.length) return null;
  return html`<p class="thrown">
    ${last ? html`<${Dice} values=${last} />` : desk.words.say("page.dealer.dice.invalid")}
    ${of.combination ? html` <b>${combination(desk, of.combination)}</b>` : null}
  </p>`;
}

const combination = (desk, name) => desk.words.first([`combination.chinese_dice.${name}`, name]);

function Bowl({ desk }) {
  const { words, state } = desk;
  const { banker, bank, due } = state.round;
  return html`<section class="bowl">
    <${Facts} items=${[
      [words.say("place.banker"), banker ? `${banker.bettor}, ${words.place(banker.place)}` : "–"],
      [words.say("bet.chinese_dice.capital"), banker ? showMoney(banker.capital) : null],
      [words.say("page.dealer.dice.bank"), bank ? showMoney(bank.capital) : null],
      [words.say("page.dealer.dice.room"), bank ? showMoney(bank.room) : null],
      [words.say("page.dealer.dice.next"), due ? `${due.bettor}, ${words.place(due.place)}: ${words.say(`page.dealer.dice.due_${due.to}`)}` : null],
    ]} />
    <${Payments} desk=${desk} />
  </section>`;
}

/** What the place that is due gets or gives. */
function Payments({ desk }) {
  const { words, state } = desk;
  const due = state.round.due;
  const lines = due?.to === "pay" ? state.round.payments.filter((line) => line.place === due.place) : [];
  if (!lines.length) return null;
  return html`<table class="payments"><tbody>
    ${lines.map((line) => html`<tr>
      <th scope="row">${line.bettor}</th>
      <td>${line.outcome ? words.first([`outcome_short.${line.outcome}`, `outcome.${line.outcome}`]) : ""}</td>
      <td class="number">${line.net === undefined ? "" : showMoney(line.net, { sign: true })}</td>
    </tr>`)}
  </tbody></table>`;
}

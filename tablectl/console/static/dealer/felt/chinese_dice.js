/** Chinese dice: eight places around the bowl, the bank going round to the right. */
import { html } from "/static/vendor/htm-preact.js";
import { Dice } from "/static/shared/dice.js";
import { showMoney } from "/static/shared/money.js";
import { AtPlace, throwAt } from "/static/dealer/at_place.js";
import { ownBettor } from "/static/dealer/betting.js";
import { Facts, Place, Spot, handAt } from "/static/dealer/felt/parts.js";
import { shownResult, tableau } from "/static/dealer/tableau.js";

export function ChineseDiceFelt({ desk }) {
  const { layout } = desk;
  return html`<div class="places places-ring ring-${layout.places.length}">
    ${layout.places.map((place) => html`<${Seat} key=${place} desk=${desk} place=${place} />`)}
    <${Bowl} desk=${desk} />
  </div>`;
}

function Seat({ desk, place }) {
  const { words, state } = desk;
  const { banker, due, paid, places } = state.round;
  const holds = banker?.place === place;
  const marks = [
    holds ? words.say("place.banker") : "",
    due?.place === place ? words.say(`page.dealer.dice.due_${due.to}`) : "",
    paid.includes(place) ? words.say("page.dealer.dice.paid") : "",
  ].filter(Boolean);
  const ended = handAt(desk, place) ?? (holds ? handAt(desk, "banker") : null);
  const here = state.round_id === null && ended ? ended : holds ? banker : places.find((one) => one.place === place);
  // Bets with the bank are others': whose they are is chosen first.
  const shut = holds && (desk.tray.bettor ?? ownBettor(desk, place)) === banker.bettor;
  return html`<${Place} desk=${desk} place=${place} mark=${words.list(marks)} extra=${`seat-${place} ${holds ? "place-house" : ""}`}>
    <div class="throw-and-bet">
      <${Spot} desk=${desk} place=${place} bet=${holds ? "bank" : "place"} shape="circle" shut=${shut} label=${words.say(`page.dealer.spot.${holds ? "bank" : "place"}`)} />
      <${Throws} desk=${desk} of=${here} />
    </div>
  <//>`;
}

/** The last throw of a place, with the marker of what it made. */
function Throws({ desk, of }) {
  const last = of?.throws?.[of.throws.length - 1];
  if (!of?.throws?.length) return null;
  const throwers = throwersOf(desk);
  const thrown = throwers.flatMap(({ throws }) => throws);
  const nth = throwers.slice(0, throwers.findIndex(({ place }) => place === of.place) + 1).flatMap(({ throws }) => throws).length - 1;
  const said = last ? last.join(" ") : desk.words.say("page.dealer.dice.invalid");
  return html`<p class="thrown">
    <${AtPlace} desk=${desk} lines=${throwAt(desk, thrown, nth)} name=${desk.words.list([desk.words.place(of.place), said])}>${last ? html`<${Dice} values=${last} />` : said}<//>
    ${of.combination ? html` <b>${combination(desk, of.combination)}</b>` : null}
  </p>`;
}

/** Who threw in the round that lies here, in their order: the banker, then the places. */
function throwersOf({ state }) {
  const { hands } = tableau(state);
  const { banker, places } = state.round;
  return shownResult(state) ? [...hands.filter(({ place }) => place === "banker"), ...hands.filter(({ place }) => place !== "banker")] : [banker, ...places];
}

const combination = (desk, name) => desk.words.first([`page.display.dice.${name}`, `combination.chinese_dice.${name}`, name]);

function Bowl({ desk }) {
  const { words, state } = desk;
  const { banker, bank } = state.round;
  return html`<section class="bowl" aria-label=${words.say("page.dealer.dice.bank")}>
    <${Facts} items=${[
      [words.say("place.banker"), banker ? words.list([banker.bettor, words.place(banker.place)]) : "–"],
      [words.say("bet.chinese_dice.capital"), banker ? showMoney(banker.capital) : null],
      [words.say("page.dealer.dice.bank"), bank ? showMoney(bank.capital) : null],
      [words.say("page.dealer.dice.room"), bank ? showMoney(bank.room) : null],
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
  return html`<table class="due-payments"><tbody>
    ${lines.map((line) => html`<tr>
      <th scope="row">${line.bettor}</th>
      <td>${line.outcome ? words.first([`outcome_short.${line.outcome}`, `outcome.${line.outcome}`]) : ""}</td>
      <td class="number">${line.net === undefined ? "" : showMoney(line.net, { sign: true })}</td>
    </tr>`)}
  </tbody></table>`;
}

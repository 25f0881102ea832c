/** 13 Cards: the banker before the dealer, place 2 at the banker's right hand, and round. */
import { html } from "/static/vendor/htm-preact.js";
import { Card, nameOf } from "/static/shared/cards.js";
import { Dice } from "/static/shared/dice.js";
import { Countdown } from "/static/dealer/clock.js";
import { AtPlace, cardAt, throwAt, tiersAt } from "/static/dealer/at_place.js";
import { Facts, Place, Spot, handAt } from "/static/dealer/felt/parts.js";

export function ThirteenCardsFelt({ desk }) {
  const { words, layout, state } = desk;
  const { pack, dice, first, shaker, time_ends: ends, call_time: call } = state.round;
  return html`<div class="places places-cross">
    ${[...layout.places, ...layout.hands].map((place) => html`<${Seat} key=${place} desk=${desk} place=${place} />`)}
    <section class="middle" aria-label=${words.say("page.dealer.pack")}>
      <${Countdown} words=${words} ends=${ends} />
      ${call ? html`<p class="lamp lamp-warn">${words.say("page.dealer.tiers.call_time")}</p>` : null}
      ${dice.length ? html`<p class="thrown"><${AtPlace} desk=${desk} lines=${throwAt(desk, [dice], 0)} name=${dice.join(" ")}><${Dice} values=${dice} /><//></p>` : null}
      <${Facts} items=${[
        [words.say("page.dealer.pack"), words.say(`pack.thirteen_cards.${pack}`)],
        [words.say("page.dealer.tiers.first"), first === null ? null : words.place(first)],
        [words.say("page.dealer.tiers.shaker"), shaker ? words.list([shaker.bettor, words.place(shaker.place)]) : null],
      ]} />
    </section>
  </div>`;
}

function Seat({ desk, place }) {
  const { words, state } = desk;
  const { seats, holders, picked_up: picked, set, late, misplaced } = state.round;
  const shared = seats.filter((seat) => seat.place === place).length > 1;
  const holder = shared ? holders.find((one) => one?.place === place)?.bettor : null;
  const marks = [
    holder ? words.say("page.dealer.tiers.holder", { bettor: holder }) : "",
    picked.includes(place) ? words.say("page.dealer.tiers.picked_up") : "",
    set.includes(place) ? words.say("page.dealer.tiers.set") : "",
    late.includes(place) ? words.say("page.dealer.tiers.late") : "",
    misplaced === place ? words.say("page.dealer.misplaced") : "",
  ].filter(Boolean);
  return html`<${Place} desk=${desk} place=${place} mark=${words.list(marks)} extra=${`seat-${place} ${place === "banker" ? "place-house" : ""}`}>
    <div class="seat-body">
      ${place === "banker" ? null : html`<${Spot} desk=${desk} place=${place} bet="place" shape="circle" label=${words.say("page.dealer.spot.place")} />`}
      <${Tiers} desk=${desk} hand=${handAt(desk, place)} />
    </div>
  <//>`;
}

/** A hand as it lies: three tiers once they are shown, else so many backs, and the cards that turned up in the deal. */
function Tiers({ desk, hand }) {
  const { words } = desk;
  if (!hand?.cards.length) return null;
  if (!hand.rows) {
    const down = hand.cards.filter((card) => !card).length;
    return html`<p class="lying">
      <${AtPlace} desk=${desk} lines=${cardAt(desk, hand)} name=${words.place(hand.place)}>
        <span class="fan">${[...hand.cards].sort((one, other) => (one ? 1 : 0) - (other ? 1 : 0)).map((card) => html`<${Card} card=${card} words=${words} />`)}</span><//>
      ${down ? html`<span>${words.say("page.dealer.hand.face_down", { count: down })}</span>` : null}
    </p>`;
  }
  return html`<ol class="tiers">
    ${hand.rows.map((row, nth) => html`<li data-tier=${nth + 1}>
      <${AtPlace} desk=${desk} lines=${tiersAt(desk, hand.place)} name=${words.list([words.place(hand.place), ...row.map((card) => nameOf(card, words))])}>
        <span class="fan">${row.map((card) => html`<${Card} card=${card} words=${words} />`)}</span><//>
      <b class="hand-name">${hand.formations?.[nth] ? formation(desk, hand.formations[nth]) : ""}</b>
    </li>`)}
    ${hand.natural ? html`<li class="made"><b>${formation(desk, hand.natural)}</b></li>` : null}
    ${hand.foul ? html`<li class="made lamp lamp-bad">${words.say("page.dealer.tiers.foul")}</li>` : null}
  </ol>`;
}

const formation = (desk, name) =>
  desk.words.first([`hand.thirteen_cards.${name}`, `natural.thirteen_cards.${name}`, name]);

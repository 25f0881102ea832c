/** Cards in two taps each: the rank, then the suit. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { Card, SIGNS, nameOf } from "/static/shared/cards.js";
import { tableau } from "/static/dealer/tableau.js";

const RANKS = ["A", "K", "Q", "J", "T", "9", "8", "7", "6", "5", "4", "3", "2"];
const SUITS = ["s", "h", "c", "d"];

/** Ranks and suits; `take` gets each card once both are tapped. */
export function RankAndSuit({ words, take }) {
  const [rank, setRank] = useState(null);
  const suit = (name) => {
    take(rank + name);
    setRank(null);
  };
  return html`<div class="two-taps">
    <div class="ranks" role="group" aria-label=${words.say("page.dealer.pad.rank")}>
      ${RANKS.map((name) => html`<button type="button" class="button key" key=${name} data-key=${name} data-rank=${name}
        aria-pressed=${String(rank === name)} onClick=${() => setRank(name)}>${name === "T" ? "10" : name}</button>`)}
    </div>
    <div class="suits" role="group" aria-label=${words.say("page.dealer.pad.suit")}>
      ${SUITS.map((name) => html`<button type="button" class="button key suit suit-${name}" key=${name}
        data-key=${rank ? name.toUpperCase() : undefined} data-suit=${name} aria-disabled=${!rank}
        aria-label=${words.say(`suit.${name}`)} onClick=${() => suit(name)}>${SIGNS[name]}</button>`)}
    </div>
  </div>`;
}

/** One card. */
export function CardPad({ desk, done }) {
  return html`<${RankAndSuit} words=${desk.words} take=${done} />`;
}

/** How many cards a hand has that is to be entered: as many as were entered before, or as lie there. */
function expected(desk, { place, cards }) {
  const hand = tableau(desk.state).hands.find((one) => one.place === place);
  return cards?.length || hand?.cards.length || desk.layout.cards || 3;
}

/** The cards of a hand, in the order in which they lie. */
export function CardsPad({ desk, values, done }) {
  const { words } = desk;
  const [cards, setCards] = useState([]);
  const count = expected(desk, values);
  return html`<div class="cards-pad">
    <p class="entered">
      <span class="cards">${cards.map((card) => html`<${Card} card=${card} words=${words} />`)}</span>
      <span class="faint">${words.say("page.dealer.pad.cards_of", { number: cards.length, count })}</span>
    </p>
    <${RankAndSuit} words=${words} take=${(card) => setCards((now) => (now.length < count && !now.includes(card) ? [...now, card] : now))} />
    <div class="row">
      <button type="button" class="button" data-key="Backspace" aria-disabled=${!cards.length}
        aria-label=${cards.length ? words.say("page.dealer.pad.undo_card", { card: nameOf(cards[cards.length - 1], words) }) : undefined}
        onClick=${() => setCards(cards.slice(0, -1))}>${words.say("page.dealer.pad.undo")}</button>
      <button type="button" class="button button-main" data-key="Enter" aria-disabled=${cards.length !== count} onClick=${() => done(cards)}>
        ${words.say("page.dealer.form.take")}
      </button>
    </div>
  </div>`;
}

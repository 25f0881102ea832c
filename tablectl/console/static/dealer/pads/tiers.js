/** Thirteen cards in three tiers: each card in two taps, laid into the tiers one after the other. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { Card } from "/static/shared/cards.js";
import { RankAndSuit } from "/static/dealer/pads/cards.js";

const SIZES = [3, 5, 5];

export function TiersPad({ desk, done }) {
  const { words } = desk;
  const sizes = desk.layout.tiers?.length ? desk.layout.tiers : SIZES;
  const [cards, setCards] = useState([]);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const add = (card) => setCards((now) => (now.length < all && !now.includes(card) ? [...now, card] : now));
  return html`<div class="tiers-pad">
    <ol class="tiers">
      ${rowsOf(cards, sizes).map((row, nth) => html`<li key=${nth}>
        <span class="faint">${words.say(`page.dealer.tier.${nth + 1}`)}</span>
        <span class="cards">${row.map((card) => html`<${Card} card=${card} words=${words} />`)}</span>
        <span class="faint">${row.length}/${sizes[nth]}</span>
      </li>`)}
    </ol>
    <${RankAndSuit} words=${words} take=${add} />
    <div class="row">
      <button type="button" class="button" data-key="Backspace" disabled=${!cards.length} onClick=${() => setCards(cards.slice(0, -1))}>
        ${words.say("page.dealer.pad.undo")}
      </button>
      <button type="button" class="button button-main" data-key="Enter" disabled=${cards.length !== all}
        onClick=${() => done(rowsOf(cards, sizes))}>${words.say("page.dealer.form.take")}</button>
    </div>
  </div>`;
}

/** The cards by tiers, from the first. */
function rowsOf(cards, sizes) {
  let from = 0;
  return sizes.map((size) => cards.slice(from, (from += size)));
}

/** Thirteen cards in three tiers: each card in two taps, laid into the tiers one after the other; a touched one is taken out. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { Card, nameOf } from "/static/shared/cards.js";
import { RankAndSuit } from "/static/dealer/pads/cards.js";

const SIZES = [3, 5, 5];

export function TiersPad({ desk, values, done }) {
  const { words } = desk;
  const sizes = desk.layout.tiers?.length ? desk.layout.tiers : SIZES;
  const all = sizes.reduce((sum, size) => sum + size, 0);
  // Tiers that are entered already are put right where they are wrong.
  const [cards, setCards] = useState(() => values.rows?.flat() ?? Array(all).fill(null));
  const gap = cards.indexOf(null);
  const last = cards.findLastIndex((card) => card !== null);
  const put = (nth, card) => setCards((now) => (card && now.includes(card) ? now : now.with(nth, card)));
  return html`<div class="tiers-pad">
    <ol class="tiers">
      ${rowsOf(cards, sizes).map(({ from, row }, tier) => html`<li key=${tier}>
        <span class="faint">${words.say(`page.dealer.tier.${tier + 1}`)}</span>
        ${row.map((card, nth) => html`<${Slot} key=${nth} words=${words} card=${card} last=${from + nth === last} out=${() => put(from + nth, null)} />`)}
      </li>`)}
    </ol>
    ${gap < 0
      ? html`<button type="button" class="button button-main wide" data-key="Enter" onClick=${() => done(rowsOf(cards, sizes).map(({ row }) => row))}>
          ${words.say("page.dealer.form.take")}</button>`
      : html`<${RankAndSuit} words=${words} take=${(card) => put(gap, card)} />`}
  </div>`;
}

/** Room for a card; a touch takes out the one that lies there. */
function Slot({ words, card, last, out }) {
  if (!card) return html`<span class="slot"></span>`;
  return html`<button type="button" class="slot" data-slot=${card} data-key=${last ? "Backspace" : undefined}
    aria-label=${words.say("page.dealer.pad.undo_card", { card: nameOf(card, words) })} onClick=${out}><${Card} card=${card} words=${words} /></button>`;
}

/** The cards by tiers, from the first, each with how many lie before it. */
function rowsOf(cards, sizes) {
  let from = 0;
  return sizes.map((size) => ({ from, row: cards.slice(from, (from += size)) }));
}

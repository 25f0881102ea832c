/** Thirteen cards in three tiers: each card in two taps, laid into the tiers one after the other. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { Card, nameOf } from "/static/shared/cards.js";
import { handAt } from "/static/dealer/felt/parts.js";
import { PLACE_KEYS } from "/static/dealer/keys.js";
import { proposalOf } from "/static/dealer/offers.js";
import { RankAndSuit } from "/static/dealer/pads/cards.js";

const SIZES = [3, 5, 5];

/** The tiers as they were entered or lie already, or else as the table proposes them: put right where they are wrong. */
function known(desk, values) {
  const proposed = desk.form && proposalOf(desk.offers, desk.form.verb, values);
  return values.rows ?? handAt(desk, values.place)?.rows ?? proposed?.rows;
}

/** A card that is touched while one is missing is taken out. Where all lie, two touched ones change places, and one that is touched twice is taken out. */
export function TiersPad({ desk, values, done }) {
  const { words } = desk;
  const sizes = desk.layout.tiers?.length ? desk.layout.tiers : SIZES;
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const [cards, setCards] = useState(() => known(desk, values)?.flat() ?? Array(all).fill(null));
  const [held, hold] = useState(null);
  const gap = cards.indexOf(null);
  const last = cards.findLastIndex((card) => card !== null);
  const put = (nth, card) => setCards((now) => (card && now.includes(card) ? now : now.with(nth, card)));
  const touch = (nth) => {
    if (gap < 0 && held === null) return hold(nth);
    if (gap < 0 && held !== nth) setCards((now) => now.with(nth, now[held]).with(held, now[nth]));
    else put(nth, null);
    hold(null);
  };
  return html`<div class="tiers-pad">
    <${Tiers} words=${words} cards=${cards} sizes=${sizes} slot=${(card, nth) => html`<${Slot} key=${nth} words=${words} card=${card} by=${nth === last ? "Backspace" : gap < 0 ? PLACE_KEYS[nth] : undefined}
      held=${nth === held} touch=${() => touch(nth)} />`} />
    ${gap < 0
      ? html`<p>${words.say("page.dealer.pad.swap")}</p>
          <button type="button" class="button button-main wide" data-key="Enter" onClick=${() => done(rowsOf(cards, sizes).map(({ row }) => row))}>
          ${words.say("page.dealer.form.take")}</button>`
      : html`<${RankAndSuit} words=${words} take=${(card) => put(gap, card)} />`}
  </div>`;
}

/** Tiers as they were said. */
export const LaidTiers = ({ words, rows }) =>
  html`<${Tiers} words=${words} cards=${rows.flat()} sizes=${rows.map((row) => row.length)} slot=${(card) => html`<${Card} card=${card} words=${words} />`} />`;

function Tiers({ words, cards, sizes, slot }) {
  return html`<ol class="tiers">
    ${rowsOf(cards, sizes).map(({ from, row }, tier) => html`<li key=${tier}>
      <span class="faint">${words.say(`page.dealer.tier.${tier + 1}`)}</span>
      ${row.map((card, nth) => slot(card, from + nth))}
    </li>`)}
  </ol>`;
}

/** Room for a card, and the card that lies there. */
function Slot({ words, card, by, held, touch }) {
  if (!card) return html`<span class="slot"></span>`;
  return html`<button type="button" class="slot" data-slot=${card} data-key=${by} aria-pressed=${String(held)}
    aria-label=${nameOf(card, words)} onClick=${touch}><${Card} card=${card} words=${words} /></button>`;
}

/** The cards by tiers, from the first, each with how many lie before it. */
function rowsOf(cards, sizes) {
  let from = 0;
  return sizes.map((size) => ({ from, row: cards.slice(from, (from += size)) }));
}

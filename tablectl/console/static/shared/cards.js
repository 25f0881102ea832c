/** Playing cards drawn as they are: a big index, pips in their usual places, courts that stand on their heads. */
import { html } from "/static/vendor/htm-preact.js";
import { Court } from "/static/shared/courts.js";
import { Suit } from "/static/shared/suits.js";

const COLUMN = { left: 90, middle: 120, right: 150 };
const TOP = 62;
const BOTTOM = 274;

const pair = (share) => [["left", share], ["right", share]];
const one = (share) => [["middle", share]];

/** Where the pips of each rank lie: the column, and how far down from the first row to the last. */
const PIPS = {
  2: [...one(0), ...one(1)],
  3: [...one(0), ...one(1 / 2), ...one(1)],
  4: [...pair(0), ...pair(1)],
  5: [...pair(0), ...one(1 / 2), ...pair(1)],
  6: [...pair(0), ...pair(1 / 2), ...pair(1)],
  7: [...pair(0), ...one(1 / 4), ...pair(1 / 2), ...pair(1)],
  8: [...pair(0), ...one(1 / 4), ...pair(1 / 2), ...one(3 / 4), ...pair(1)],
  9: [...pair(0), ...pair(1 / 3), ...one(1 / 2), ...pair(2 / 3), ...pair(1)],
  T: [...pair(0), ...one(1 / 6), ...pair(1 / 3), ...pair(2 / 3), ...one(5 / 6), ...pair(1)],
};

/**
 * A card, or its back where `card` is null: what lies face down isn't known here at all.
 *
 * @param {{card: ?string, words?: Words}} props such as "As" or "Td"; the words that name it for who can't see it.
 */
export function Card({ card, words }) {
  if (!card) return html`<${CardBack} words=${words} />`;
  const [rank, suit] = card;
  return html`<svg class="card card-${suit}" data-card=${card} viewBox="0 0 240 336" role="img" aria-label=${nameOf(card, words)}>
    <rect class="card-face" x="1.5" y="1.5" width="237" height="333" rx="16" />
    <${Index} rank=${rank} suit=${suit} />
    <g transform="rotate(180 120 168)"><${Index} rank=${rank} suit=${suit} /></g>
    <${Middle} rank=${rank} suit=${suit} />
  </svg>`;
}

const LATTICE = Array.from({ length: 13 }, (_, nth) => 20 + nth * 32)
  .map((at) => `M14 ${at}L226 ${at - 212}M226 ${at}L14 ${at - 212}`)
  .join("");

/** The back of a card. */
export function CardBack({ words }) {
  const label = words ? words.say("page.shared.card_back") : "card, face down";
  return html`<svg class="card card-back" viewBox="0 0 240 336" role="img" aria-label=${label}>
    <rect class="card-face" x="1.5" y="1.5" width="237" height="333" rx="16" />
    <svg x="14" y="14" width="212" height="308" viewBox="14 14 212 308">
      <rect class="card-back-ground" x="14" y="14" width="212" height="308" rx="10" />
      <path class="card-back-lines" d=${LATTICE} />
      <rect class="card-back-edge" x="17" y="17" width="206" height="302" rx="8" />
    </svg>
  </svg>`;
}

export const SIGNS = { s: "♠", h: "♥", c: "♣", d: "♦" };

/** A card in two signs, where there is room for no more: "10♦". */
export const signOf = ([rank, suit]) => `${rank === "T" ? "10" : rank}${SIGNS[suit]}`;

/** Cards side by side, in the order given. */
export function Cards({ cards, words }) {
  return html`<span class="cards">${cards.map((card) => html`<${Card} card=${card} words=${words} />`)}</span>`;
}

/** A card's name for people: "ace of spades". */
export function nameOf(card, words) {
  if (!words) return card;
  const [rank, suit] = card;
  const spoken = words.has(`page.shared.rank.${rank}`) ? words.say(`page.shared.rank.${rank}`) : rank;
  return words.say("page.shared.card", { rank: spoken, suit: words.say(`suit.${suit}`) });
}

function Index({ rank, suit }) {
  const text = rank === "T" ? "10" : rank;
  return html`<g>
    <text class="card-index ${rank === "T" ? "card-index-wide" : ""}" x=${rank === "T" ? 34 : 36} y="62" text-anchor="middle">${text}</text>
    <${Suit} suit=${suit} x=${36} y=${92} size=${42} />
  </g>`;
}

function Middle({ rank, suit }) {
  if (rank === "A") return html`<${Suit} suit=${suit} x=${120} y=${168} size=${suit === "s" ? 132 : 104} />`;
  if (!PIPS[rank]) return html`<${Court} rank=${rank} suit=${suit} />`;
  return PIPS[rank].map(([column, share]) => {
    const turned = share > 1 / 2;
    return html`<${Suit} suit=${suit} x=${COLUMN[column]} y=${TOP + share * (BOTTOM - TOP)} size=${40} turned=${turned} />`;
  });
}

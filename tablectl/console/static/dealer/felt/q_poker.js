/** Q Poker: the places in a half-moon from the dealer's left, the dealer's hand before the dealer. */
import { html } from "/static/vendor/htm-preact.js";
import { Hand, Place, Spot, horseshoe } from "/static/dealer/felt/parts.js";
import { CardFacts } from "/static/dealer/felt/cards.js";

/** The space nearer the dealer comes first. Rule: 89/2004 art. 2(2). */
const BETS = ["pair_or_better", "versus_dealer"];

export function QPokerFelt({ desk }) {
  const { words, layout } = desk;
  const { columns, rows, areas } = horseshoe(layout.places);
  const made = (hand) => hand.name && words.first([`hand_short.q_poker.${hand.name}`, `hand.q_poker.${hand.name}`]);
  return html`<div class="places horseshoe" style=${{ "--columns": columns, "--rows": Math.max(2, rows) }}>
    ${layout.places.map((place) => html`<${Place} key=${place} desk=${desk} place=${place} area=${areas.get(place)}>
      <${Hand} desk=${desk} place=${place} name=${made} />
      <div class="spots two">
        ${BETS.map((bet, nth) => html`<${Spot} key=${bet} desk=${desk} place=${place} bet=${bet} nth=${nth} shape="circle"
          label=${words.say(`page.dealer.spot.${bet}`)} />`)}
      </div>
    <//>`)}
    <${Place} desk=${desk} place="dealer" extra="place-house" area=${rows > 2 ? `2 / 2 / ${rows + 1} / ${columns}` : `2 / 2 / 3 / ${columns}`}>
      <${Hand} desk=${desk} place="dealer" name=${made} />
      <${CardFacts} desk=${desk} />
    <//>
  </div>`;
}

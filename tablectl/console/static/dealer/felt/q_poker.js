/** Q Poker: the dealer's hand before him, the places in dealing order from his left. */
import { html } from "/static/vendor/htm-preact.js";
import { Facts, Hand, Place, handAt } from "/static/dealer/felt/parts.js";
import { cardFacts } from "/static/dealer/felt/cards.js";

export function QPokerFelt({ desk }) {
  const { words, layout } = desk;
  return html`
    <${Facts} items=${cardFacts(desk)} />
    <div class="places places-row">
      ${layout.places.map((place) => html`<${Place} key=${place} desk=${desk} place=${place}>
        <${Hand} desk=${desk} hand=${handAt(desk, place)} />
      <//>`)}
      <${Place} desk=${desk} place="dealer" extra="place-house">
        <${Hand} desk=${desk} hand=${handAt(desk, "dealer")} />
        ${handAt(desk, "dealer") ? null : html`<p class="faint">${words.say("page.dealer.hand.none")}</p>`}
      <//>
    </div>`;
}

/** A game without a felt of its own: places in a half-moon with their cards and bets, the house's hands before the dealer. */
import { html } from "/static/vendor/htm-preact.js";
import { Hand, Place, Spot, horseshoe } from "/static/dealer/felt/parts.js";

export function PlainFelt({ desk }) {
  const { layout } = desk;
  const { columns, rows, areas } = horseshoe(layout.places);
  return html`<div class="places horseshoe" style=${{ "--columns": columns, "--rows": rows + layout.hands.length }}>
    ${layout.places.map((place) => html`<${Place} key=${place} desk=${desk} place=${place} area=${areas.get(place)}>
      <${Hand} desk=${desk} place=${place} />
      <div class="spots">${layout.bets.map(({ name }, nth) => html`<${Spot} key=${name} desk=${desk} place=${place} bet=${name} nth=${nth} />`)}</div>
    <//>`)}
    ${layout.hands.map((place, nth) => html`<${Place} key=${place} desk=${desk} place=${place} extra="place-house" area=${`${rows + nth + 1} / 1 / ${rows + nth + 2} / ${columns + 1}`}>
      <${Hand} desk=${desk} place=${place} />
    <//>`)}
  </div>`;
}

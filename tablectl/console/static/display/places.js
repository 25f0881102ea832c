/** Places on the screen: their cards or dice, what those make, and what became of the bets there. */
import { html, useContext } from "/static/vendor/htm-preact.js";
import { Card } from "/static/shared/cards.js";
import { FIRST, Speech, T, useSay } from "/static/display/speech.js";

const SIGNS = { win: "✓", lose: "✗", push: "=", half_lost: "½" };

/** The name of a place, a number as large as its cards. */
export function PlaceName({ place }) {
  if (typeof place === "number") return html`<h2 class="place-name"><span class="place-number">${place}</span></h2>`;
  return html`<h2 class="place-name"><${T} of=${`place.${place}`} line=${place === "banker"} /></h2>`;
}

/**
 * A hand of cards at its place.
 *
 * @param {{hand: {place, cards, dead?, made?, outcomes?}, game: string, lit?: boolean}} props a card that lies face
 *   down is null, and shown by its back.
 */
export function HandAt({ hand, game, lit = false, children }) {
  const { words } = useContext(Speech);
  return html`<section data-place=${hand.place} class="place ${lit ? "place-lit" : ""} ${hand.dead ? "place-dead" : ""}">
    <div class="place-head">
      <${PlaceName} place=${hand.place} />
      ${hand.dead && html`<p class="place-made"><${T} of="page.display.dead_hand" /></p>`}
      ${hand.made && html`<p class="place-made"><${T} of=${hand.made} /></p>`}
      ${children}
    </div>
    <div class="place-cards">${hand.cards.map((card) => html`<${Card} card=${card} words=${words} />`)}</div>
    <${Outcomes} outcomes=${hand.outcomes} game=${game} />
  </section>`;
}

export const betKeys = (game, bet) => [`bet_short.${game}.${bet}`, `bet.${game}.${bet}`];
const outcomeKeys = (outcome) => [`outcome_short.${outcome}`, `outcome.${outcome}`];

/**
 * What became of each bet: a sign and the bet's first name, which the legend explains; where a place has but one bet,
 * the outcome in words.
 */
export function Outcomes({ outcomes = [], game }) {
  const say = useSay();
  if (outcomes.length === 0) return null;
  return html`<ul class="outcomes">
    ${outcomes.map(({ bet, outcome }) => html`<li class="outcome outcome-${outcome}">
      <span class="outcome-sign" role="img" aria-label=${say(outcomeKeys(outcome))}>${SIGNS[outcome] || "·"}</span>
      ${bet ? html`<span lang=${FIRST}>${say(betKeys(game, bet))}</span>` : html`<${T} of=${outcomeKeys(outcome)} line />`}
    </li>`)}
  </ul>`;
}

/** What the signs and the names of the bets mean, in both languages. */
export function Legend({ outcomes, bets, game }) {
  return html`<dl class="legend">
    ${outcomes.map((outcome) => html`<div>
      <dt class="outcome-sign">${SIGNS[outcome]}</dt><dd><${T} of=${outcomeKeys(outcome)} line /></dd>
    </div>`)}
    ${bets.map((bet) => html`<div><dd><${T} of=${betKeys(game, bet)} line /></dd></div>`)}
  </dl>`;
}

/** The outcomes of a place's bets, each bet and outcome once, however many bettors had it. */
export function outcomesOf(bets = []) {
  const seen = new Set();
  return bets
    .map(({ bet, outcome }) => ({ bet, outcome }))
    .filter(({ bet, outcome }) => !seen.has(`${bet}/${outcome}`) && seen.add(`${bet}/${outcome}`));
}

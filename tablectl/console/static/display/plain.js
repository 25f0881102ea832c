/** A game without a stage of its own: the hands as they lie, or of the last round with what became of the bets. */
import { html } from "/static/vendor/htm-preact.js";
import { Fit, columnsFor } from "/static/display/fit.js";
import { HandAt, outcomesOf } from "/static/display/places.js";
import { Nothing, VoidRound, shownResult } from "/static/display/stage.js";

function handsOf(display) {
  const last = shownResult(display);
  if (!last) return display.round.hands ?? [];
  const { round, settlement } = last;
  const bets = new Map((settlement.places ?? []).map((place) => [place.place, place.bets]));
  const house = ["dealer", "banker"].filter((place) => Array.isArray(round[place])).map((place) => ({ place, cards: round[place] }));
  return [...house, ...(round.places ?? []).map(({ place, cards = [] }) => ({ place, cards, outcomes: outcomesOf(bets.get(place)) }))];
}

export function Plain({ display }) {
  const hands = handsOf(display).filter((hand) => hand.cards.length > 0);
  if (display.phase === "idle" && display.result?.void) return html`<${VoidRound} result=${display.result} />`;
  if (hands.length === 0) return html`<${Nothing} display=${display} />`;
  return html`<${Fit} name="felt" least=${1.6} most=${9} columns=${columnsFor(hands.length)}>
    ${hands.map((hand) => html`<${HandAt} key=${hand.place} hand=${hand} game=${display.game} />`)}
  <//>`;
}

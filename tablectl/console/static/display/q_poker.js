/** Q Poker: the dealer's hand above, the players' hands below, each shown once it is opened. */
import { html } from "/static/vendor/htm-preact.js";
import { Fit, columnsFor } from "/static/display/fit.js";
import { HandAt, outcomesOf } from "/static/display/places.js";
import { Nothing, VoidRound, shownResult } from "/static/display/stage.js";

const made = (hand) => (hand ? [`hand_short.q_poker.${hand}`, `hand.q_poker.${hand}`] : null);

/** The hands as they lie, or of the last round once it is settled. */
function handsOf(display) {
  const last = shownResult(display);
  if (!last) return display.round.hands;
  const { round, settlement } = last;
  const results = new Map(settlement.places.map((place) => [place.place, place]));
  return [
    { place: "dealer", cards: round.dealer, made: dealersHand(settlement.dealer) },
    ...round.places.map(({ place, cards }) => ({
      place,
      cards,
      dead: results.get(place)?.hand === null,
      made: made(results.get(place)?.hand),
      outcomes: outcomesOf(results.get(place)?.bets),
    })),
  ];
}

const dealersHand = ({ hand, qualifies }) => (qualifies ? made(hand) : "page.display.dealer_too_low");

export function QPoker({ display }) {
  const hands = handsOf(display);
  if (display.phase === "idle" && display.result?.void) return html`<${VoidRound} result=${display.result} />`;
  if (hands.every((hand) => hand.cards.length === 0)) return html`<${Nothing} display=${display} />`;
  return html`<${Fit} name="felt" least=${1.6} most=${9} columns=${columnsFor(hands.length)}>
    ${dealerFirst(hands).map((hand) => html`<${HandAt} key=${hand.place} hand=${hand} game="q_poker" />`)}
  <//>`;
}

/** The hands as they are read on the screen; they are dealt with the dealer's last. */
const dealerFirst = (hands) => [...hands].sort((one, other) => (other.place === "dealer") - (one.place === "dealer"));

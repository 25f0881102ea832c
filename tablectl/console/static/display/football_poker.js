/**
 * Football Poker: the electronic display of the regulation, with the series, its combination and both ranges.
 *
 * Rule: 41/2003 art. 2, 3, 6(1). A draw stands here only once the table's display has said that it shows it.
 */
import { html } from "/static/vendor/htm-preact.js";
import { Fit, columnsFor } from "/static/display/fit.js";
import { HandAt, outcomesOf } from "/static/display/places.js";
import { T } from "/static/display/speech.js";
import { VoidRound, phaseKeys, shownResult } from "/static/display/stage.js";

/** The draw, once it may be seen, and the hands: of the round, or of the last one once it is settled. */
function shownOf(display) {
  const last = shownResult(display);
  if (!last) {
    const { draw, hands, hold } = display.round;
    return { draw: draw?.shown && !hold ? draw : null, hold, hands: hands.map(withTotal) };
  }
  const { round, settlement } = last;
  const results = new Map(settlement.places.map((place) => [place.place, place]));
  return {
    draw: { ...round.draw, ...settlement.draw },
    hold: null,
    hands: round.places.map(({ place, cards }) => ({
      place,
      cards,
      total: results.get(place)?.total,
      outcomes: outcomesOf(results.get(place)?.bets),
    })),
  };
}

const withTotal = (hand) => ({ ...hand, total: hand.total ?? undefined });

export function Football({ display }) {
  if (display.phase === "idle" && display.result?.void) return html`<${VoidRound} result=${display.result} />`;
  const { draw, hold, hands } = shownOf(display);
  const lying = hands.filter(({ cards }) => cards.length > 0);
  return html`<div class="football ${lying.length ? "football-dealt" : ""}">
    ${draw ? html`<${Draw} draw=${draw} />` : html`<${NoDraw} display=${display} hold=${hold} />`}
    ${lying.length > 0 && html`<${Fit} name="football-hands" least=${1.4} most=${6} columns=${columnsFor(lying.length)}>
      ${lying.map((hand) => html`<${HandAt} key=${hand.place} hand=${hand} game="football_poker">
        ${hand.total !== undefined && html`<p class="total">${hand.total}</p>`}
      <//>`)}
    <//>`}
  </div>`;
}

/** The drawn series and combination, and the numbers of both ranges. */
function Draw({ draw }) {
  return html`<section class="draw" data-series=${draw.series} data-combination=${draw.combination}>
    <p class="draw-drawn">
      <${T} of=${`series.${draw.series}`} />
      <span class="draw-combination"><${T} of="page.display.combination" values=${{ number: draw.combination }} /></span>
    </p>
    <${Range} series="upper" numbers=${draw.upper} drawn=${draw.series === "upper"} />
    <${Range} series="lower" numbers=${draw.lower} drawn=${draw.series === "lower"} />
  </section>`;
}

function Range({ series, numbers, drawn }) {
  return html`<div class="range range-${series} ${drawn ? "range-drawn" : ""}">
    <h2 class="range-name"><span aria-hidden="true">${series === "upper" ? "▲" : "▼"}</span> <${T} of=${`series.${series}`} line /></h2>
    <ol class="range-numbers">${numbers.map((number) => html`<li>${number}</li>`)}</ol>
  </div>`;
}

/** Before the draw is shown, and where it can't be. */
function NoDraw({ display, hold }) {
  const key = hold ? "page.display.draw_held" : display.phase === "drawing" && !display.held_up ? "page.display.drawing" : phaseKeys(display);
  return html`<p class="nothing ${hold ? "" : "nothing-phase"}"><${T} of=${key} /></p>`;
}

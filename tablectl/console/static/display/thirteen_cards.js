/** 13 Cards: four places with three tiers each, as they are set and shown, and the five minutes in the header. */
import { html, useContext } from "/static/vendor/htm-preact.js";
import { Card } from "/static/shared/cards.js";
import { Dice } from "/static/shared/dice.js";
import { Fit, columnsFor } from "/static/display/fit.js";
import { Outcomes, PlaceName, outcomesOf } from "/static/display/places.js";
import { Speech, T } from "/static/display/speech.js";
import { Nothing, VoidRound, shownResult } from "/static/display/stage.js";

const formation = (name) => `hand.thirteen_cards.${name}`;

/** The hands: of the round, or of the last one once it is settled. */
function handsOf(display) {
  const last = shownResult(display);
  if (!last) return running(display.round);
  const { round, settlement } = last;
  const results = new Map(settlement.places.map((place) => [place.place, place]));
  return [
    { place: "banker", rows: round.banker.rows, ...madeOf(settlement.banker) },
    ...round.places.map(({ place, rows, in_time: inTime }) => ({
      place,
      rows,
      late: !inTime,
      ...madeOf(results.get(place)),
      points: results.get(place)?.points,
      outcomes: outcomesOf(results.get(place)?.bets),
    })),
  ];
}

const madeOf = (result) => ({ formations: result?.rows, natural: result?.natural, foul: result?.foul });

function running({ hands, late, set, picked_up: picked }) {
  return hands.map((hand) => ({
    ...hand,
    late: late.includes(hand.place),
    set: set.includes(hand.place),
    setting: picked.includes(hand.place),
  }));
}

/** The phases in which the dice that say who gets the first card are worth their room. */
const BEFORE_CARDS = new Set(["closed", "dealing", "reshuffling"]);

/** The banker, then the places by number: dealing begins anywhere. */
const bankerFirst = (one, other) => (Number(one.place) || 0) - (Number(other.place) || 0);

export function Thirteen({ display }) {
  const { words } = useContext(Speech);
  if (display.phase === "idle" && display.result?.void) return html`<${VoidRound} result=${display.result} />`;
  const hands = handsOf(display).filter((hand) => hand.rows || hand.late || hand.cards?.length).sort(bankerFirst);
  const { dice, first } = display.round;
  return html`<div class="thirteen">
    ${BEFORE_CARDS.has(display.phase) && dice.length > 0 && html`<p class="first-card">
      <${Dice} values=${dice} />
      <${T} of="page.display.first_card" values=${(language) => ({ place: words.place(first, language) })} line />
    </p>`}
    ${hands.length === 0 ? html`<${Nothing} display=${display} />` : html`<${Fit} name="thirteen-places" least=${1.2} most=${6} columns=${columnsFor(hands.length)}>
      ${hands.map((hand) => html`<${Hand} key=${hand.place} hand=${hand} />`)}
    <//>`}
  </div>`;
}

function Hand({ hand }) {
  return html`<section data-place=${hand.place} class="place ${hand.place === "banker" ? "place-banker" : ""}">
    <div class="place-head">
      <${PlaceName} place=${hand.place} />
      <${Said} hand=${hand} />
      ${hand.points && html`<p class="points"><span class="heard"><${T} of="page.display.points" /></span>${hand.points.player} : ${hand.points.banker}</p>`}
      <${Outcomes} outcomes=${hand.outcomes} game="thirteen_cards" />
    </div>
    ${hand.rows ? html`<${Tiers} rows=${hand.rows} formations=${hand.natural ? null : hand.formations} />` : html`<${Pile} cards=${hand.cards ?? []} />`}
  </section>`;
}

/** What is to be said of a hand: a natural, a foul, or how far its setting is. */
function Said({ hand }) {
  const key = hand.natural ? `natural.thirteen_cards.${hand.natural}` : SAID.find((name) => hand[name] && !(hand.rows && name.startsWith("set")));
  if (!key) return null;
  return html`<p class="place-made"><${T} of=${hand.natural ? key : `page.display.${key}`} line /></p>`;
}

/** The first that is true of a hand counts; how far the setting is, only until the hand is shown. */
const SAID = ["foul", "late", "set", "setting"];

/** The three tiers, the first on top, each with what it makes. */
function Tiers({ rows, formations }) {
  const { words } = useContext(Speech);
  return html`<ol class="tiers">
    ${rows.map((row, nth) => html`<li class="tier">
      <span class="tier-cards">${row.map((card) => html`<${Card} card=${card} words=${words} />`)}</span>
      ${formations && html`<span class="tier-made"><${T} of=${formation(formations[nth])} /></span>`}
    </li>`)}
  </ol>`;
}

/** Thirteen cards that nobody has shown: backs, but for one that was turned up in the deal. */
function Pile({ cards }) {
  const { words } = useContext(Speech);
  return html`<div class="pile">${cards.map((card) => html`<${Card} card=${card} words=${words} />`)}</div>`;
}

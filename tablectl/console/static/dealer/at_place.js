/** What is wrong is touched where it lies: from the felt to the records that say so, while *Put right* is open. */
import { html } from "/static/vendor/htm-preact.js";
import { counting, fieldsOf } from "/static/dealer/amend_values.js";
import { putRight } from "/static/dealer/amending.js";
import { betsOn } from "/static/dealer/betting.js";
import { shownResult } from "/static/dealer/tableau.js";

/** Whether the felt is there to be put right: no chip goes down on it meanwhile. */
export const correcting = (desk) => desk.tab === "amend" && !desk.form;

/** The facts that count of the round that lies on the felt, where its list is open; none otherwise. */
function facts(desk) {
  const { records: list, state } = desk;
  const lying = shownResult(state)?.round_id ?? state.round_id;
  if (!correcting(desk) || desk.amend || !list || list.round_id !== lying) return [];
  return list.records.filter((line) => line.amendable && !(line.amended_by && line.now === null)).map((line) => ({ line, verb: line.verb, ...counting(line) }));
}

const linesOf = (found) => [...new Set(found.map(({ line }) => line))];

/** A place is a number on the layout, and may be text in a record. */
const isAt = (one, place) => String(one) === String(place);

/** What was laid on a space, or taken from it; on every space of the place, where none is named. */
export function stakeAt(desk, place, bet = null) {
  const whose = betsOn(desk, place, bet).map((one) => one.bettor);
  const isHere = (fact) => isAt(fact.place, place) && fact.bet !== undefined && (bet === null || fact.bet === bet);
  return linesOf(facts(desk).filter((fact) => isHere(fact) || (fact.verb === "repeat_bets" && whose.includes(fact.bettor))));
}

/** What these bettors have decided at a place. */
export const decisionAt = (desk, place, bettors) =>
  linesOf(facts(desk).filter((fact) => fact.verb === "decide" && isAt(fact.place, place) && bettors.includes(fact.bettor)));

/** How a hand of 13 Cards was said to lie. */
export const tiersAt = (desk, place) => linesOf(facts(desk).filter((fact) => fact.verb === "show_tiers" && isAt(fact.place, place)));

/**
 * The report that brought a card, and who named it. What lies face down is known by its order alone; where that tells
 * nothing, because a card was put in or struck, it is one of all that were dealt there.
 *
 * @param {{place, cards: ?string[]}} hand as it lies.
 * @param {?number} nth of its cards, from 0; null for all of them.
 */
export function cardAt(desk, { place, cards }, nth = null) {
  const known = facts(desk);
  const dealt = known.filter((fact) => isAt(fact.lies, place) && (fact.verb === "card" || fact.verb === "packet"))
    .flatMap((fact) => Array(fact.count ?? 1).fill(fact));
  const says = (fact) => cards.some((card, at) => card && (nth === null || at === nth) && (fact.card === card || fact.cards?.includes(card)));
  const named = known.filter((fact) => fact.verb !== "card" && says(fact));
  if (nth === null) return linesOf([...dealt, ...named]);
  const read = dealt.find(says);
  const inOrder = dealt.length === cards.length ? [dealt[nth]] : dealt;
  return linesOf([...(read ? [read] : inOrder), ...named]);
}

/**
 * The throw that was read or entered with these dice. Of several throws alike the order tells which it is.
 *
 * @param {(?number[])[]} throws as they lie, in the order in which they were thrown; null for what isn't valid.
 */
export function throwAt(desk, throws, nth) {
  const sign = (dice) => dice && [...dice].sort().join(" ");
  const wanted = sign(throws[nth]);
  const known = facts(desk);
  if (!wanted) return linesOf(known.filter((fact) => fact.verb === "invalidate_throw" || fact.flaw));
  const told = known.filter((fact) => sign(fact.dice) === wanted);
  const lying = throws.flatMap((dice, at) => (sign(dice) === wanted ? [at] : []));
  return linesOf(told.length === lying.length ? [told[lying.indexOf(nth)]] : told);
}

/** The last spin that was measured or stated. */
export const spinAt = (desk, { section }) =>
  linesOf(facts(desk).filter((fact) => fact.section !== undefined && fact.section === section).slice(-1));

/** The draw, and what the display showed of it. */
export const drawAt = (desk) => linesOf(facts(desk).filter((fact) => fact.series !== undefined && fact.combination !== undefined));

/** What lies on the felt, as a button where there are records that say so. */
export function AtPlace({ desk, lines, name, children }) {
  if (!lines.length) return children;
  const { words } = desk;
  return html`<button type="button" class="at-place" data-at-place=${lines.map((line) => line.record).join(" ")} aria-disabled=${!desk.live}
    aria-label=${words.say("page.dealer.pair", { name: words.say("page.dealer.amend.title"), value: name })}
    onClick=${() => touch(desk, lines)}>${children}</button>`;
}

/** Puts the one record right that it can be; of several the list shows no others. */
function touch(desk, lines) {
  if (lines.length === 1 && fieldsOf(desk, lines[0]).length) putRight(desk, desk.records, lines[0], { struck: false });
  else desk.set({ touched: lines.map((line) => line.record) });
}

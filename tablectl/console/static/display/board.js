/** Beside the game: what the last rounds came to, and what the bets pay. */
import { html, useContext } from "/static/vendor/htm-preact.js";
import { Legend, betKeys } from "/static/display/places.js";
import { FIRST, Speech, T, useSay } from "/static/display/speech.js";
import { shownResult } from "/static/display/stage.js";

/** The names of a result for people, the shortest first. */
const KEYS = {
  q_poker: (name) => [`hand_short.q_poker.${name}`, `hand.q_poker.${name}`],
  football_poker: (name) => [`series.${name.split("_")[0]}`],
  wheel_of_fortune: (name) => [`bet_short.wheel_of_fortune.${name}`],
  chinese_dice: (name) => [`page.display.dice.${name}`, `combination.chinese_dice.${name}`],
  thirteen_cards: (name) => [name === "no_natural" ? "page.display.no_natural" : `natural.thirteen_cards.${name}`],
};

/** A game that isn't among these has its results' bare names. */
const keysOf = (game) => KEYS[game] ?? ((name) => [name]);

/** A result where there is room for two or three signs only. */
const MARKS = {
  football_poker: (name) => `${name.startsWith("upper") ? "▲" : "▼"}${name.split("_")[1]}`,
  wheel_of_fortune: (name) => name.split("_")[1],
};

/** How many of the last results are shown. */
const LAST = 20;

export function Board({ display }) {
  const { board, game } = display;
  const shown = board?.last?.slice(-LAST) ?? [];
  return html`<aside class="board">
    <h2><${T} of="page.display.history" line /></h2>
    ${shown.length ? html`<${Last} shown=${shown} game=${game} />` : html`<p class="board-empty"><${T} of="page.display.no_rounds" /></p>`}
    <${Explained} display=${display} shown=${shown} />
  </aside>`;
}

/** The outcomes whose signs stand beside bets, where bets have names. */
const SIGNED = {
  q_poker: ["win", "lose", "half_lost", "push"],
  football_poker: ["win", "lose", "push"],
  wheel_of_fortune: ["win", "lose"],
};

/** Bets that the middle of the screen names in both languages. */
const NAMED_ELSEWHERE = /^(symbol_|upper_|lower_)/;

/** The legend while a result is shown, what the bets pay otherwise; the wheel has that beside its symbols. */
function Explained({ display, shown }) {
  const { game, limits } = display;
  const { layout } = useContext(Speech);
  const isResult = shownResult(display) !== null;
  const paidByHand = layout.bets.some(({ pays }) => pays.some(({ hand }) => hand));
  const bets = Object.keys(limits ?? {}).filter((bet) => !NAMED_ELSEWHERE.test(bet));
  return html`
    ${!MARKS[game] && (isResult || !paidByHand) && html`<${Named} shown=${shown} game=${game} />`}
    ${isResult && SIGNED[game] && html`<${Legend} outcomes=${SIGNED[game]} bets=${bets} game=${game} />`}
    ${!isResult && game !== "wheel_of_fortune" && html`<${Pays} game=${game} />`}`;
}

/** The last results' names in both languages, the best hand first; what the bets pay by hand names them as well. */
function Named({ shown, game }) {
  const { layout, second } = useContext(Speech);
  if (!second) return null;
  const hands = layout.bets.flatMap(({ pays }) => pays.map(({ hand }) => hand));
  const names = [...new Set(shown.map(({ result }) => result))].sort((one, other) => hands.indexOf(one) - hands.indexOf(other) || one.localeCompare(other));
  return html`<ul class="legend last-said">${names.map((name) => html`<li key=${name}><${T} of=${keysOf(game)(name)} line /></li>`)}</ul>`;
}

/** The games whose last results are a bead road: column after column, each from above, the newest last. */
const ROADS = new Set(["q_poker", "chinese_dice"]);

/** The last results, in signs or in the first language. The newest come first, but in a bead road. */
function Last({ shown, game }) {
  const say = useSay();
  const mark = MARKS[game];
  const newest = shown[shown.length - 1];
  const form = mark ? "last-marks" : ROADS.has(game) ? "last-names last-road" : "last-names";
  return html`<ol class="last ${form}">
    ${(ROADS.has(game) ? shown : [...shown].reverse()).map(({ round_id: id, result }) => html`<li key=${id} class=${id === newest.round_id ? "newest" : ""}>
      <span class="mark" data-result=${result} lang=${FIRST}>${mark ? mark(result) : say(keysOf(game)(result))}</span>
    </li>`)}
  </ol>`;
}

/** What each bet pays, by the hand that wins it where that isn't always the same. */
function Pays({ game }) {
  const { layout } = useContext(Speech);
  const bets = layout.bets.filter(({ pays }) => pays.length > 0);
  if (bets.length === 0) return null;
  const hands = [...new Set(bets.flatMap(({ pays }) => pays.map(({ hand }) => hand)))];
  const ratio = (bet, hand) => bet.pays.find((one) => one.hand === hand)?.ratio ?? "";
  const name = (bet) => html`<th scope=${hands[0] ? "col" : "row"}><${T} of=${betKeys(game, bet.name)} line=${!hands[0]} /></th>`;
  if (!hands[0]) {
    return html`<table class="pays">${bets.map((bet) => html`<tr key=${bet.name}>${name(bet)}<td>${ratio(bet, "")}</td></tr>`)}</table>`;
  }
  return html`<table class="pays">
    <tr><td></td>${bets.map(name)}</tr>
    ${hands.map((hand) => html`<tr key=${hand}>
      <th scope="row"><${T} of=${[`hand_short.${game}.${hand}`, `hand.${game}.${hand}`]} line /></th>
      ${bets.map((bet) => html`<td>${ratio(bet, hand)}</td>`)}
    </tr>`)}
  </table>`;
}

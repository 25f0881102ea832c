/**
 * The history: what the last rounds came to, and how often each result came.
 *
 * It says nothing of what is to come: rounds don't remember.
 */
import { html } from "/static/vendor/htm-preact.js";
import { Legend } from "/static/display/places.js";
import { FIRST, T, useSay } from "/static/display/speech.js";
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
  const counts = Object.entries(board?.counts ?? {});
  const Table = game === "football_poker" ? Draws : Counts;
  return html`<aside class="board">
    <h2><${T} of="page.display.history" line /></h2>
    ${board?.last?.length ? html`<${Last} results=${board.last} game=${game} />` : html`<p class="board-empty"><${T} of="page.display.no_rounds" /></p>`}
    ${counts.length > 0 && html`<${Table} counts=${counts} rounds=${board.rounds} game=${game} />`}
    <${Explained} display=${display} />
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

/** The legend, while a result is shown. */
function Explained({ display }) {
  const { game, limits } = display;
  if (!shownResult(display) || !SIGNED[game]) return null;
  const bets = Object.keys(limits ?? {}).filter((bet) => !NAMED_ELSEWHERE.test(bet));
  return html`<${Legend} outcomes=${SIGNED[game]} bets=${bets} game=${game} />`;
}

/** The games whose last results are a bead road: column after column, each from above, the newest last. */
const ROADS = new Set(["q_poker", "chinese_dice"]);

/** The last results, in signs or in the first language; the counts below name them in both. The newest come first, but in a bead road. */
function Last({ results, game }) {
  const say = useSay();
  const mark = MARKS[game];
  const shown = results.slice(-LAST);
  const newest = shown[shown.length - 1];
  const form = mark ? "last-marks" : ROADS.has(game) ? "last-names last-road" : "last-names";
  return html`<ol class="last ${form}">
    ${(ROADS.has(game) ? shown : [...shown].reverse()).map(({ round_id: id, result }) => html`<li key=${id} class=${id === newest.round_id ? "newest" : ""}>
      <span class="mark result-${result}" data-result=${result} lang=${FIRST}>${mark ? mark(result) : say(keysOf(game)(result))}</span>
    </li>`)}
  </ol>`;
}

/** How often each result came in the rounds that are counted. */
function Counts({ counts, rounds, game }) {
  return html`<table class="counts">
    <caption><${T} of="page.display.counted" values=${{ rounds }} line /></caption>
    <thead class="heard"><tr>
      <th scope="col"><${T} of="page.display.result" /></th>
      <th scope="col"><${T} of="page.display.count" /></th>
    </tr></thead>
    <tbody>${inOrder(counts, game).map(([name, { count }]) => html`<tr key=${name}>
      <th scope="row"><${CountName} name=${name} game=${game} /></th>
      <td>${count}</td>
    </tr>`)}</tbody>
  </table>`;
}

/** A result's name; the wheel's symbols are numbers, which need none. */
function CountName({ name, game }) {
  const mark = MARKS[game];
  if (!mark) return html`<${T} of=${keysOf(game)(name)} line />`;
  return html`<span class="mark result-${name}">${mark(name)}</span><span class="heard"><${T} of=${keysOf(game)(name)} /></span>`;
}

const COMBINATIONS = [1, 2, 3, 4, 5, 6, 7, 8];
const SIGN_OF = { upper: "▲", lower: "▼" };

/** The sixteen draws of Football Poker as the law has them: combinations by series. */
function Draws({ counts, rounds }) {
  const found = new Map(counts);
  return html`<table class="counts draws">
    <caption><${T} of="page.display.counted" values=${{ rounds }} line /></caption>
    <thead><tr>
      <th scope="col"><span class="heard"><${T} of="page.display.result" /></span></th>
      ${COMBINATIONS.map((number) => html`<th scope="col" key=${number}>${number}</th>`)}
    </tr></thead>
    <tbody>${["upper", "lower"].map((series) => html`<tr key=${series}>
      <th scope="row"><span aria-hidden="true">${SIGN_OF[series]}</span><span class="heard"><${T} of=${`series.${series}`} /></span></th>
      ${COMBINATIONS.map((number) => html`<td key=${number}>${found.get(`${series}_${number}`)?.count ?? 0}</td>`)}
    </tr>`)}</tbody>
  </table>`;
}

/** The hand or combination that beats the others stands on top. */
const ORDER = {
  q_poker: ["straight_flush", "three_of_a_kind", "straight", "flush", "pair", "high_card"],
  chinese_dice: ["4-5-6", "triple", "pair+6", "pair+5", "pair+4", "pair+3", "pair+2", "pair+1", "1-2-3"],
};

function inOrder(counts, game) {
  const order = ORDER[game];
  return order ? [...counts].sort(([one], [other]) => order.indexOf(one) - order.indexOf(other)) : counts;
}

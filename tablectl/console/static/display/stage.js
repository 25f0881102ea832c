/** What the stages of all games share: what is shown when no round is open. */
import { html, useContext } from "/static/vendor/htm-preact.js";
import { betKeys } from "/static/display/places.js";
import { Speech, T } from "/static/display/speech.js";

/** The last round's settlement while no round is open; null otherwise: an old round never stands beside a new one. */
export function shownResult({ phase, result }) {
  return phase === "idle" && result && !result.void ? result : null;
}

/** The names of a phase for those who play; the dealer's own where they need none. */
export const phaseKeys = ({ game, phase }) => [`page.display.phase.${phase}`, `phase.${game}.${phase}`];

/** The middle of the screen while there is nothing to be seen on the table. */
export function Nothing({ display }) {
  return html`<div class="waiting">
    <p class="nothing nothing-phase"><${T} of=${phaseKeys(display)} /></p>
    <${Pays} game=${display.game} />
  </div>`;
}

/** What each bet pays, by the hand that wins it where that isn't always the same. */
export function Pays({ game }) {
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

/** That the last round doesn't count. */
export function VoidRound({ result }) {
  return html`<div class="nothing void">
    <p><${T} of="page.display.void" /></p>
    ${result.reason && typeof result.reason === "object" && html`<p class="void-reason"><${T} text=${result.reason} /></p>`}
  </div>`;
}

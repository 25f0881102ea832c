/** What the stages of all games share: what is shown when no round is open. */
import { html } from "/static/vendor/htm-preact.js";
import { T } from "/static/display/speech.js";

/** The last round's settlement while no round is open; null otherwise: an old round never stands beside a new one. */
export function shownResult({ phase, result }) {
  return phase === "idle" && result && !result.void ? result : null;
}

/** The names of a phase for those who play, the dealer's own where they need none; while a fault holds up play only that it does. */
export const phaseKeys = ({ game, phase, held_up: held }) => (held ? ["page.display.held_up"] : [`page.display.phase.${phase}`, `phase.${game}.${phase}`]);

/** The middle of the screen while there is nothing to be seen on the table. */
export function Nothing({ display }) {
  return html`<p class="nothing nothing-phase"><${T} of=${phaseKeys(display)} /></p>`;
}

/** That the last round doesn't count. */
export function VoidRound({ result }) {
  return html`<div class="nothing void">
    <p><${T} of="page.display.void" /></p>
    ${result.reason && typeof result.reason === "object" && html`<p class="void-reason"><${T} text=${result.reason} /></p>`}
  </div>`;
}

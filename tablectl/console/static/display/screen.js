/** The frame of the display: whose table it is, the game in the middle, history beside it, and what doesn't change. */
import { html, useContext } from "/static/vendor/htm-preact.js";
import { Board } from "/static/display/board.js";
import { Clock, TimeOfDay } from "/static/display/clock.js";
import { DiceTable } from "/static/display/chinese_dice.js";
import { Football } from "/static/display/football_poker.js";
import { Limits } from "/static/display/limits.js";
import { Plain } from "/static/display/plain.js";
import { QPoker } from "/static/display/q_poker.js";
import { Speech, T } from "/static/display/speech.js";
import { phaseKeys } from "/static/display/stage.js";
import { Thirteen } from "/static/display/thirteen_cards.js";
import { Wheel } from "/static/display/wheel_of_fortune.js";

const STAGES = {
  q_poker: QPoker,
  football_poker: Football,
  wheel_of_fortune: Wheel,
  chinese_dice: DiceTable,
  thirteen_cards: Thirteen,
};

/** A round's number, from its id. */
export const numberOf = (roundId) => Number(String(roundId).split("-").pop()) || roundId;

/**
 * The whole screen.
 *
 * @param {{told: ?{display: object, atMs: number}, status: string}} props what the table said last and
 *   when, and whether it can be heard. What it said before it fell silent is greyed, and said to be so.
 */
export function Screen({ told, status }) {
  if (told === null) return html`<main class="starting"><h1><${T} of="page.display.connecting" /></h1></main>`;
  const { display } = told;
  const silent = status !== "connected";
  const Stage = STAGES[display.game] ?? Plain;
  return html`<div class="screen screen-${display.game} ${silent ? "silent" : ""}">
    <${Simulation} simulated=${display.simulated} />
    <${Header} display=${display} told=${told} silent=${silent} />
    <main class="stage" aria-hidden=${silent ? "true" : undefined}>
      <${Stage} display=${display} />
    </main>
    <${Board} display=${display} />
    <${Limits} limits=${display.limits} table=${display.table} game=${display.game} />
    ${silent && html`<div class="no-connection" role="alert"><${T} of="page.display.no_connection" /></div>`}
  </div>`;
}

function Simulation({ simulated }) {
  const { words } = useContext(Speech);
  if (!simulated) return null;
  const said = words.languages.map((language) => html`<span lang=${language}>${words.say("page.display.demo", {}, language)}</span>`);
  return html`<section class="demo-band" aria-label="DEMO"><b>DEMO</b>${said}</section>`;
}

function Header({ display, told, silent }) {
  const { phase, round, result, game } = display;
  const between = phase === "idle";
  const roundId = between ? result?.round_id : round.round_id;
  return html`<header class="header">
    <h1 class="game"><${T} of=${`game.${game}`} /></h1>
    <p class="phase phase-${phase}">
      <${T} of=${phaseKeys(display)} />
    </p>
    ${!silent && display.ends_at_ms !== null && html`<${Clock} leftMs=${display.ends_at_ms} atMs=${told.atMs} />`}
    ${roundId && html`<p class="round">
      <${T} of=${between ? "page.display.last_round" : "page.display.round"} values=${{ number: numberOf(roundId) }} />
    </p>`}
    <${TimeOfDay} />
  </header>`;
}

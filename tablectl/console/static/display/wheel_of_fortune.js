/** The Wheel of Fortune: its rim in the order of the real one, with the winning section under the indicator. */
import { html, useContext } from "/static/vendor/htm-preact.js";
import { Outcomes, outcomesOf } from "/static/display/places.js";
import { Speech, T } from "/static/display/speech.js";
import { VoidRound, shownResult } from "/static/display/stage.js";

/** What the wheel shows now: the section of a spin that counts, or of the last round once it is settled. */
function shownOf(display) {
  const { rotation } = display.round;
  const last = shownResult(display);
  if (last) {
    const section = last.round.spin.section ?? (rotation?.valid ? rotation.section : null);
    return { section, symbol: last.round.spin.symbol, outcomes: outcomesOf(last.settlement.bets) };
  }
  const stands = rotation?.valid && display.phase === "stopped";
  return { section: stands ? rotation.section : null, symbol: stands ? rotation.symbol : null, outcomes: [] };
}

export function Wheel({ display }) {
  if (display.phase === "idle" && display.result?.void) return html`<${VoidRound} result=${display.result} />`;
  const { section, symbol, outcomes } = shownOf(display);
  const { wheel, rotation } = display.round;
  // A spin that doesn't count is told to the dealer: here it would contradict what stands above.
  const turning = wheel.turning && wheel.counts;
  return html`<div class="fortune">
    <${Rim} layout=${wheel.layout} section=${section} symbol=${symbol} turning=${turning} />
    <div class="fortune-side">
      ${turning && html`<${Turning} wheel=${wheel} />`}
      ${symbol && html`<${Winning} symbol=${symbol} section=${section} />`}
      ${!symbol && !turning && rotation && !rotation.valid && display.phase !== "idle" && html`<${Invalid} rotation=${rotation} />`}
      <${Outcomes} outcomes=${outcomes} game="wheel_of_fortune" />
      ${!symbol && !turning && html`<${Symbols} layout=${wheel.layout} bets=${display.round.bets} />`}
    </div>
  </div>`;
}

function Turning({ wheel }) {
  return html`<div class="turning">
    <p><${T} of="phase.wheel_of_fortune.spinning" /></p>
    <p class="turning-count"><span class="turning-arrow" aria-hidden="true">${wheel.direction === "ccw" ? "↺" : "↻"}</span> ${wheel.turns}</p>
    <p><${T} of="page.display.turns" /></p>
  </div>`;
}

function Winning({ symbol, section }) {
  return html`<div class="winning" data-symbol=${symbol} data-section=${section ?? ""}>
    <p><${T} of="page.display.winning" /></p>
    <p class="winning-symbol symbol-${symbol}"><span class="mark">${symbol}</span></p>
    <p><${T} of=${`bet.wheel_of_fortune.symbol_${symbol}`} /></p>
    ${section !== null && section !== undefined && html`<p class="faint"><${T} of="page.display.section" values=${{ section }} line /></p>`}
  </div>`;
}

function Invalid({ rotation }) {
  return html`<div class="invalid" role="status">
    <p class="invalid-word"><${T} of="page.display.invalid_rotation" /></p>
    ${rotation.reasons.map((reason) => html`<p><${T} of=${`spin_flaw.${reason}`} /></p>`)}
  </div>`;
}

/** The seven symbols, with what each pays and how many sections it has. */
function Symbols({ layout }) {
  const { bets } = useContext(Speech).layout;
  return html`<ul class="symbols">
    ${[1, 2, 3, 4, 5, 6, 7].map((symbol) => html`<li>
      <span class="mark symbol-${symbol}">${symbol}</span>${" "}
      <b class="pays">${bets.find(({ name }) => name === `symbol_${symbol}`).pays[0].ratio}</b>${" "}
      <${T} of="page.display.sections" values=${{ count: layout.filter((each) => each === symbol).length }} line />
    </li>`)}
  </ul>`;
}

const OUTER = 480;
const INNER = 330;
const POINT = (radius, turn) => [radius * Math.sin(turn * 2 * Math.PI), -radius * Math.cos(turn * 2 * Math.PI)];

/**
 * The rim. With a result the wheel is drawn as it stands, that section under the indicator; otherwise as it lies in
 * the layout, and pale: where the real one is just now isn't known, so nothing here turns for show.
 */
function Rim({ layout, section, symbol, turning }) {
  const { words } = useContext(Speech);
  const stands = section !== null && section !== undefined;
  const turn = stands ? -360 * (sectionMiddle(section, layout.length)) : 0;
  const label = symbol ? words.say(`bet.wheel_of_fortune.symbol_${symbol}`, {}, "zh-Hant") : words.say("game.wheel_of_fortune", {}, "zh-Hant");
  return html`<svg class="rim ${turning ? "rim-turning" : ""} ${stands ? "rim-stands" : ""}" viewBox="-520 -540 1040 1060" role="img" aria-label=${label}>
    <g transform="rotate(${turn})">
      ${layout.map((each, nth) => html`<${Section} symbol=${each} nth=${nth} count=${layout.length} won=${stands && nth + 1 === section} turn=${turn} />`)}
      <circle class="rim-edge" r=${OUTER} />
      <circle class="rim-hub" r=${INNER} />
    </g>
    <path class="rim-indicator" d="M-30 -535H30L0 -462Z" />
    ${symbol && html`<g class="rim-result">
      <circle class="hub-${symbol}" r="210" />
      <text y="95" text-anchor="middle">${symbol}</text>
    </g>`}
  </svg>`;
}

const sectionMiddle = (section, count) => (section - 0.5) / count;

function Section({ symbol, nth, count, won }) {
  const [from, to] = [nth / count, (nth + 1) / count];
  const [[ax, ay], [bx, by], [cx, cy], [dx, dy]] = [POINT(OUTER, from), POINT(OUTER, to), POINT(INNER, to), POINT(INNER, from)];
  const [px, py] = POINT(OUTER, from);
  return html`<g class="section ${won ? "section-won" : ""}" data-section=${nth + 1} data-symbol=${symbol}>
    <path class="section-ground hub-${symbol}" d="M${ax} ${ay}A${OUTER} ${OUTER} 0 0 1 ${bx} ${by}L${cx} ${cy}A${INNER} ${INNER} 0 0 0 ${dx} ${dy}Z" />
    <text class="section-mark" transform="rotate(${(360 * (nth + 0.5)) / count}) translate(0 -388)" text-anchor="middle">${symbol}</text>
    <circle class="peg" cx=${px} cy=${py} r="7" />
  </g>`;
}

/** Wheel of Fortune: the wheel with its last word above, and below the layout, a column of symbols for each place. */
import { html } from "/static/vendor/htm-preact.js";
import { AtPlace, spinAt } from "/static/dealer/at_place.js";
import { Facts, Place, Spot } from "/static/dealer/felt/parts.js";
import { Wheel } from "/static/shared/wheel.js";
import { shownResult, tableau } from "/static/dealer/tableau.js";
import { betLabel } from "/static/dealer/labels.js";

export function WheelFelt({ desk }) {
  const { layout, state } = desk;
  const { wheel, rotation } = state.round;
  const over = shownResult(state);
  // A phone has room for the bets at one place: the chosen one, or the first with a bet.
  const open = desk.place ?? tableau(state).bets[0]?.place ?? layout.places[0];
  const winner = (over && !over.void && state.round_id === null ? over.round.spin.symbol : rotation?.valid ? rotation.symbol : null) ?? null;
  return html`
    <div class="wheel-top">
      <${Wheel} sections=${layout.sections} at=${rotation?.section ?? null} turning=${wheel.turning} label=${desk.words.say("page.dealer.wheel.turning")} />
      <${Rotation} desk=${desk} rotation=${rotation} />
    </div>
    <div class="wheel-layout" style=${{ "--columns": layout.places.length }}>
      <div class="symbols">
        <span></span>
        ${layout.bets.map(({ name, pays }) => html`<b key=${name} class="symbol symbol-${name.split("_")[1]} ${winner && name === `symbol_${winner}` ? "symbol-won" : ""}">
          <span class="heard">${betLabel(desk, name)}</span><span aria-hidden="true">${name.split("_")[1]}</span> <span class="pays">${pays[0].ratio}</span></b>`)}
      </div>
      ${layout.places.map((place) => html`<${Place} key=${place} desk=${desk} place=${place} extra=${place === open ? "place-open" : ""}>
        ${layout.bets.map(({ name }, nth) => html`<${Spot} key=${name} desk=${desk} place=${place} bet=${name} nth=${nth} label=""
          shape=${`rect ${winner && name === `symbol_${winner}` ? "spot-won" : ""}`} />`)}
      <//>`)}
    </div>`;
}

function Rotation({ desk, rotation }) {
  const { words, state } = desk;
  const { wheel } = state.round;
  const facts = html`<${Facts} items=${[
    [words.say("page.dealer.wheel.turning"), wheel.turning ? words.say("page.dealer.wheel.turns", { turns: wheel.turns }) : null],
    [words.say("page.dealer.wheel.invalid"), wheel.invalid_rotations || null],
  ]} />`;
  if (!rotation) return html`<div class="rotation"><p class="faint">${words.say("page.dealer.wheel.none")}</p>${facts}</div>`;
  const symbol = rotation.symbol ? betLabel(desk, `symbol_${rotation.symbol}`) : words.say("spin_flaw.on_peg");
  const turns = words.say("page.dealer.wheel.turns", { turns: rotation.turns });
  const lines = spinAt(desk, rotation);
  return html`<div class="rotation">
    <p class="rotation-symbol"><${AtPlace} desk=${desk} lines=${lines} name=${`${symbol} ${rotation.section ?? ""}`}>
      <b class="symbol symbol-${rotation.symbol}">${symbol}</b>
      ${rotation.section ? html` <span>${words.say("page.dealer.field.section")} <b>${rotation.section}</b></span>` : null}<//></p>
    <p><${AtPlace} desk=${desk} lines=${lines} name=${turns}>${turns}<//>${" "}
      <span class="lamp lamp-${rotation.valid ? "good" : "bad"}">
        ${rotation.valid ? words.say("page.dealer.valid") : rotation.reasons.map((reason) => words.say(`spin_flaw.${reason}`)).join("; ")}</span>
      ${rotation.declared ? html` <em>${words.say("page.dealer.wheel.declared")}</em>` : null}</p>
    ${facts}
  </div>`;
}

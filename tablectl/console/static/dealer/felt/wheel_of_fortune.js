/** Wheel of Fortune: the wheel's last word above, the places below. */
import { html } from "/static/vendor/htm-preact.js";
import { Facts, Place } from "/static/dealer/felt/parts.js";
import { betLabel, sectionLabel } from "/static/dealer/labels.js";

export function WheelFelt({ desk }) {
  const { words, layout, state } = desk;
  const { wheel, rotation } = state.round;
  return html`
    <${Rotation} desk=${desk} rotation=${rotation} />
    <${Facts} items=${[
      [words.say("page.dealer.wheel.turning"), wheel.turning ? words.say("page.dealer.wheel.turns", { turns: wheel.turns }) : null],
      [words.say("page.dealer.wheel.invalid"), wheel.invalid_rotations || null],
    ]} />
    <div class="places places-row places-many">
      ${layout.places.map((place) => html`<${Place} key=${place} desk=${desk} place=${place} />`)}
    </div>`;
}

function Rotation({ desk, rotation }) {
  const { words } = desk;
  if (!rotation) return html`<p class="rotation faint">${words.say("page.dealer.wheel.none")}</p>`;
  const shown = rotation.section
    ? `${sectionLabel(desk, rotation.section)} · ${betLabel(desk, `symbol_${rotation.symbol}`)}`
    : words.say("spin_flaw.on_peg");
  return html`<p class="rotation">
    <strong>${shown}</strong>
    <span>${words.say("page.dealer.wheel.turns", { turns: rotation.turns })}</span>
    <span class="lamp lamp-${rotation.valid ? "good" : "bad"}">
      ${rotation.valid ? words.say("page.dealer.valid") : rotation.reasons.map((reason) => words.say(`spin_flaw.${reason}`)).join("; ")}
    </span>
    ${rotation.declared ? html`<em>${words.say("page.dealer.wheel.declared")}</em>` : null}
  </p>`;
}

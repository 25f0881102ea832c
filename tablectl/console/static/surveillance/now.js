/** What the table does now, in its own words. */
import { html } from "/static/vendor/htm-preact.js";
import { term } from "/static/surveillance/speech.js";

export function Now({ words, layout, live, open }) {
  const { state } = live;
  if (!state) return null;
  const say = (key) => words.say(`page.surveillance.${key}`);
  return html`<div class="box">
    <h2>${say("now")}</h2>
    <p class="waiting">${words.pick(state.waiting)}</p>
    <dl class="pairs">
      <dt>${say("phase")}</dt><dd>${term(words, "phase", state.phase, layout.game)}</dd>
      <dt>${say("round")}</dt>
      <dd>${state.round_id ? html`<button class="link" onClick=${() => open(state.round_id)}>${state.round_id}</button>` : "–"}</dd>
    </dl>
    <ul class="devices">
      ${state.devices.map((device) => html`<li key=${device.name}>
        <span class="lamp lamp-${device.attached ? "good" : "bad"}">${words.first([`device.${device.name}`, device.name])}</span>
        <span class="faint">${device.attached ? "" : say("gone")}</span>
      </li>`)}
    </ul>
  </div>`;
}

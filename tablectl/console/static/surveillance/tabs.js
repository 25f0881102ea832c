/** Tabs that the arrow keys step through. */
import { html } from "/static/vendor/htm-preact.js";

export function Tabs({ words, names, chosen, choose }) {
  const step = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const next = names[(names.indexOf(chosen) + by + names.length) % names.length];
    choose(next);
    document.getElementById(`tab-${next}`).focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${words.say("page.surveillance.recorded")}>
    ${names.map((name) => html`
      <button role="tab" id=${`tab-${name}`} key=${name} aria-selected=${String(name === chosen)} aria-controls="view"
        tabindex=${name === chosen ? 0 : -1} onKeyDown=${step} onClick=${() => choose(name)}>${words.say(`page.surveillance.${name}`)}</button>`)}
  </div>`;
}

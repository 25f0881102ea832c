/** The whole screen of a person who is signed on. */
import { html, useEffect, useMemo, useState } from "/static/vendor/htm-preact.js";
import { signOff } from "/static/shared/api.js";
import { Desk } from "/static/dealer/desk.js";
import { Faults, Devices } from "/static/dealer/troubles.js";
import { Felt } from "/static/dealer/felt/felt.js";
import { Languages } from "/static/shared/parts.js";
import { Notice } from "/static/dealer/notice.js";
import { Panel } from "/static/dealer/panel.js";

export function Console({ words, layout, who, leave }) {
  const desk = useMemo(() => new Desk(words, layout, who, leave), []);
  const [, redraw] = useState(0);
  useEffect(() => {
    const unwatch = desk.watch(() => redraw((now) => now + 1));
    const stop = desk.start();
    return () => (stop(), unwatch());
  }, []);
  if (!desk.state) return html`<main class="starting">${words.say("page.dealer.connection.connecting")}</main>`;
  const away = desk.connection !== "connected";
  return html`<div class="desk ${away ? "away" : ""} ${desk.calm ? "calm" : ""}" data-phase=${desk.state.phase} data-seen=${desk.state.seen}>
    <${Top} desk=${desk} />
    <p class="waiting" role="status"><span>${words.pick(desk.state.waiting)}</span></p>
    ${away ? html`<p class="not-connected" role="alert">⚠ ${words.say("page.dealer.connection.lost")}</p>` : null}
    <${Notice} desk=${desk} />
    <main class="work ${desk.form ? "with-form" : ""}" inert=${away} aria-busy=${String(desk.pending !== null)}>
      <${Felt} desk=${desk} />
      <${Panel} desk=${desk} />
    </main>
    <footer class="foot" inert=${away}>
      <${Faults} desk=${desk} />
      <${Devices} desk=${desk} />
    </footer>
  </div>`;
}

function Top({ desk }) {
  const { words, state, layout, who, left } = desk;
  const off = () => signOff().then(left, left);
  const phase = words.say(`phase.${layout.game}.${state.phase}`);
  return html`<header class="top">
    ${state.simulated ? html`<strong class="demo-band">${words.say("page.dealer.simulated")}</strong>` : null}
    <h1>${words.say(`game.${layout.game}`)} <span class="faint">${state.table}</span></h1>
    <dl class="where">
      <div><dt>${words.say("page.dealer.round")}</dt><dd class="round-id">${state.round_id ?? "–"}</dd></div>
      <div><dt>${words.say("page.dealer.phase")}</dt><dd>${phase}</dd></div>
    </dl>
    <${Languages} words=${words} short />
    <button type="button" class="button who" onClick=${off}>
      <strong>${who.person}</strong> <span>${words.say("page.dealer.sign_off")}</span>
    </button>
  </header>`;
}

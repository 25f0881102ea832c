/** The whole screen of a person who is signed on. */
import { html, useEffect, useMemo, useState } from "/static/vendor/htm-preact.js";
import { signOff } from "/static/shared/api.js";
import { Languages, Theme } from "/static/shared/parts.js";
import { betting } from "/static/dealer/betting.js";
import { Desk } from "/static/dealer/desk.js";
import { Dock } from "/static/dealer/dock.js";
import { Felt } from "/static/dealer/felt/felt.js";
import { Notice } from "/static/dealer/notice.js";
import { Strip } from "/static/dealer/troubles.js";

export function Console({ words, layout, who, leave, notice }) {
  const desk = useMemo(() => new Desk(words, layout, who, leave, notice), []);
  const [, redraw] = useState(0);
  useEffect(() => {
    const unwatch = desk.watch(() => redraw((now) => now + 1));
    const stop = desk.start();
    return () => (stop(), unwatch());
  }, []);
  if (!desk.state) return html`<main class="starting">${words.say("page.dealer.connection.connecting")}</main>`;
  const away = desk.connection !== "connected";
  return html`<div class="desk ${away ? "away" : ""} ${desk.calm ? "calm" : ""} ${desk.opening ? "opening" : ""}" data-phase=${desk.state.phase} data-seen=${desk.state.seen}
    data-entering=${isTaken(desk) ? "" : null}>
    <${Top} desk=${desk} />
    <${Headline} desk=${desk} away=${away} />
    <main class="work" inert=${away} aria-busy=${String(desk.pending !== null)}>
      <${Felt} desk=${desk} />
      <${Dock} desk=${desk} />
    </main>
    <div class="foot" inert=${away}><${Strip} desk=${desk} /></div>
  </div>`;
}

/** Whether the dealer has taken up a chip, a bettor's name or the taking back of bets, while bets are taken. */
const isTaken = (desk) => betting(desk) && (desk.tray.chip !== null || desk.tray.bettor !== null || desk.tray.back);

/** What the table waits for; where it can't be heard, that instead; and over both, what was refused. */
function Headline({ desk, away }) {
  const { words, state } = desk;
  return html`<div class="headline">
    ${away
      ? html`<p class="not-connected" role="alert">⚠ ${words.say("page.dealer.connection.lost")}</p>`
      : html`<p class="waiting" role="status"><span>${words.pick(state.waiting)}</span></p>`}
    <${Notice} desk=${desk} />
  </div>`;
}

function Top({ desk }) {
  const { words, state, layout, who } = desk;
  const off = () => signOff().catch(() => {}).then(() => desk.end({ asked: true }));
  return html`<header class="top">
    ${state.simulated ? html`<strong class="demo-band">${words.say("page.dealer.simulated")}</strong>` : null}
    <h1>${words.say(`game.${layout.game}`)} <span class="faint">${state.table}</span></h1>
    <p class="where"><span class="faint">${state.round_id ? `${words.say("page.dealer.round")} ${state.round_id.split("-").pop()}` : ""}</span>
      <b>${words.say(`phase.${layout.game}.${state.phase}`)}</b></p>
    <${Theme} words=${words} />
    <${Languages} words=${words} short />
    <button type="button" class="button who" data-key="F9" onClick=${off}>
      <strong>${who.person}</strong> <span>${words.say("page.dealer.sign_off")}</span>
    </button>
  </header>`;
}

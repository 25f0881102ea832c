/** A round opened: what it came to, drawn; its money; and how it came, from the bytes on the links to the messages. */
import { html, useEffect, useRef, useState } from "/static/vendor/htm-preact.js";
import { get } from "/static/shared/api.js";
import { Hands } from "/static/surveillance/hands.js";
import { Bets, Money, Returned } from "/static/surveillance/money.js";
import { bound, cite, explainError, term } from "/static/surveillance/speech.js";
import { Replay } from "/static/surveillance/replay.js";
import { Steps } from "/static/surveillance/steps.js";

export function Opened({ words, api, layout, live, opened, mark }) {
  const [told, error, again] = useRound(api, opened, live.news.rounds);
  const say = (key, values) => words.say(`page.surveillance.${key}`, values);
  if (!opened) return html`<p class="faint hint">${say("open_hint")}</p>`;
  if (error) return html`<p role="alert">${explainError(words, error)}</p>`;
  if (told?.round_id !== opened) return html`<p class="faint hint">…</p>`;
  return html`<${Head} words=${words} round=${told} again=${again} />
    ${layout && html`<${Replay} words=${words} api=${api} layout=${layout} round=${told} />`}
    <h3>${words.say("explain.outcome")}</h3>
    <${Void} words=${words} round=${told} />
    <${Hands} words=${words} round=${told} />
    <${Bets} words=${words} round=${told} />
    <${Money} words=${words} round=${told} />
    <${Corrections} words=${words} round=${told} />
    <${Steps} words=${words} round=${told} mark=${mark} />
    ${told.missing.map((key) => html`<p key=${key} class="faint">${words.say(`explain.missing.${key}`)}</p>`)}`;
}

/**
 * The round's explanation; asked for again when a round that isn't over begins or ends something, or on demand.
 *
 * Not after every event, and never twice for one: that it was looked at is an event as well.
 */
function useRound(api, opened, news) {
  const [told, setTold] = useState(null);
  const [error, setError] = useState(null);
  const [looks, setLooks] = useState(0);
  const known = useRef({});
  const unfinished = told?.round_id === opened && !told.end;
  useEffect(() => {
    if (!opened) return undefined;
    const { current } = known;
    if (current.opened === opened && current.looks === looks && (current.news === news || current.end)) return undefined;
    let over = false;
    const timer = setTimeout(async () => {
      try {
        const answer = await get(`${api}/rounds/${encodeURIComponent(opened)}`);
        if (!over) known.current = { opened, looks, news, end: answer.end };
        if (!over) setTold(answer);
        if (!over) setError(null);
      } catch (failed) {
        if (!over) setError(failed);
      }
    }, 50);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [opened, looks, unfinished ? news : 0]);
  return [told, error, () => setLooks(looks + 1)];
}

function Head({ words, round, again }) {
  const [copied, setCopied] = useState(false);
  const end = words.say(`explain.end.${round.end || "open"}`);
  const states = words.list(round.clock.states.map((state) => words.say(`explain.clock_state.${state}`)));
  const line = forVideo(round);
  const copy = async () => {
    await navigator.clipboard?.writeText(line);
    setCopied(true);
  };
  return html`<header class="round-head">
    <h2>${words.say("explain.title", { round: round.round_id })}</h2>
    <p><strong>${end}</strong>${" "}<button class="link" onClick=${again}>${words.say("page.surveillance.again")}</button>
      ${round.simulated ? html` <span class="tag">${words.say("explain.simulated")}</span>` : ""}
      ${round.amended ? html` <span class="tag">${words.say("explain.amended")}</span>` : ""}
      ${round.corrections.length ? html` <span class="tag">${words.say("explain.corrected")}</span>` : ""}
      <span class="faint">${` ${words.say(`game.${round.game}`)} (${round.rules_version}) · ${words.say("explain.events", { first: round.first, last: round.last })}`}</span></p>
    <p class="faint">${words.say("explain.clock")}: ${states}, ${round.clock.error_us === null
      ? words.say("explain.no_bound") : words.say("explain.bound", { bound: bound(round.clock.error_us, "synced") })}</p>
    <p class="for-video"><code>${line}</code>${" "}<button class="link" onClick=${copy}>${words.say(`page.surveillance.${copied ? "copied" : "copy"}`)}</button></p>
  </header>`;
}

/** One line to find the round in the video: when, how exactly, where. */
function forVideo(round) {
  const off = bound(round.clock.error_us, round.clock.states.join());
  return `${round.opened.replace("T", " ").slice(0, 23)} – ${round.ended ? round.ended.slice(11, 23) : "…"} UTC ${off} · ${round.site}/${round.table} · ${round.round_id}`;
}

function Void({ words, round }) {
  if (round.end !== "void") return null;
  const reason = term(words, "irregular", round.reason, round.game);
  return html`<p class="void">${words.say("explain.end.void")}: ${reason} <em>§ ${cite(words, round.article, round.rules_version)}</em></p>
    <${Returned} words=${words} round=${round} />`;
}

function Corrections({ words, round }) {
  return round.corrections.flatMap((correction) => (correction.changes ?? []).map((change) => html`
    <p class="void">${words.say("explain.corrected")}: ${change.bettor} ${change.amount} · ${correction.reason} (${correction.by})</p>`));
}

/** The events as they come, the newest first, in words; by kind, and by what stands in them. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { Export } from "/static/surveillance/export.js";
import { usePages } from "/static/surveillance/paged.js";
import { Search } from "/static/surveillance/search.js";
import { dayAndTime, explainError } from "/static/surveillance/speech.js";

const PAGE = 100;
const FORM = { items: "events", number: (event) => Number(event.sequence), reached: (page) => page.reached };

/** What can be picked out, and how the types of its events begin. */
const KINDS = {
  all: "", rounds: "round.", irregular: "round.irregular", void: "round.void", bets: "bet.", cards: "card.", draws: "draw.",
  wheel: "wheel.", dice: "dice.", faults: "fault.", audit: "audit.", bookmarks: "audit.bookmark", recalls: "audit.recalled",
};

export function Events({ words, api, live, open, mark }) {
  const [text, setText] = useState("");
  const [kind, setKind] = useState("all");
  const path = `${api}/events?limit=${PAGE}&type=${encodeURIComponent(KINDS[kind])}&text=${encodeURIComponent(text)}`;
  const [found, more, error] = usePages(path, live.news.events, FORM);
  const say = (key, values) => words.say(`page.surveillance.${key}`, values);
  return html`<div class="filters">
      <${Search} words=${words} found=${setText} />
      <label>${say("kind")}
        <select value=${kind} onChange=${(event) => setKind(event.target.value)}>
          ${Object.keys(KINDS).map((name) => html`<option key=${name} value=${name}>${say(`kinds.${name}`)}</option>`)}
        </select>
      </label>
    </div>
    <${Export} words=${words} api=${api} />
    <p role="alert">${error ? explainError(words, error) : ""}</p>
    <table class="rows">
      <thead><tr>${["number", "time", "what"].map((key) => html`<th key=${key} scope="col">${say(key)}</th>`)}${mark && html`<th><span class="heard">${say("bookmark")}</span></th>`}</tr></thead>
      <tbody>${found.items.map((event) => html`<${Row} key=${event.sequence} words=${words} event=${event} open=${open} mark=${mark} />`)}</tbody>
    </table>
    ${found.items.length === 0 && html`<p class="faint">${say("no_events")}</p>`}
    ${found.more && html`<button class="button" onClick=${more}>${say("more")}</button>`}`;
}

function Row({ words, event, open, mark }) {
  const number = Number(event.sequence);
  const type = event.type.replace("mo.tablectl.", "");
  const loud = /^fault\.raised|^round\.(void|irregular)/.test(type);
  return html`<tr class=${loud ? "loud" : ""}>
    <td class="number">${event.correlationid
      ? html`<button class="link" onClick=${() => open(event.correlationid)} title=${event.correlationid}>${number}</button>` : number}</td>
    <td class="time">${dayAndTime(event.time)}</td>
    <td>${loud ? "▲ " : ""}${words.pick(event.text)[0]}</td>
    ${mark && html`<td><button class="link" onClick=${() => mark(number)} aria-label=${words.say("page.surveillance.marks_event", { sequence: number })}>⚑</button></td>`}
  </tr>`;
}

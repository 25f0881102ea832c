/** Handle, win, hold and commission of a period, beside the win that the rules lead to expect. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { showMoney } from "/static/shared/money.js";
import { useAnswer } from "/static/surveillance/paged.js";
import { explain } from "/static/floor/speech.js";

const BY = ["table", "game", "pit", "dealer", "hour"];
const OF_A_TABLE = ["dealer", "hour"];
const FILES = { csv: "CSV", parquet: "Parquet" };
const COLUMNS = ["rounds", "void", "handle", "win", "hold", "commission", "expected_win"];
const AMOUNTS = new Set(["handle", "win", "commission", "expected_win"]);
const HOUR_MS = 3_600_000;
const PERIODS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS };

/** Of all tables, or of the one at `place`. */
export function Money({ words, say, open, place = "" }) {
  const choices = place ? OF_A_TABLE : BY;
  const [asked, setAsked] = useState({ by: choices[0], period: "day", from: "", to: "" });
  const set = (key) => (event) => setAsked({ ...asked, [key]: event.target.value });
  const query = (format) => new URLSearchParams({ by: asked.by, format, table: place, ...times(asked) });
  const [told, error] = useAnswer(() => `/v1/money?${query("json")}`, Object.values(asked));
  const named = { game: (name) => words.say(`game.${name}`), hour: (name) => `${name.replace("T", " ")}:00`, dealer: (name) => name || say("no_dealer") }[asked.by] ?? ((name) => name || say("no_pit"));
  return html`<div class="filters">
      <label>${say("by")}<select value=${asked.by} onChange=${set("by")}>${choices.map((name) => html`<option key=${name} value=${name}>${say(`head.${name}`)}</option>`)}</select></label>
      <label>${words.say("page.surveillance.period")}<select value=${asked.period} onChange=${set("period")}>
        ${Object.keys(PERIODS).map((name) => html`<option key=${name} value=${name}>${words.say(`page.surveillance.periods.${name}`)}</option>`)}
        <option value="own">${say("own_period")}</option></select></label>
      ${asked.period === "own" && ["from", "to"].map((key) => html`<label key=${key}>${words.say(`page.surveillance.${key}`)}<input type="datetime-local" value=${asked[key]} onInput=${set(key)} /></label>`)}
      ${Object.entries(FILES).map(([form, name]) => html`<a key=${form} class="button" href=${`/v1/money?${query(form)}`} download>${name}</a>`)}
    </div>
    <p role="alert">${error ? explain(words, error) : ""}</p>
    ${told && html`<div class="scrolled" role="region" tabindex="0" aria-label=${say("money")}><table class="rows sums">
      <thead><tr><th scope="col">${say(`head.${asked.by}`)}</th>${COLUMNS.map((key) => html`<th key=${key} scope="col" class="number">${say(`sums.${key}`)}</th>`)}</tr></thead>
      <tbody>${told.rows.slice(0, -1).map((row) => html`<tr key=${row.name}>
        <th scope="row">${asked.by === "table" ? html`<button class="link" onClick=${() => open(row.name)}>${row.name}</button>` : named(row.name)}</th><${Cells} row=${row} /></tr>`)}</tbody>
      <tfoot>${told.rows.slice(-1).map((row) => html`<tr key="sum"><th scope="row">${say("sum")}</th><${Cells} row=${row} /></tr>`)}</tfoot>
    </table></div>
    <p class="faint">${say("money_means")}</p>`}`;
}

function Cells({ row }) {
  return COLUMNS.map((key) => html`<td key=${key} class="number">${row[key] === "" ? "–" : said(key, row[key])}</td>`);
}

function said(key, value) {
  if (key === "hold") return `${value} %`;
  return AMOUNTS.has(key) ? showMoney(value) : Number(value).toLocaleString("en");
}

/** What is typed is UTC, as everything here. */
function times({ period, from, to }) {
  if (period === "own") return { from: from && `${from}Z`, to: to && `${to}Z` };
  return { from: new Date(Date.now() - PERIODS[period]).toISOString(), to: "" };
}

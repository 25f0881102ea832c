/** The events of a period, to take away as a file: to the byte as published, or as a table. */
import { html, useState } from "/static/vendor/htm-preact.js";

export function Export({ words, api }) {
  const [period, setPeriod] = useState({ from: "", to: "", format: "jsonl" });
  const say = (key) => words.say(`page.surveillance.${key}`);
  const set = (key) => (event) => setPeriod({ ...period, [key]: event.target.value });
  const query = new URLSearchParams({ from: utc(period.from), to: utc(period.to), format: period.format });
  return html`<details class="export">
    <summary>${say("export")}</summary>
    <div class="filters">
      <label>${say("from")}<input type="datetime-local" value=${period.from} onInput=${set("from")} /></label>
      <label>${say("to")}<input type="datetime-local" value=${period.to} onInput=${set("to")} /></label>
      <label>${say("format")}<select value=${period.format} onChange=${set("format")}>
        <option value="jsonl">JSONL</option><option value="csv">CSV</option>
      </select></label>
      <a class="button" href=${`${api}/export?${query}`} download>${say("take")}</a>
    </div>
    <p class="faint">${say("export_recorded")}</p>
  </details>`;
}

/** What stands in the field is UTC, as everything here. */
const utc = (text) => (text ? `${text}Z` : "");

/** The rounds as they come, the newest first; what stands in their messages is found. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { usePages } from "/static/surveillance/paged.js";
import { Search } from "/static/surveillance/search.js";
import { cite, dayAndTime, explainError, sayResult } from "/static/surveillance/speech.js";

const PAGE = 50;
const ENDS = ["", "settled", "void", "open"];
const FORM = { items: "rounds", number: (round) => round.first, reached: (page) => page.rounds.at(-1)?.first ?? 0 };

export function Rounds({ words, api, live, opened, open }) {
  const [text, setText] = useState("");
  const [end, setEnd] = useState("");
  const path = `${api}/rounds?limit=${PAGE}&q=${encodeURIComponent(text)}${end && `&end=${end}`}`;
  const [found, more, error] = usePages(path, live.news.rounds, FORM);
  const say = (key, values) => words.say(`page.surveillance.${key}`, values);
  return html`<div class="filters">
      <${Search} words=${words} found=${setText} />
      <label>${say("end")}
        <select value=${end} onChange=${(event) => setEnd(event.target.value)}>
          ${ENDS.map((name) => html`<option key=${name} value=${name}>${name ? words.say(`explain.end.${name}`) : say("all")}</option>`)}
        </select>
      </label>
    </div>
    <p role="alert">${error ? explainError(words, error) : ""}</p>
    <table class="rows">
      <thead><tr>${["round", "ended", "end", "result"].map((key) => html`<th key=${key} scope="col">${say(key)}</th>`)}</tr></thead>
      <tbody>
        ${found.items.map((round) => html`<${Row} key=${round.round_id} words=${words} round=${round} opened=${opened} open=${open} />`)}
      </tbody>
    </table>
    ${found.items.length === 0 && html`<p class="faint">${say("no_rounds")}</p>`}
    ${found.more && html`<button class="button" onClick=${more}>${say("more")}</button>`}`;
}

function Row({ words, round, opened, open }) {
  const mark = { settled: "✓", void: "⊘", open: "…" }[round.end];
  return html`<tr class=${`round-${round.end}`} aria-current=${round.round_id === opened ? "true" : null}>
    <td><button class="link" onClick=${() => open(round.round_id)}>${round.round_id.split("-").pop()}</button></td>
    <td class="time">${round.ended ? dayAndTime(round.ended) : ""}</td>
    <td class="whole">${mark} ${words.say(`explain.end.${round.end}`)}${round.corrected ? html` <span class="faint">${words.say("explain.corrected")}</span>` : ""}</td>
    <td>${sayResult(words, round)}${round.article ? html` <span class="faint">${cite(words, round.article, "")}</span>` : ""}
      ${round.irregularities.length > 0 && html` <span class="lamp lamp-warn">${round.irregularities.length}</span>`}</td>
  </tr>`;
}

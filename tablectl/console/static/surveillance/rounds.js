/** The rounds as they come, the newest first; what stands in their messages is found. */
import { html, useEffect, useState } from "/static/vendor/htm-preact.js";
import { get } from "/static/shared/api.js";
import { Search } from "/static/surveillance/search.js";
import { cite, dayAndTime, explainError, sayResult } from "/static/surveillance/speech.js";

const PAGE = 50;
const ENDS = ["", "settled", "void", "open"];

export function Rounds({ words, live, opened, open }) {
  const [text, setText] = useState("");
  const [end, setEnd] = useState("");
  const [found, more, error] = useRounds(text, live.news.rounds);
  const say = (key, values) => words.say(`page.surveillance.${key}`, values);
  const shown = found.rounds.filter((round) => !end || round.end === end);
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
        ${shown.map((round) => html`<${Row} key=${round.round_id} words=${words} round=${round} opened=${opened} open=${open} />`)}
      </tbody>
    </table>
    ${shown.length === 0 && html`<p class="faint">${say("no_rounds")}</p>`}
    ${found.more && html`<button class="button" onClick=${more}>${say("more")}</button>`}`;
}

function Row({ words, round, opened, open }) {
  const mark = { settled: "✓", void: "⊘", open: "…" }[round.end];
  return html`<tr class=${`round-${round.end}`} aria-current=${round.round_id === opened ? "true" : null}>
    <td><button class="link" onClick=${() => open(round.round_id)}>${round.round_id.split("-").pop()}</button></td>
    <td class="time">${dayAndTime(round.ended || round.opened)}</td>
    <td class="whole">${mark} ${words.say(`explain.end.${round.end}`)}</td>
    <td>${sayResult(words, round)}${round.article ? html` <span class="faint">${cite(words, round.article, "")}</span>` : ""}
      ${round.irregularities.length > 0 && html` <span class="lamp lamp-warn">${round.irregularities.length}</span>`}</td>
  </tr>`;
}

/** The newest rounds with this text, anew whenever there is something new; and how to get older ones. */
function useRounds(text, news) {
  const [found, setFound] = useState({ rounds: [], more: false });
  const [error, setError] = useState(null);
  const path = `/v1/rounds?limit=${PAGE}&q=${encodeURIComponent(text)}`;
  useEffect(() => {
    let over = false;
    const timer = setTimeout(async () => {
      try {
        const page = await get(path);
        if (!over) setFound((before) => joined(page, before, text));
        if (!over) setError(null);
      } catch (failed) {
        if (!over) setError(failed);
      }
    }, 150);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [path, news]);
  const more = async () => {
    try {
      const page = await get(`${path}&before=${found.rounds[found.rounds.length - 1].first}`);
      setFound({ rounds: [...found.rounds, ...page.rounds], more: page.more, text });
    } catch (failed) {
      setError(failed);
    }
  };
  return [found, more, error];
}

/** The newest page, and below it what was loaded before of the same search. */
function joined(page, before, text) {
  const least = page.rounds.length ? page.rounds[page.rounds.length - 1].first : 0;
  const older = before.text === text ? before.rounds.filter((round) => round.first < least) : [];
  return { rounds: [...page.rounds, ...older], more: older.length ? before.more : page.more, text };
}

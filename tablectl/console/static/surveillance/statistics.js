/** Counts beside what was to be expected, with the range that chance alone usually keeps to; rounds an hour; durations. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { Bars } from "/static/shared/chart.js";
import { useAnswer } from "/static/surveillance/paged.js";
import { explainError, term } from "/static/surveillance/speech.js";

const HOUR_MS = 3_600_000;
const PERIODS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS, all: null };

export function Statistics({ words, api, live }) {
  const [period, setPeriod] = useState("day");
  const [told, error] = useAnswer(() => `${api}/statistics?from=${encodeURIComponent(since(period))}`, [period, live.news.rounds]);
  const say = (key, values) => words.say(`page.surveillance.${key}`, values);
  return html`<div class="filters">
      <label>${say("period")}
        <select value=${period} onChange=${(event) => setPeriod(event.target.value)}>
          ${Object.keys(PERIODS).map((name) => html`<option key=${name} value=${name}>${say(`periods.${name}`)}</option>`)}
        </select>
      </label>
    </div>
    <p role="alert">${error ? explainError(words, error) : ""}</p>
    ${told && html`<${Told} words=${words} told=${told} />`}`;
}

function Told({ words, told }) {
  const say = (key, values) => words.say(`page.surveillance.${key}`, values);
  return html`<p>${say("rounds_sum", told.rounds)}</p>
    ${told.cut && html`<p class="faint">${say("cut")}</p>`}
    ${told.hours.length > 0 && html`<${Hours} words=${words} hours=${told.hours} />`}
    ${told.parts.length > 0 && html`<${Parts} words=${words} parts=${told.parts} />`}
    ${told.counts.filter((count) => count.rounds > 0).map((count) => html`<${Counts} key=${count.kind} words=${words} count=${count} game=${told.game} />`)}
    ${told.faults.length > 0 && html`<${Faults} words=${words} faults=${told.faults} />`}`;
}

function Hours({ words, hours }) {
  const title = words.say("page.surveillance.per_hour");
  const rows = hours.slice(-24).map((each) => ({ label: `${each.hour.slice(5, 10)} ${each.hour.slice(11)}:00`, observed: each.settled + each.void }));
  return html`<h3>${title}</h3><${Bars} rows=${rows} label=${summary(words, title, rows)} />`;
}

function Parts({ words, parts }) {
  const say = (key) => words.say(`page.surveillance.${key}`);
  return html`<h3>${say("durations")}</h3>
    <table class="money">
      <thead><tr><th scope="col">${say("part")}</th>${["median", "ninth", "longest"].map((key) => html`<th key=${key} scope="col" class="number">${say(key)}</th>`)}</tr></thead>
      <tbody>${parts.map((part) => html`<tr key=${part.part}><td>${say(`parts.${part.part}`)}</td>
        <td class="number">${seconds(part.median_s)}</td><td class="number">${seconds(part.ninth_s)}</td><td class="number">${seconds(part.longest_s)}</td></tr>`)}
      </tbody>
    </table>`;
}

function Counts({ words, count, game }) {
  const say = (key, values) => words.say(`page.surveillance.${key}`, values);
  const title = say(`counts.${count.kind}`);
  const rows = count.rows.map((row) => ({ ...row, label: nameOf(words, count.family, row.name, game) }));
  const figures = (row) => (row.expected === undefined
    ? say("figures_plain", { name: row.label, observed: row.observed })
    : row.low === undefined ? say("figures_few", { name: row.label, observed: row.observed, expected: row.expected })
    : say("figures", { name: row.label, observed: row.observed, expected: row.expected, low: row.low, high: row.high }));
  const ranged = rows.filter((row) => row.low !== undefined);
  const outside = ranged.filter((row) => row.observed < row.low || row.observed > row.high);
  return html`<h3>${title} <span class="faint">${say("in_rounds", { count: count.rounds })}</span></h3>
    <${Bars} rows=${rows} label=${summary(words, title, rows)} title=${figures} />
    <p class="faint">${say("legend")} ${say("outside", { count: outside.length, all: ranged.length })}
      ${count.fit && ` ${say("fit", { ...count.fit, percent: percent(count.fit.p) })}`}</p>`;
}

function Faults({ words, faults }) {
  const title = words.say("page.surveillance.faults_seen");
  const rows = faults.slice(0, 12).map((fault) => ({ label: String(fault.code), observed: fault.times }));
  return html`<h3>${title}</h3><${Bars} rows=${rows} label=${summary(words, title, rows)} />`;
}

const summary = (words, title, rows) => words.say("page.dealer.pair", { name: title, value: words.list(rows.map((row) => `${row.label} ${row.observed}`)) });
const percent = (share) => (share < 0.001 ? "<0.1" : (100 * share).toFixed(1));
const since = (period) => (PERIODS[period] ? new Date(Date.now() - PERIODS[period]).toISOString() : "");
const seconds = (value) => `${value.toFixed(1)} s`;

function nameOf(words, family, name, game) {
  if (family === "section") return words.say("page.surveillance.section", { number: name });
  if (family === "draw") {
    const [series, number] = name.split("_");
    return `${words.say(`series.${series}`)} ${number}`;
  }
  if (family === "combination") return words.first([`page.display.dice.${name}`, `combination.${game}.${name}`]); // short
  return name === "no_natural" ? words.say("page.surveillance.no_natural") : term(words, family, name, game);
}

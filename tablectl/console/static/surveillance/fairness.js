/** The evidence of every stream over time, beside the house's alarm, and how often what is most unusual of it comes. */
import { html } from "/static/vendor/htm-preact.js";
import { Line } from "/static/shared/chart.js";
import { useAnswer } from "/static/surveillance/paged.js";
import { explainError } from "/static/surveillance/speech.js";

const LEAST_DRAWN = -2; // evidence that sinks further says nothing more
const MOST_DRAWN = 3;

export function Fairness({ words, api, live }) {
  const [told, error] = useAnswer(() => `${api}/fairness`, [live.news.events]);
  const say = (key, values) => words.say(`fairness.${key}`, values);
  return html`<p role="alert">${error ? explainError(words, error) : ""}</p>
    <p>${say("means")}</p>
    <p>${say("not_means")}</p>
    ${told && told.streams.length === 0 && html`<p class="faint">${say("none_yet")}</p>`}
    ${told?.streams.map((stream) => html`<${Stream} key=${`${stream.stream} ${stream.subject}`} words=${words} stream=${stream} />`)}`;
}

function Stream({ words, stream }) {
  const say = (key, values) => words.say(`fairness.${key}`, values);
  const title = words.pick(stream.title);
  const points = stream.course.map((point) => ({ x: point.observed, y: point.log10_e, title: say("point", figures(point)) }));
  const band = stream.course.filter((point) => point.low < point.high).map((point) => ({ x: point.observed, low: point.low, high: point.high, title: say("band_point", figures(point)) }));
  const [evidence, threshold] = [short(stream.log10_e), short(stream.threshold)];
  return html`<article class="stream">
    <h3>${title}</h3>
    <p class=${stream.alarmed ? "void" : ""}>${words.pick(stream.text)}</p>
    <${Line} points=${points} least=${LEAST_DRAWN} label=${`${title}: ${say("plot", { evidence, threshold, observed: stream.observed })}`}
      level=${{ y: Number(stream.threshold), name: say("alarm_at", { threshold }) }} />
    <p class="faint">${say("plot", { evidence, threshold, observed: stream.observed })}</p>
    ${band.length > 1 && html`<${Line} points=${band} most=${MOST_DRAWN} height=${120} label=${`${title}: ${say("band")}`}
        level=${{ y: 1, name: say("fair_share") }} />
      <p class="faint">${say("band")}</p>`}
  </article>`;
}

const short = (figure) => Number(figure).toFixed(1).replace(/^-0\.0$/, "0.0");
const figures = (point) => ({ observed: point.observed, evidence: short(point.log10_e), low: point.low.toFixed(2), high: point.high.toFixed(2) });

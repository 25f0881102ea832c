/** How a round came: each fact with what was heard on the links before it, what followed, and by which article. */
import { html } from "/static/vendor/htm-preact.js";
import { bound, cite, timeOf } from "/static/surveillance/speech.js";

export function Steps({ words, round, mark }) {
  return ["before", "round", "after"].map((when) => {
    const steps = round.steps.filter((step) => step.when === when);
    return steps.length > 0 && html`<h3 key=${when}>${words.say(`explain.when.${when}`)}</h3>
      <ol class="steps">${steps.map((step) => html`<${Step} key=${step.record} words=${words} round=${round} step=${step} mark=${mark} />`)}</ol>`;
  });
}

function Step({ words, round, step, mark }) {
  const { fact } = step;
  const who = fact.by ? `${fact.by} (${fact.source})` : fact.source;
  return html`<li class="step">
    <${Frames} words=${words} frames=${step.frames} />
    <p><span class="time">${timeOf(fact.time)}</span> <span class="faint">${bound(fact.error_us, fact.clock)} [${step.record}] ${who}</span></p>
    <p class="fact">${words.pick(fact.text)}${fact.hides ? html` <span class="faint">?? = ${words.say("explain.hidden")}</span>` : ""}</p>
    ${step.amended_by && html`<p class="refused">✎ ${words.say(`explain.${step.struck ? "struck_by" : "put_right_by"}`, { record: step.amended_by })}</p>`}
    ${step.refused && html`<p class="refused">✗ ${words.say("explain.refused", { text: words.pick(step.refused.text) })}
      <em>§ ${cite(words, step.refused.article, round.rules_version)}</em></p>`}
    ${withRules(words, step.messages, round).map(([message, rule]) => html`
      <p key=${message.sequence} class="message">→ <${Number} words=${words} message=${message} mark=${mark} />${" "}
        <${Said} words=${words} message=${message} />${rule && html` <em>§ ${rule}</em>`}</p>`)}
  </li>`;
}

/** A message's number, which sets a bookmark where one can be set. */
function Number({ words, message, mark }) {
  const title = `${message.topic} · ${message.type} · ${message.id}`;
  if (!mark) return html`<span title=${title}>#${message.sequence}</span>`;
  return html`<button class="link" onClick=${() => mark(message.sequence)} title=${title}
    aria-label=${words.say("page.surveillance.marks_event", { sequence: message.sequence })}>#${message.sequence}</button>`;
}

/** A message's first line; of an amendment all that it put right. What was struck says so. */
function Said({ words, message }) {
  const [first, ...rest] = words.pick(message.text);
  if (message.struck) return html`<s>${first}</s> <span class="faint">[${words.say("explain.struck")}]</span>`;
  return message.type === "round.amended.v1" ? html`${first}${rest.map((line) => html`<br />${line.trim()}`)}` : first;
}

/** The messages, each with its rule; of several in a row under one rule only the last. */
function withRules(words, messages, round) {
  const rules = messages.map((message) => cite(words, message.article || message.rule, round.rules_version));
  return messages.map((message, nth) => [message, rules[nth] === rules[nth + 1] ? "" : rules[nth]]);
}

function Frames({ words, frames }) {
  if (frames.length === 0) return null;
  const last = frames[frames.length - 1];
  return html`<details class="frames">
    <summary>${words.say("explain.frames")} · ${last.device} <span class="faint">${frames.length + frames[0].more}</span></summary>
    <ul>
      ${frames.map((frame, nth) => html`<li key=${nth}>
        ${frame.more > 0 && html`<span class="faint">${words.say("explain.more", { count: frame.more })}</span><br />`}
        <span class="time">${timeOf(frame.time)}</span> ${frame.device} ${frame.way === "in" ? ">" : "<"} ${frame.said}
        ${frame.times > 1 ? html` <span class="faint">(${words.say("explain.times", { count: frame.times })})</span>` : ""}
        ${frame.hex && html`<code>${frame.hex}</code>`}
      </li>`)}
    </ul>
  </details>`;
}

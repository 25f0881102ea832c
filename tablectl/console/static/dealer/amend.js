/** The facts of a round, newest first, each with the two words that put it right. */
import { html, useEffect, useRef, useState } from "/static/vendor/htm-preact.js";
import { factLabel, fieldsOf, saidOf, sourceLabel } from "/static/dealer/amend_values.js";
import { ACT_KEYS, CHIP_KEYS, besideKey } from "/static/dealer/keys.js";
import { amendable, gatheredOf, putRight, recordsOf, roundsToAmend, undo } from "/static/dealer/amending.js";

/** The way to the last own entry, beside the next step, where there is anything to put right and whoever is signed on may. */
export function Undo({ desk }) {
  if (!amendable(desk)) return null;
  return html`<button type="button" class="button undo" data-undo data-key="U" aria-disabled=${!desk.live}
    onClick=${() => undo(desk)}>${desk.words.say("page.dealer.amend.undo")}</button>`;
}

export function Amend({ desk }) {
  const { words, state } = desk;
  const rounds = roundsToAmend(desk);
  const [chosen, choose] = useState(null);
  const { records: list, touched } = desk;
  const round = rounds.includes(chosen) ? chosen : rounds[0];
  useEffect(() => {
    let wanted = true;
    // Where no list comes the line above the page says that the table isn't there; the next state asks again.
    if (round) recordsOf(round).then((records) => wanted && desk.set({ records }), () => wanted && desk.set({ records: null }));
    return () => (wanted = false);
  }, [round, state.seen]);
  const lines = list?.round_id === round ? list.records.filter((line) => line.amendable).toReversed() : [];
  const here = touched && lines.filter((line) => touched.includes(line.record));
  const top = useRef(null);
  useEffect(() => touched && top.current?.focus(), [touched]);
  return html`<h2 tabindex="-1" ref=${top}>${words.say("page.dealer.amend.title")}</h2>
    ${here?.length ? html`<button type="button" class="button" data-key="Escape" data-all onClick=${() => desk.set({ touched: null })}>${words.say("page.dealer.form.back")}</button>`
    : html`<p class="faint">${words.say("page.dealer.amend.touch")}</p>`}
    ${rounds.length > 1 ? html`<${Rounds} desk=${desk} rounds=${rounds} chosen=${round} choose=${choose} />` : null}
    <${Gathered} desk=${desk} round=${round} />
    <ol class="records" data-round=${list?.round_id}>
      ${(here?.length ? here : lines).map((line, nth) => html`<${Line} key=${line.record} nth=${nth} desk=${desk} list=${list} line=${line} />`)}
    </ol>`;
}

function Rounds({ desk, rounds, chosen, choose }) {
  const { words, state } = desk;
  return html`<div class="choices" role="group" aria-label=${words.say("page.dealer.amend.which")}>
    ${rounds.map((round, nth) => html`<button type="button" class="button" key=${round} data-key=${besideKey(nth, rounds.indexOf(chosen))} aria-pressed=${String(round === chosen)} onClick=${() => choose(round)}>
      ${words.say(`page.dealer.amend.${round === state.round_id ? "this_round" : "last_round"}`)}</button>`)}
  </div>`;
}

/** How much goes out with the next line, and the way to leave it. */
function Gathered({ desk, round }) {
  const count = gatheredOf(desk, round)?.changes.length;
  return count ? html`<p class="amended" data-gathered=${count}>${desk.words.say("page.dealer.amend.gathered", { count })}
    ${" "}<button type="button" class="button" data-amend-drop data-key="Delete" onClick=${() => desk.set({ gathered: null })}>${desk.words.say("page.dealer.form.cancel")}</button></p>` : null;
}

function Line({ desk, list, line, nth }) {
  const { words } = desk;
  const struck = line.amended_by && line.now === null;
  const button = (kind, how) => html`<button type="button" class="button" data-amend=${kind} data-key=${(how.struck ? CHIP_KEYS : ACT_KEYS)[nth]} aria-disabled=${!desk.live}
    aria-label=${words.say("page.dealer.pair", { name: words.say(`page.dealer.amend.${kind}`), value: factLabel(desk, line.verb) })}
    onClick=${() => putRight(desk, list, line, how)}>${words.say(`page.dealer.amend.${kind}`)}</button>`;
  return html`<li class="record" data-record=${line.record} data-fact=${line.verb}>
    <p><span class="faint">${[clock(line.time), sourceLabel(desk, line)].filter(Boolean).join(" · ")}</span><br />
      <b>${factLabel(desk, line.verb)}</b> <${Said} desk=${desk} verb=${line.verb} fields=${line.fields} /></p>
    ${line.amended_by ? html`<p class="amended">${words.say(`page.dealer.amend.${struck ? "struck" : "now"}`)}
      ${" "}${struck ? null : html`<${Said} desk=${desk} verb=${line.verb} fields=${line.now ?? {}} />`}</p>` : null}
    <div class="row">
      ${fieldsOf(desk, line).length && !struck ? button("it_is", { struck: false }) : null}
      ${line.strikable !== false && !struck ? button(line.verb === "amend" ? "take_back" : "not_so", { struck: true }) : null}
    </div>
  </li>`;
}

export function Said({ desk, verb, fields }) {
  return html`${saidOf(desk, verb, fields).map(({ name, field, value }, nth) => html`${nth ? " · " : ""}<span key=${name}><span class="faint">${field}</span> ${value}</span>`)}`;
}

/** The time of day, as a clock shows it. */
const clock = (time) => (time ? new Date(time).toLocaleTimeString("en-GB") : "");

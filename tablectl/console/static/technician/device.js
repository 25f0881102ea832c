/** One device: who it is, its link, its last frames in words, and a wheel's calibration. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { ask } from "/static/shared/api.js";
import { Line } from "/static/shared/chart.js";
import { useAnswer } from "/static/surveillance/paged.js";
import { explainError, timeOf } from "/static/surveillance/speech.js";

export function Device({ words, say, device, now, state, tick }) {
  const { counters, expected } = device;
  const own = ["maker", "model", "serial", "firmware"].filter((key) => now?.[key] || expected[key]);
  return html`<div class="box">
      <h2>${words.first([`device.${device.name}`, device.name])}${device.simulated ? html` <span class="tag">${words.say("explain.simulated")}</span>` : ""}</h2>
      <p class=${`lamp lamp-${now?.attached ? "good" : "bad"}`}>${say(now?.attached ? "attached" : "missing")}${now?.reason ? `: ${now.reason}` : ""}</p>
      <dl class="pairs">
        ${own.map((key) => html`<dt>${say(key)}</dt><dd>${now?.[key] || "–"}${expected[key] && expected[key] !== now?.[key] ? html` <span class="lamp lamp-bad">${say("expected", { text: expected[key] })}</span>` : ""}</dd>`)}
        <dt>${say("port")}</dt><dd><code>${device.port}</code></dd>
        <dt>${say("protocol")}</dt><dd>${device.protocol}</dd>
        <dt>${say("bytes")}</dt><dd>${counters.bytes.toLocaleString("en")}</dd>
        <dt>${say("frames")}</dt><dd>${counters.frames.toLocaleString("en")}</dd>
        <dt>${say("rejected")}</dt><dd class=${counters.rejected ? "lamp lamp-warn" : ""}>${counters.rejected.toLocaleString("en")}</dd>
        <dt>${say("facts")}</dt><dd>${counters.facts.toLocaleString("en")}</dd>
        <dt>${say("silent")}</dt><dd>${counters.silent_s === null ? "–" : say("seconds", { count: counters.silent_s.toFixed(1) })}</dd>
      </dl>
    </div>
    ${TESTS[device.kind] && html`<${Test} words=${words} say=${say} device=${device} state=${state} />`}
    ${device.pegs && html`<${Pegs} say=${say} pegs=${device.pegs} />`}
    <${Frames} words=${words} say=${say} device=${device} tick=${tick} />`;
}

/** The test that a kind of device can be asked for, by its verb; the table takes it between rounds only. */
const TESTS = { draw: "run_self_test", display: "show_test_pattern" };

function Test({ words, say, device, state }) {
  const [said, setSaid] = useState("");
  const verb = TESTS[device.kind];
  const test = async () => {
    setSaid("…");
    try {
      const answer = await ask(verb, { device: device.name }, state);
      setSaid(answer.accepted ? say("tested") : words.pick(answer.refused.text));
    } catch (error) {
      setSaid(explainError(words, error));
    }
  };
  return html`<div class="box">
    <button class="button" aria-disabled=${!state} onClick=${test}>${words.say(`page.verb.${verb}`)}</button>
    <p role="status">${said}</p>
  </div>`;
}

function Frames({ words, say, device, tick }) {
  const [held, setHeld] = useState(false);
  const [told, error] = useAnswer(() => `/v1/workshop/devices/${encodeURIComponent(device.name)}/frames`, [device.name, held ? -1 : tick]);
  const frames = [...(told?.frames ?? [])].reverse();
  return html`<div class="box">
    <h2>${say("last_frames")} <button class="button" aria-pressed=${String(held)} onClick=${() => setHeld(!held)}>${say("hold")}</button></h2>
    <p role="alert">${error ? explainError(words, error) : ""}</p>
    ${told && !told.captured && html`<p class="faint">${say("not_captured")}</p>`}
    ${told?.captured && frames.length === 0 && html`<p class="faint">${say("no_frames")}</p>`}
    <div class="scrolled" role="region" tabindex="0" aria-label=${say("last_frames")}><table class="rows">
      <tbody>${frames.map((frame, nth) => html`<tr key=${`${frame.time} ${nth}`}>
        <td class="time">${timeOf(frame.time)}</td>
        <td>${say(`way.${frame.way}`)}</td>
        <td>${frame.said}</td>
        <td><code>${frame.hex ?? ""}</code></td>
      </tr>`)}</tbody>
    </table></div>
  </div>`;
}

const TURN_MDEG = 360000;

/** How far each peg is from where it would be, were all evenly spaced, beside the zone in which no section is named. */
function Pegs({ say, pegs }) {
  const degrees = (mdeg) => (mdeg / 1000).toFixed(3);
  const even = TURN_MDEG / pegs.pegs_mdeg.length;
  const zone = (pegs.guard_mdeg + pegs.lag_mdeg) / 1000;
  const points = pegs.pegs_mdeg.map((mdeg, nth) => ({
    x: nth + 1,
    y: (mdeg - pegs.pegs_mdeg[0] - nth * even) / 1000,
    title: say("peg", { number: nth + 1, angle: degrees(mdeg) }),
  }));
  return html`<div class="box pegs">
    <h2>${say("calibration")} <span class="faint">${pegs.version}</span></h2>
    <p class="faint">${say("calibration_means", { file: pegs.file, pegs: points.length, zone })}</p>
    <svg class="dial" viewBox="-105 -105 210 210" role="img" aria-label=${say("dial")}>
      <circle r="88" />
      ${pegs.pegs_mdeg.map((mdeg, nth) => html`<path key=${nth} class=${nth ? "" : "first"} d="M0 -100V-88" transform=${`rotate(${degrees(mdeg)})`}><title>${points[nth].title}</title></path>`)}
    </svg>
    <${Line} points=${points} label=${say("deviation")} level=${{ y: zone, name: say("zone") }} least=${-zone} />
  </div>`;
}

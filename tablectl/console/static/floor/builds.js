/** What runs at each table: version, rules, configuration, key, and the certificates that end soon. */
import { html } from "/static/vendor/htm-preact.js";
import { useAnswer } from "/static/surveillance/paged.js";
import { dayAndTime, explainError } from "/static/surveillance/speech.js";

const SHORT = 12;
const CHECKED = { ok: "good", mismatch: "bad", unsigned: "warn" };

export function Builds({ words, say, tiles, open }) {
  const [told, error] = useAnswer(() => "/v1/builds", [tiles.map((tile) => `${tile.version}${tile.program}`).join()]);
  const heads = ["table", "version", "program", "rules", "configuration", "key", "certificates"];
  const few = usual(told?.builds ?? [], "version");
  return html`<p role="alert">${error ? explainError(words, error) : ""}</p>
    <div class="scrolled" role="region" tabindex="0" aria-label=${say("builds")}><table class="rows">
      <thead><tr>${heads.map((key) => html`<th key=${key} scope="col">${say(`head.${key}`)}</th>`)}</tr></thead>
      <tbody>${told?.builds.map((each) => html`<tr key=${each.place}>
        <td><button class="link" onClick=${() => open(each.place)}>${each.place}</button></td>
        <td>${each.version || "–"}${each.version && each.version !== few ? html` <span class="tag">${say("other_version")}</span>` : ""}</td>
        <td>${each.program.result ? html`<span class=${`lamp lamp-${CHECKED[each.program.result] ?? "warn"}`}>${say(`program.${each.program.result}`)}</span>
          <span class="faint">${` ${dayAndTime(each.program.time)}`}</span>` : "–"}</td>
        <td title=${each.rules_hash}>${each.rules_version} <code>${each.rules_hash.slice(0, SHORT)}</code></td>
        <td title=${each.config_hash}><code>${each.config_hash.slice(0, SHORT)}</code></td>
        <td title=${each.fingerprint}><code>${each.fingerprint.replace("sha256:", "").slice(0, SHORT)}</code></td>
        <td>${each.certificates.map((one) => html`<p key=${one.file} class="lamp lamp-warn">${say("ends", { file: one.file, until: one.until.slice(0, 10) })}</p>`)}</td>
      </tr>`)}</tbody>
    </table></div>`;
}

/** The value that most tables have. */
function usual(builds, key) {
  const counts = new Map();
  for (const each of builds) counts.set(each[key], (counts.get(each[key]) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1])[0]?.[0];
}

/** A new table: the questions of `tablectl init`, each answer checked by the configuration that it makes. */
import { html, render, useEffect, useState } from "/static/vendor/htm-preact.js";
import { get, post } from "/static/shared/api.js";
import { keepTheme, Languages, Theme, useWords } from "/static/shared/parts.js";
import { startWhenThere } from "/static/shared/start.js";
import { loadWords } from "/static/shared/words.js";

/** How long nothing is typed before the answers are checked, and how often a device is heard, in milliseconds. */
const SETTLED_MS = 400;
const HEARD_MS = 1000;

/** The key in the configuration at which each answer stands. */
const KEYS = { site: "table.site", table: "table.name", game: "table.game", broker: "mqtt.url", username: "mqtt.username" };
const REST = ["console", "paths", "usb"];

/** Exchanges the token in the address for a cookie; an address that was used says so. */
async function enter() {
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname + location.search);
  if (token) await post("/v1/setup/enter", { token }).catch(() => undefined); // a page that is loaded again has its cookie
  return get("/v1/setup").catch((error) => {
    if (error.status === 401) return null;
    throw error;
  });
}

function Page({ words, offer }) {
  useWords(words);
  const say = (key, values) => words.say(`page.setup.${key}`, values);
  document.title = say("title");
  return html`<main class="setup">
    <header class="top"><h1>${say("title")}</h1><${Languages} words=${words} short /><${Theme} words=${words} /></header>
    ${offer ? html`<${Questions} words=${words} say=${say} offer=${offer} />` : html`<p role="alert">${say("used")}</p>`}
  </main>`;
}

function Questions({ words, say, offer }) {
  const [answers, setAnswers] = useState(offer.given);
  const [checked, setChecked] = useState({ problems: [], configuration: "", path: "" });
  const [made, setMade] = useState(null);
  const [failed, setFailed] = useState(false);
  const [busy, setBusy] = useState(false);
  const change = (more) => setAnswers((before) => ({ ...before, ...more }));
  const send = async (path) => {
    try {
      const answer = await post(path, { ...answers, people: answers.people.filter((each) => each.name) });
      setFailed(false);
      return answer;
    } catch {
      setFailed(true);
      return null;
    }
  };
  useEffect(() => {
    if (made) return undefined;
    const timer = setTimeout(async () => {
      const answer = await send("/v1/setup/check");
      if (answer) setChecked(answer);
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [answers]);
  const finish = async () => {
    setBusy(true);
    const answer = await send("/v1/setup/make");
    setBusy(false);
    if (answer?.lines) setMade(answer);
    else if (answer) setChecked({ ...checked, problems: answer.problems });
  };
  if (made) return html`<section><h2>${say("made")}</h2><pre>${made.lines[words.language].join("\n")}</pre></section>`;
  const wrong = (key) => checked.problems.filter((each) => each.key === key || each.key.startsWith(`${key}.`)).map((each) => words.pick(each.text)).join("\n");
  const shown = [...Object.values(KEYS), "devices", "people", ...REST];
  const others = checked.problems.filter((each) => !shown.some((key) => each.key === key || each.key.startsWith(`${key}.`)));
  const open = Object.keys(KEYS).filter((name) => !answers[name] && wrong(KEYS[name])).map((name) => words.say(`init.${name}`));
  const field = (name) => html`<${Field} label=${words.say(`init.${name}`)} wrong=${answers[name] ? wrong(KEYS[name]) : ""} value=${answers[name]} change=${(value) => change({ [name]: value })} />`;
  return html`<div class="sides">
    <form onSubmit=${(event) => event.preventDefault()}>
      <fieldset>
        <legend>${say("table")}</legend>
        ${field("site")} ${field("table")}
        <label>${words.say("init.game")}
          <select value=${answers.game} onChange=${(event) => change({ game: event.target.value, devices: usual(offer, event.target.value) })}>
            ${Object.keys(offer.games).map((game) => html`<option value=${game}>${words.say(`game.${game}`)}</option>`)}
          </select></label>
      </fieldset>
      <${Devices} words=${words} say=${say} offer=${offer} answers=${answers} change=${change} wrong=${wrong} />
      <fieldset>
        <legend>${words.say("init.broker")}</legend>
        ${field("broker")} ${field("username")}
      </fieldset>
      <${People} words=${words} say=${say} roles=${offer.roles} people=${answers.people} change=${change} wrong=${wrong("people")} />
    </form>
    <section aria-label=${say("configuration")}>
      <h2>${say("configuration")}</h2>
      <p class="faint">${checked.path}</p>
      <p class="wrong" role="alert">${[...others, ...checked.problems.filter((each) => REST.includes(each.key.split(".")[0]))].map((each) => `${each.key}\n${words.pick(each.text)}`).join("\n")}${failed ? say("away") : ""}</p>
      <button type="button" class="button button-main" aria-disabled=${busy || checked.problems.length > 0 || !checked.configuration} onClick=${finish}>${say("make")}</button>
      <p role="status">${open.length > 0 && say("still_open", { names: open.join(" · ") })}</p>
      <pre tabindex="0">${checked.configuration}</pre>
    </section>
  </div>`;
}

/** A text that can be wrong. */
function Field({ label, value, change, wrong, type = "text", list }) {
  return html`<label>${label}
    <input type=${type} value=${value} list=${list} aria-invalid=${String(Boolean(wrong))} autocomplete="off" spellcheck="false" onInput=${(event) => change(event.target.value)} />
    ${wrong && html`<span class="wrong" role="alert">${wrong}</span>`}
  </label>`;
}

/** What a table of the game mostly has, each at the port that it may be called. */
function usual(offer, game) {
  const { usual: kinds, ports } = offer.games[game];
  return Object.fromEntries(kinds.map((kind) => [kind, ports[kind]]));
}

/** The devices of the game: which are there, at which port, and what they say. */
function Devices({ words, say, offer, answers, change, wrong }) {
  const [found, setFound] = useState(null);
  const [finding, setFinding] = useState(false);
  const [looked, setLooked] = useState("");
  const said = useSaid(looked);
  const { devices: kinds, ports } = offer.games[answers.game];
  const { devices } = answers;
  const set = (kind, port) => change({ devices: { ...devices, [kind]: port } });
  const drop = (kind) => change({ devices: Object.fromEntries(Object.entries(devices).filter(([name]) => name !== kind)) });
  const find = async () => {
    setFinding(true);
    setLooked("");
    try {
      const answer = (await post("/v1/setup/find", {})).found;
      setFound(answer);
      const known = answer.filter((each) => kinds.includes(each.kind) && !each.trouble);
      change({ devices: { ...devices, ...Object.fromEntries(known.map((each) => [each.kind, each.port])) } });
    } finally {
      setFinding(false);
    }
  };
  const look = (kind) => {
    const chosen = looked === kind ? "" : kind;
    post("/v1/setup/look", { kind: chosen, port: devices[chosen] ?? "", game: answers.game, lang: words.language }).then(() => setLooked(chosen), () => setLooked(""));
  };
  return html`<fieldset>
    <legend>${say("devices")}</legend>
    <label class="tick"><input type="checkbox" checked=${answers.simulated} onChange=${(event) => change({ simulated: event.target.checked })} />${say("simulated")}</label>
    ${!answers.simulated && html`<p><button type="button" class="button" aria-disabled=${finding} onClick=${find}>${say(finding ? "finding" : "find")}</button></p>
      <ul>${found?.length === 0 && html`<li>${words.say("detect.none")}</li>`}${found?.map((each) => html`<li>${each.port}: ${each.trouble || (each.kind ? `${words.say(`device.${each.kind}`)} ${each.maker} ${each.model} ${each.serial}` : words.say("detect.silent"))}</li>`)}</ul>`}
    <datalist id="ports">${found?.map((each) => html`<option value=${each.port}>${each.kind}</option>`)}</datalist>
    ${kinds.map((kind) => html`<div class="device" key=${kind}>
      <label class="tick"><input type="checkbox" checked=${kind in devices} onChange=${(event) => (event.target.checked ? set(kind, ports[kind]) : drop(kind))} />${words.say(`device.${kind}`)}</label>
      ${kind in devices && !answers.simulated && html`<div class="line">
        <${Field} label=${words.say("init.port", { kind })} value=${devices[kind]} list="ports" change=${(port) => set(kind, port)} wrong=${wrong(`devices.${kind}`)} />
        <button type="button" class="button" aria-pressed=${String(looked === kind)} onClick=${() => look(kind)}>${say(looked === kind ? "look_no_more" : "look")}</button>
      </div>`}
      ${looked === kind && html`<pre aria-live="polite">${said}</pre>`}
    </div>`)}
    <p class="wrong" role="alert">${wrong(answers.game)}</p>
  </fieldset>`;
}

/** What a device says while somebody looks at it. */
function useSaid(looked) {
  const [said, setSaid] = useState("…");
  useEffect(() => {
    setSaid("…");
    if (!looked) return undefined;
    const timer = setInterval(async () => {
      const { lines } = await get("/v1/setup/look").catch(() => ({ lines: ["…"] }));
      setSaid(lines.join("\n") || "…");
    }, HEARD_MS);
    return () => clearInterval(timer);
  }, [looked]);
  return said;
}

/** Who may sign on; one more line than there are persons. */
function People({ words, say, roles, people, change, wrong }) {
  const lines = [...people, { name: "", role: "dealer", pin: "" }];
  const set = (nth, more) => change({ people: lines.map((each, at) => (at === nth ? { ...each, ...more } : each)).filter((each, at) => each.name || at < people.length) });
  const drop = (nth) => change({ people: people.filter((_, at) => at !== nth) });
  return html`<fieldset>
    <legend>${say("people")}</legend>
    <p class="faint">${say("pins")}</p>
    ${lines.map(({ name, role, pin }, nth) => html`<div class="person" key=${nth}>
      <${Field} label=${say("name")} value=${name} change=${(value) => set(nth, { name: value })} />
      <label>${words.say("init.role")}<select value=${role} onChange=${(event) => set(nth, { role: event.target.value })}>
        ${roles.map((each) => html`<option value=${each}>${words.say(`role.${each}`)}</option>`)}</select></label>
      <${Field} label="PIN" type="password" value=${pin} change=${(value) => set(nth, { pin: value })} />
      ${nth < people.length ? html`<button type="button" class="button" aria-label=${say("without", { name })} onClick=${() => drop(nth)}>✕</button>` : html`<span></span>`}
    </div>`)}
    <p class="wrong" role="alert">${wrong}</p>
  </fieldset>`;
}

keepTheme();
startWhenThere(async () => {
  const [words, offer] = await Promise.all([loadWords([""]), enter()]);
  const root = document.getElementById("page");
  root.textContent = "";
  render(html`<${Page} words=${words} offer=${offer} />`, root);
});

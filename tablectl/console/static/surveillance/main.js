/** The surveillance view: loads the words, signs a person on, and shows the desk. It changes nothing at the table. */
import { html, render, useState } from "/static/vendor/htm-preact.js";
import { get, session } from "/static/shared/api.js";
import { useWords } from "/static/shared/parts.js";
import { startWhenThere } from "/static/shared/start.js";
import { loadWords } from "/static/shared/words.js";
import { Desk } from "/static/surveillance/desk.js";
import { listenToKeys } from "/static/dealer/keys.js";
import { SignOn } from "/static/dealer/sign_on.js";

/** Those who may see what was recorded. */
const WATCHERS = ["surveillance", "supervisor", "technician"];

function Page({ words, layout, first }) {
  useWords(words);
  const [who, setWho] = useState(first);
  document.title = `${layout.table} · ${words.say("page.surveillance.title")}`;
  if (!who || !WATCHERS.includes(who.role)) {
    const other = who && words.say("page.surveillance.for_watchers", { person: who.person, role: words.say(`role.${who.role}`) });
    return html`<${SignOn} words=${words} layout=${layout} title=${words.say("page.surveillance.title")} note=${other} roles=${WATCHERS} entered=${setWho} />`;
  }
  return html`<${Desk} key=${who.person} words=${words} layout=${layout} who=${who} leave=${() => setWho(null)} />`;
}

async function start() {
  const [words, layout, first] = await Promise.all([loadWords([""]), get("/v1/layout"), session()]);
  const root = document.getElementById("page");
  root.textContent = "";
  render(html`<${Page} words=${words} layout=${layout} first=${first} />`, root);
}

listenToKeys();
startWhenThere(start);

/** The technician's page: loads the words, signs a technician on, and shows the bench. A device is asked for its own test at most. */
import { html, render, useState } from "/static/vendor/htm-preact.js";
import { get, session } from "/static/shared/api.js";
import { keepTheme, useWords } from "/static/shared/parts.js";
import { startWhenThere } from "/static/shared/start.js";
import { loadWords } from "/static/shared/words.js";
import { Bench } from "/static/technician/bench.js";
import { listenToKeys } from "/static/dealer/keys.js";
import { SignOn } from "/static/dealer/sign_on.js";

const ROLES = ["technician"];

function Page({ words, layout, first }) {
  useWords(words);
  const [who, setWho] = useState(first);
  const title = words.say("page.technician.title");
  document.title = `${layout.table} · ${title}`;
  if (!who || !ROLES.includes(who.role)) {
    const other = who && words.say("page.technician.for_technicians", { person: who.person, role: words.say(`role.${who.role}`) });
    return html`<${SignOn} words=${words} layout=${layout} title=${title} note=${other} roles=${ROLES} entered=${setWho} />`;
  }
  return html`<${Bench} key=${who.person} words=${words} layout=${layout} who=${who} leave=${() => setWho(null)} />`;
}

keepTheme();
listenToKeys();
startWhenThere(async () => {
  const [words, layout, first] = await Promise.all([loadWords([""]), get("/v1/layout"), session()]);
  const root = document.getElementById("page");
  root.textContent = "";
  render(html`<${Page} words=${words} layout=${layout} first=${first} />`, root);
});

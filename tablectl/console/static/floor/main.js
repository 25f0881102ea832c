/** The floor page: loads the words, signs a person on, and shows the tables. */
import { html, render, useState } from "/static/vendor/htm-preact.js";
import { session } from "/static/shared/api.js";
import { keepTheme, useWords } from "/static/shared/parts.js";
import { startWhenThere } from "/static/shared/start.js";
import { loadWords } from "/static/shared/words.js";
import { Floor } from "/static/floor/floor.js";
import { listenToKeys } from "/static/dealer/keys.js";
import { SignOn } from "/static/dealer/sign_on.js";

const WATCHERS = ["surveillance", "supervisor", "technician"];

function Page({ words, first }) {
  useWords(words);
  const [who, setWho] = useState(first);
  const title = words.say("page.floor.title");
  document.title = title;
  if (!who) return html`<${SignOn} words=${words} layout=${{ table: "" }} title=${title} roles=${WATCHERS} entered=${setWho} />`;
  return html`<${Floor} key=${who.person} words=${words} who=${who} leave=${() => setWho(null)} />`;
}

keepTheme();
listenToKeys();
startWhenThere(async () => {
  const [words, first] = await Promise.all([loadWords([""]), session()]);
  const root = document.getElementById("page");
  root.textContent = "";
  render(html`<${Page} words=${words} first=${first} />`, root);
});

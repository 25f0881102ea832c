/** The line that says what became of the last thing asked, where it wasn't simply done. */
import { html } from "/static/vendor/htm-preact.js";
import { explain } from "/static/dealer/sign_on.js";

export function Notice({ desk }) {
  const { words, notice } = desk;
  // The line is always there: who hears the page is told of a change in it, not of its coming.
  return html`<div class="notice ${notice ? `notice-${notice.kind}` : "notice-none"}" role="alert">
    ${notice ? html`<p>${textOf(words, notice)}</p>` : null}
    ${notice
      ? html`<button type="button" class="button" data-key="Escape" onClick=${() => desk.set({ notice: null })}>
          ${words.say("page.dealer.notice.seen")}
        </button>`
      : null}
  </div>`;
}

function textOf(words, notice) {
  switch (notice.kind) {
    case "refused":
      if (notice.code === "stale_screen") return `↻ ${words.say("page.dealer.notice.stale")}`;
      return html`✕ ${refusalText(words, notice)}`;
    case "failed":
      return `✕ ${explain(words, notice.error)}`;
    default:
      return `↻ ${words.say(`page.dealer.notice.${notice.kind}`)}`;
  }
}

/** Why the table refuses: its words, and the article. */
export function refusalText(words, refused) {
  return html`${words.pick(refused.text)} <span class="article">${articleText(words, refused.article)}</span>`;
}

/** An article for people; what the house forbids, and not the law, has none. */
export function articleText(words, article) {
  return !article || article === "table" ? words.say("page.dealer.house_rule") : words.say("page.dealer.article", { article });
}

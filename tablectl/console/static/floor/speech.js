/** Errors in the words of the floor page. */
import { explainError } from "/static/surveillance/speech.js";

/** An error of the API in the page's language: by this page's own words, else by those of surveillance. */
export function explain(words, error) {
  const key = `page.floor.error.${error.code}`;
  return words.has(key) ? words.say(key, { message: error.message }) : explainError(words, error);
}

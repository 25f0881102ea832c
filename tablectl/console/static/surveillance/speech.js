/** Names and times as this page says them. */

/** A word of the game, else of all games, else the bare name. */
export function term(words, family, name, game) {
  const keys = [`${family}.${game}.${name}`, `${family}.${name}`];
  return keys.some((key) => words.has(key)) ? words.first(keys) : String(name ?? "");
}

/** A regulation's article, the rule of the table, or nothing. */
export function cite(words, article, law) {
  if (!article) return "";
  return article === "table" ? words.say("explain.house_rule") : words.say("explain.rule", { law, article });
}

/** What a round came to, in the game's words. */
export function sayResult(words, round) {
  if (round.end === "void") return term(words, "irregular", round.result, round.game);
  for (const family of ["hand", "combination", "natural", "bet"]) {
    const said = term(words, family, round.result, round.game);
    if (said !== round.result) return said;
  }
  const drawn = /^(upper|lower)_(\d)$/.exec(round.result);
  if (drawn) return `${words.say(`series.${drawn[1]}`)} ${drawn[2]}`;
  return round.result === "no_natural" ? "–" : round.result || "–";
}

/** The time of an instant in UTC, to the millisecond: "04:05:06.007". */
export const timeOf = (instant) => instant.slice(11, 23);

/** Day and time in UTC: "2026-11-20 04:05:06". */
export const dayAndTime = (instant) => (instant ? instant.slice(0, 19).replace("T", " ") : "–");

/** How far a time may be off: "±0.850 ms", "?" where nobody knows. */
export function bound(errorUs, clock) {
  if (errorUs === null || errorUs === undefined) return "?";
  return `±${(errorUs / 1000).toFixed(3)} ms${clock === "synced" ? "" : "?"}`;
}

/** An error of the API in the page's language. */
export function explainError(words, error) {
  const keys = [`page.surveillance.error.${error.code}`, "page.surveillance.error.any"];
  return words.first(keys, { message: error.message, seconds: Math.ceil(error.retryMs / 1000) });
}

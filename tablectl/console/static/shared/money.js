/** Money as the table writes it: decimal text such as "1200.00", here counted in whole hundredths. */

/** The amount in hundredths; null where the text is none. */
export function toHundredths(text) {
  const found = /^([+-]?)(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text);
  if (!found) return null;
  const amount = Number(found[2]) * 100 + Number((found[3] || "").padEnd(2, "0"));
  return found[1] === "-" ? -amount : amount;
}

/** Hundredths as a request writes them: "1200", "0.50". */
export function fromHundredths(amount) {
  const whole = Math.trunc(Math.abs(amount) / 100);
  const rest = Math.abs(amount) % 100;
  const text = rest ? `${whole}.${String(rest).padStart(2, "0")}` : String(whole);
  return amount < 0 ? `-${text}` : text;
}

/**
 * An amount for people: "1,200" or "0.50", the same in every language, as on the chips.
 *
 * @param {string|number} amount decimal text, or hundredths.
 * @param {{sign?: boolean}} options whether a gain has its plus.
 */
export function showMoney(amount, options = {}) {
  const hundredths = typeof amount === "number" ? amount : toHundredths(amount);
  if (hundredths === null) return String(amount);
  const [whole, rest] = fromHundredths(Math.abs(hundredths)).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const sign = hundredths < 0 ? "−" : options.sign && hundredths > 0 ? "+" : "";
  return sign + grouped + (rest ? `.${rest}` : "");
}

/** A page that is older than its table, as after an upgrade, is loaded again. */

const ENTERING = ".form, .typed, [aria-busy=true], [data-entering]";
const KEPT_BUILD = "tablectl.build";
const own = document.querySelector("meta[name=build]")?.content;

/** Whether a person has begun something that the page would forget. */
const isEntering = () => document.querySelector(ENTERING) !== null || [...document.querySelectorAll("input")].some((field) => field.value);

/** Whether this build was loaded for before: what comes old out of some cache isn't loaded for ever. */
function triedBefore(build) {
  try {
    const before = sessionStorage.getItem(KEPT_BUILD) === build;
    sessionStorage.setItem(KEPT_BUILD, build);
    return before;
  } catch {
    return true;
  }
}

/**
 * Loads the page again where its table has another build and nothing is being entered.
 *
 * @param {string} build the table's, as it has just said: so it is there to be asked for the page.
 */
export function renew(build) {
  if (own && build && build !== own && !isEntering() && !triedBefore(build)) location.reload();
}

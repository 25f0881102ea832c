/** Keys in place of fingers: a button with `data-key` is pressed by that key, wherever the focus is. */

const TYPED = new Set(["INPUT", "TEXTAREA", "SELECT"]);

/** The live button for a key, the last of several: what was opened last lies on top. While something is entered only its own count. */
function buttonFor(key) {
  const entering = document.querySelector(".form") !== null;
  const found = [...document.querySelectorAll("[data-key]")].filter(
    (button) => button.dataset.key === key && !button.matches("[disabled], [aria-disabled=true]") && !button.closest("[inert]") && (!entering || button.closest(".form, .aside, .lesson, .top, .strip [data-tab]")),
  );
  return found[found.length - 1];
}

/** Whether a button's place has only just become its own. */
const isCalm = (button) => Boolean(button.closest(".desk.calm :is(.work, .foot)"));

/** By key a button is pressed once, however long it is held, and not while it is calm; chips go on while their round opens. */
function holdBack(event) {
  const button = event.target.closest?.("button");
  if (!button || (event.key !== "Enter" && event.key !== " ")) return false;
  const held = event.repeat || (isCalm(button) && !button.matches(".opening .spot"));
  if (held) event.preventDefault();
  return held;
}

/** Starts to listen, for as long as the page lives. */
export function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (holdBack(event) || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    // In a text Enter takes the text, and nothing else.
    if (TYPED.has(event.target.tagName) && event.key !== "Escape") return;
    // Enter and Space press the button that has the focus, as everywhere; but a name that is chosen already isn't chosen again.
    const chosen = event.target.closest?.(".pin [aria-pressed=true]");
    if ((event.key === "Enter" || event.key === " ") && event.target.tagName === "BUTTON" && !chosen) return;
    if (event.key === "?") return void showKeys();
    const button = buttonFor(event.key.length === 1 ? event.key.toUpperCase() : event.key);
    if (!button || (isCalm(button) && !button.matches(".opening .spot"))) return;
    event.preventDefault();
    // A text is gone into, anything else pressed.
    if (TYPED.has(button.tagName)) button.focus();
    else button.click();
  });
}

/** Shows at every button which key presses it, or no longer. */
export const showKeys = () => document.documentElement.classList.toggle("keys-shown");

/** The keys of the places 1 to 12, along the upper row of a keyboard; then those of a place's bets. */
export const PLACE_KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "-", "="];

/** The keys of what may be done at the place that is chosen: from the end of the row that its bets begin. */
export const AT_PLACE_KEYS = [...PLACE_KEYS].reverse();

/** The keys of the pages, along the row above the acts'. */
export const PAGE_KEYS = { steps: "Q", irregular: "W", amend: "E", why: "T", devices: "I", faults: "O", lessons: "Y" };

/** The keys of the chips, from the least, along the lowest row; of what is to be paid where no chips are. */
export const CHIP_KEYS = ["Z", "X", "C", "V", "B", "N", "M"];

/** The keys of what else may be done, along the middle row; of a list's lines, of names. */
export const ACT_KEYS = ["A", "S", "D", "F", "G", "H", "J", "K", "L"];

/** Where more than that can be done, the lowest row goes on. */
export const LONG_KEYS = [...ACT_KEYS, ...CHIP_KEYS];

/** The keys that go on and back among choices of which one is pressed: those beside it have them. */
export const besideKey = (nth, chosen) => (nth === chosen + 1 ? "ArrowRight" : nth === chosen - 1 ? "ArrowLeft" : undefined);

/** Beginning of a page whose table or floor may not be there yet. */

const AGAIN_AFTER_MS = 1000;

/** A grey button does nothing, however it is pressed, and keeps the focus, as one that is disabled wouldn't; a grey choice says why it is grey. */
function rest(event) {
  if (!event.target.closest("button[aria-disabled=true]:not(.grey)")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Starts, and tries again for as long as nobody answers; until then there are no words: a sign that everybody reads. */
export async function startWhenThere(start) {
  document.addEventListener("click", rest, true);
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (error.status === undefined) throw error;
      document.querySelector(".starting")?.replaceChildren("⚠ … ↻");
      await new Promise((done) => setTimeout(done, AGAIN_AFTER_MS));
    }
  }
}

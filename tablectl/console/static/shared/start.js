/** Beginning of a page whose table or floor may not be there yet. */

const AGAIN_AFTER_MS = 1000;

/** Starts, and tries again for as long as nobody answers; until then there are no words: a sign that everybody reads. */
export async function startWhenThere(start) {
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

/** Often enough for a test, and rare enough that waiting for a second costs little. */
const INTERVAL_MS = 100

/** Call `look` repeatedly until it returns a value. The time limit of the test ends the wait. */
export async function waitFor<Found>(look: () => Found | undefined | Promise<Found | undefined>): Promise<Found> {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS))
  }
}

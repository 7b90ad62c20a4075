const INTERVAL_MS = 20

/** Look again and again until `look` returns something; the test's own time limit ends it. */
export async function waitFor<Found>(look: () => Found | undefined): Promise<Found> {
  for (;;) {
    const found = look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS))
  }
}

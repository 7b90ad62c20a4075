/** Let timers, I/O and other calls have their turn. A millisecond passes, or four in a browser: call it rarely. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

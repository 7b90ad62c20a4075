/** `setImmediate` where there is one: `setTimeout` takes at least a millisecond, and four once nested in a browser. */
declare const setImmediate: ((callback: () => void) => unknown) | undefined

/** Let timers, I/O and other calls have their turn. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
}

/** Wait for a promise. If the signal fires first, reject with the result of `errorOf`, by default with the reason. */
export async function orAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | undefined,
  errorOf: (signal: AbortSignal) => unknown = ({ reason }) => reason,
): Promise<Result> {
  if (signal === undefined) return promise
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(errorOf(signal))
  if (signal.aborted) abort()
  // The listener is removed after each wait, so that listeners do not accumulate on a signal with a long life.
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

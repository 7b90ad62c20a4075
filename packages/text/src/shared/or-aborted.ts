/** Wait for a promise until the signal fires. Then reject with the result of `errorOf`, by default the reason. */
export async function orAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | undefined,
  errorOf: (signal: AbortSignal) => unknown = ({ reason }) => reason,
): Promise<Result> {
  if (signal === undefined) return promise
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(errorOf(signal))
  if (signal.aborted) abort()
  // One listener for each wait: a promise shared by many would collect them.
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

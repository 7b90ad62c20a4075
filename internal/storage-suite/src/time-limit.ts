/** Wait for an operation. Rejects if the operation takes longer than the limit. */
export async function withinLimit<Result>(
  what: string,
  milliseconds: number,
  operation: Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} has not ended after ${milliseconds / 1_000} s`)), milliseconds)
  })
  try {
    return await Promise.race([operation, limit])
  } finally {
    clearTimeout(timer)
  }
}

/** Call a function. Return `undefined` if the operating system refuses, for example because a file is missing. */
export function unlessRefused<Result>(look: () => Result): Result | undefined {
  try {
    return look()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return undefined
  }
}

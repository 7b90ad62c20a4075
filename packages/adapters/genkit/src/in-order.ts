/**
 * Make a function that lets work end in the order in which it was handed over.
 *
 * Genkit puts results into a message in the order in which they arrive, and storing some of them must not change that.
 */
export function inOrder(): <Result>(work: Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const ended = Promise.allSettled([last, work]).then(() => work)
    last = ended
    return ended
  }
}

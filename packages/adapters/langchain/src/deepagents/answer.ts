import { StorageError } from '@spillway/core'

/** Says why an operation is refused, in the words that the answer has. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** Run an operation; whatever fails is its answer. */
export async function answer<Result>(run: () => Promise<Result>): Promise<Result | { error: string }> {
  try {
    return await run()
  } catch (error) {
    // An agent goes on after a failed operation, whatever failed, where a rejection would end its run.
    return { error: describe(error) }
  }
}

function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Refusal) return message
  if (!StorageError.isInstance(error)) return `The operation failed: ${message}. Try it once more.`
  // As deepagents begins what it refuses itself; an outage is none of that.
  return error.code === 'invalid-key' || error.code === 'unsupported' ? `Error: ${message}` : message
}

import { StorageError } from '@spillway/core/driver'

/** Make content that repeats one byte. */
export const filled = (bytes: number, fill = 7): Uint8Array => new Uint8Array(bytes).fill(fill)

/** Make a stream of chunks, the first of zeros, the second of ones, and so on. */
export async function* stream(chunks: number, bytes: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < chunks; index += 1) yield filled(bytes, index)
}

/** Read a listing to its end. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

/** Return the error with which an operation rejects. */
export async function rejection(run: Promise<unknown>): Promise<StorageError> {
  const [outcome] = await Promise.allSettled([run])
  if (outcome.status === 'rejected' && StorageError.isInstance(outcome.reason)) return outcome.reason
  throw new Error('expected a StorageError', { cause: outcome })
}

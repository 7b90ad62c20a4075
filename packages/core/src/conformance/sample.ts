import type { Storage } from '../storage/storage.ts'

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Make bytes with all values, in an order that does not repeat soon. The same seed gives the same bytes. */
export function pattern(size: number, seed = 1): Uint8Array {
  const words = new Uint32Array(Math.ceil(size / 4))
  let state = (seed * 2654435761) >>> 0 || 1
  for (let index = 0; index < words.length; index += 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    words[index] = state
  }
  return new Uint8Array(words.buffer, 0, size)
}

/** Return a generator of numbers from 0 to 1. The same seed gives the same numbers. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Return a whole number from 0 to `below` (excluded). */
export const randomBelow = (random: () => number, below: number): number => Math.floor(random() * below)

export function pick<Value>(random: () => number, values: readonly Value[]): Value {
  return values[randomBelow(random, values.length)] as Value
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

export const keysIn = async (storage: Required<Storage>): Promise<string[]> =>
  (await collect(storage.list())).map(({ key }) => key)

/** Return the references of all entries, sorted. */
export const referencesIn = async (storage: Required<Storage>): Promise<string[]> =>
  (await collect(storage.list())).map(({ reference }) => reference).toSorted()

export async function* stream(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

/** Let other work run: `turns` microtasks, or all pending work if `turns` is 0. */
export async function pause(turns = 0): Promise<void> {
  if (turns === 0) await new Promise((resolve) => setTimeout(resolve, 0))
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Make a stream of chunks. */
export async function* streamOf(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

/** Bytes whose chunks all differ. */
export function pattern(size: number, seed = 1): Uint8Array {
  const content = new Uint8Array(size)
  let state = seed >>> 0 || 1
  for (let at = 0; at < size; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    content[at] = state >>> 24
  }
  return content
}

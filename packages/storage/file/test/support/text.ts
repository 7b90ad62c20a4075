/** Encode text. */
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Decode text. */
export const text = (content: Uint8Array): string => new TextDecoder().decode(content)

/** Yield each of `chunks`. */
export async function* streamOf(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

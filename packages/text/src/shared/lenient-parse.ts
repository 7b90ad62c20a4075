/** Parse JSON written by a model or a tool. Returns `undefined` if the text is not JSON, or too deep for `parse`. */
export function parseJsonText(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}

/** Decode bytes as UTF-8. Returns `undefined` if encoding the text would give different bytes. */
export function decodeExactly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

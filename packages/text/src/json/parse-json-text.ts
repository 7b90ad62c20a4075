/** Parse JSON that a model or a tool wrote; `undefined` where it is none. */
export function parseJsonText(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

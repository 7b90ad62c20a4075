/** Escape a text, so that a regular expression matches it literally. The result works with any flags except `v`. */
export function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** Escape a text for a regular expression that matches it. It works with any flags except `v`. */
export function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** Escape a text as an equivalent regular expression for any flags but `v`. */
export function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

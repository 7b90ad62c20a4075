/** Write a text as a regular expression that matches just that, with any flags but `v`. */
export function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** Escape a text, so that a regular expression matches it literally. The result works with any flags except `v`. */
export function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** Write a UTF-16 unit as an escape of JSON and JavaScript, for example `\u00e9`. */
export const unicodeEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

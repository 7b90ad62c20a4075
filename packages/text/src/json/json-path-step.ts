/** UTF-16 units of a path; nobody can use a longer one. */
export const MAX_PATH_UNITS = 1_000

/** Names that stand in a path after a dot (RFC 9535, section 2.5.1.1), of those only what every reader knows as a name. */
const PLAIN_NAME = /^[A-Za-z_][\w]*$/
/** What a normalized path escapes (RFC 9535, section 2.7), and what else ends a line. */
const ESCAPED = /[\\'\0-\x1f\x7f\u0085\u2028\u2029]/g
const ESCAPES: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  "'": "\\'",
  '\\': '\\\\',
}

/** Write the step of a path to a member or an item in its shortest form: `.name`, `['a name']` or `[3]`. */
export function jsonPathStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`
  if (PLAIN_NAME.test(step)) return `.${step}`
  return `['${step.replace(ESCAPED, escape)}']`
}

function escape(character: string): string {
  return ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** UTF-16 units of a value that stands on one line. */
const ONE_LINE_UNITS = 120
/** Levels that are indented; deeper ones stand where these do, so that the text grows with the value alone. */
const MAX_INDENTED = 40

const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[{}[\],:]|[^\s{}[\],:"]+/g
/** What ends a line somewhere, or controls a terminal: in valid JSON only the last three stand in a string as they are. */
const BREAKING = /[\0-\x1f\x7f\u0085\u2028\u2029]/g
const OPENING = /^[{[]/
const CLOSING = /^[}\]]/

/** A value, or the beginning of one. */
export interface FormattedJson {
  readonly text: string
  /** Whether there is more of it. */
  readonly isCut: boolean
  /** UTF-16 units of the JSON that `text` stands for. */
  readonly taken: number
}

/**
 * Write JSON anew: on one line where it is short, else indented by two spaces. Numbers and strings stay as they stand.
 *
 * @param maxUnits - UTF-16 units of the text; what is longer is cut, on one line.
 */
export function formatJson(json: string, maxUnits: number): FormattedJson {
  const line = compactJson(json, Math.min(ONE_LINE_UNITS, maxUnits))
  if (!line.isCut) return line
  const indented = indentJson(json, maxUnits)
  return indented.isCut ? compactJson(json, maxUnits) : indented
}

/** Write JSON on one line, as far as `maxUnits` go. */
export function compactJson(json: string, maxUnits: number): FormattedJson {
  return join(json, maxUnits, (token) => (token === ':' || token === ',' ? `${token} ` : token))
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function indentJson(json: string, maxUnits: number): FormattedJson {
  let level = 0
  let isEmpty = false
  return join(json, maxUnits, (token) => {
    const lineFeed = (levels: number): string => `\n${'  '.repeat(Math.min(levels, MAX_INDENTED))}`
    const wasEmpty = isEmpty
    isEmpty = false
    if (CLOSING.test(token)) {
      level = Math.max(0, level - 1)
      return (wasEmpty ? '' : lineFeed(level)) + token
    }
    const before = wasEmpty ? lineFeed(level) : ''
    if (OPENING.test(token)) {
      level++
      isEmpty = true
      return before + token
    }
    if (token === ',') return `,${lineFeed(level)}`
    return before + (token === ':' ? ': ' : token)
  })
}

function join(json: string, maxUnits: number, write: (token: string) => string): FormattedJson {
  const parts: string[] = []
  let units = 0
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const part = write(token.startsWith('"') ? token.replace(BREAKING, escape) : token)
    parts.push(part)
    units += part.length
    if (units <= maxUnits) continue
    const before = parts.slice(0, -1).join('')
    const { text, taken } = token.startsWith('"') ? cutString(token, maxUnits - before.length) : { text: '', taken: 0 }
    return { text: before + text, isCut: true, taken: index + taken }
  }
  return { text: parts.join(''), isCut: false, taken: json.length }
}

/** Write the beginning of a string, without cutting a character. */
function cutString(token: string, maxUnits: number): { readonly text: string; readonly taken: number } {
  let text = ''
  let taken = 0
  for (const character of token.slice(0, maxUnits + 1)) {
    const part = character.replace(BREAKING, escape)
    if (text.length + part.length > maxUnits) break
    text += part
    taken += character.length
  }
  return { text, taken }
}

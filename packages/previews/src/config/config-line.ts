export type ConfigDialect =
  /** By indentation: YAML. */
  | 'indented'
  /** By headers in brackets: TOML, INI, systemd units, git configuration; also flat files of keys. */
  | 'sections'
  /** By braces: HCL, nginx. */
  | 'braces'

export interface YamlLine {
  readonly kind: 'document' | 'comment' | 'key' | 'value'
  /** Columns of the dashes before it, the outermost first. */
  readonly dashes: readonly number[]
  readonly column: number
  /** End of the key and start of the value; the end of the line if missing. */
  readonly keyEnd: number
  readonly valueStart: number
}

const NO_DASHES: readonly number[] = []
/** Header of a text over several lines (YAML 1.2, 8.1). */
const TEXT = /(?:^|\s)[|>][+-]?\d?[+-]?\s*(?:#.*)?$/
const LOOKED_AT = 600
const MOST_DASHES = 16

export function yamlLine(line: string): YamlLine {
  const end = Math.min(line.length, LOOKED_AT)
  let column = skipBlanks(line, 0, end)
  const first = line.charCodeAt(column)
  if (first === 35) return { kind: 'comment', dashes: NO_DASHES, column, keyEnd: 0, valueStart: end }
  if (column === 0 && (first === 37 || line.startsWith('---') || line.startsWith('...')))
    return { kind: 'document', dashes: NO_DASHES, column, keyEnd: 0, valueStart: end }
  let dashes: number[] | undefined
  while (
    line.charCodeAt(column) === 45 &&
    isBlank(line.charCodeAt(column + 1)) &&
    (dashes?.length ?? 0) < MOST_DASHES
  ) {
    ;(dashes ??= []).push(column)
    column = skipBlanks(line, column + 1, end)
  }
  const keyEnd = endOfKey(line, column, end)
  const valueStart = keyEnd === 0 ? column : skipBlanks(line, line.indexOf(':', keyEnd) + 1, end)
  return { kind: keyEnd === 0 ? 'value' : 'key', dashes: dashes ?? NO_DASHES, column, keyEnd, valueStart }
}

export function opensText(line: string, { valueStart }: YamlLine): boolean {
  const first = line.charCodeAt(valueStart)
  // Only an anchor or a tag can be before the mark.
  if (first !== 124 && first !== 62 && first !== 38 && first !== 33) return false
  return TEXT.test(line.slice(valueStart, LOOKED_AT))
}

export function keyOf(line: string, { column, keyEnd }: YamlLine): string {
  return line.slice(column, keyEnd).replace(/^["']|["']$/g, '')
}

function skipBlanks(line: string, from: number, end: number): number {
  let at = from
  while (at < end && line.charCodeAt(at) === 32) at++
  return at
}

/** Returns 0 if there is no key. */
function endOfKey(line: string, column: number, end: number): number {
  const first = line.charCodeAt(column)
  if (first === 34 || first === 39) {
    const close = line.indexOf(line.charAt(column), column + 1) + 1
    return close > column + 2 && close < end && /^ ?:(?:\s|$)/.test(line.slice(close, close + 3)) ? close : 0
  }
  if (!startsKey(first)) return 0
  for (let at = column + 1; at < end; at++) {
    const code = line.charCodeAt(at)
    if (code === 58) {
      if (isBlank(line.charCodeAt(at + 1))) return at
    } else if (code === 34 || code === 39 || code === 44 || code === 59 || code === 61) return 0
    // Comments, and calls or sentences with brackets.
    else if ((code === 35 || code === 40 || code === 41) && line.charCodeAt(at - 1) === 32) return 0
  }
  return 0
}

/** Letters, digits, non-ASCII characters, and `$ * + - . / < @ _ ~`. */
function startsKey(code: number): boolean {
  if (code >= 97 ? code <= 122 || code === 126 || code >= 128 : code >= 65) return code <= 90 || code >= 95
  return (code >= 45 && code <= 57) || code === 36 || code === 42 || code === 43 || code === 60 || code === 64
}

function isBlank(code: number): boolean {
  return code === 32 || Number.isNaN(code) || code === 13 || code === 9
}

/** Returns `undefined` if the line is no header. */
export function sectionName(line: string): string | undefined {
  if (line.charCodeAt(0) !== 91) return undefined
  const text = line.slice(0, LOOKED_AT)
  const end = text.lastIndexOf(']')
  const after = text.slice(end + 1).trimStart()
  if (after !== '' && !after.startsWith('#') && !after.startsWith(';')) return undefined
  const name = text.slice(text.startsWith('[[') ? 2 : 1, text.charAt(end - 1) === ']' ? end - 1 : end)
  const isName = name !== '' && name.length <= 200 && (name.includes('"') || !/[[\]{},]/.test(name))
  return isName && name.trim() === name ? name : undefined
}

/** Returns `undefined` if the line sets no key. */
export function assignedKey(line: string): string | undefined {
  return /^(?:export )?("[^"]{1,200}"|[\w.$/\\@*-]{1,200}(?: [\w.-]{1,60}){0,4})\s*[=:](?!=)/.exec(
    line.slice(0, LOOKED_AT),
  )?.[1]
}

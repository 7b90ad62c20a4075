/** The kinds of configuration that are read, by how they nest. */
export type ConfigDialect =
  /** By indentation: YAML. */
  | 'indented'
  /** By headers in brackets: TOML, INI, systemd units, git's configuration; flat files of keys have none. */
  | 'sections'
  /** By braces: HCL, nginx and the like. */
  | 'braces'

/** A line of YAML that is not blank. */
export interface YamlLine {
  readonly kind: 'document' | 'comment' | 'key' | 'value'
  /** Columns of the dashes before it, from the outermost. */
  readonly dashes: readonly number[]
  /** Column of what follows the dashes. */
  readonly column: number
  readonly key: string
  /** What stands after the colon, or after the dashes. */
  readonly value: string
  /** Whether the lines below that stand further right are a text (YAML 1.2, 8.1). */
  readonly opensText: boolean
}

const TEXT = /(?:^|\s)[|>][+-]?\d?[+-]?\s*(?:#.*)?$/
/** Of a line, this much is looked at. */
const LOOKED_AT = 600

/** Read a line of YAML. */
export function yamlLine(line: string): YamlLine {
  let column = 0
  while (line.charCodeAt(column) === 32) column++
  const first = line.charCodeAt(column)
  const none = { dashes: [], column, key: '', value: '', opensText: false }
  if (first === 35) return { ...none, kind: 'comment' }
  if (column === 0 && (line.startsWith('---') || line.startsWith('...') || line.startsWith('%')))
    return { ...none, kind: 'document' }
  const dashes: number[] = []
  while (line.charCodeAt(column) === 45 && isBlank(line.charCodeAt(column + 1)) && dashes.length < 16) {
    dashes.push(column++)
    while (line.charCodeAt(column) === 32) column++
  }
  const rest = line.slice(column, column + LOOKED_AT)
  const end = keyEnd(rest)
  const value = rest.slice(end === 0 ? 0 : rest.indexOf(':', end) + 1).trim()
  const opensText = value !== '' && TEXT.test(value)
  const key = rest.slice(0, end).replace(/^["']|["']$/g, '')
  return { kind: end === 0 ? 'value' : 'key', dashes, column, key, value, opensText }
}

/** Where the key at the start of a line ends, before the blanks and the colon after it; 0 where there is none. */
function keyEnd(rest: string): number {
  const first = rest.charCodeAt(0)
  if (first === 34 || first === 39) {
    const end = rest.indexOf(rest.charAt(0), 1) + 1
    return end > 2 && /^ ?:(?:\s|$)/.test(rest.slice(end, end + 3)) ? end : 0
  }
  // A path may hold what else only stands in values.
  if (!/^[\w$/<~.*+@\u0080-\uffff-]/.test(rest)) return 0
  for (let at = 1; at < rest.length; at++) {
    const code = rest.charCodeAt(at)
    if (code === 58 && isBlank(rest.charCodeAt(at + 1))) return at
    // # " ' = ; , and what opens a value of several parts.
    if (code === 34 || code === 39 || code === 44 || code === 59 || code === 61) return 0
    if (code === 35 && rest.charCodeAt(at - 1) === 32) return 0
    if ((code === 40 || code === 41) && rest.charCodeAt(at - 1) === 32) return 0
  }
  return 0
}

function isBlank(code: number): boolean {
  return code === 32 || Number.isNaN(code) || code === 13 || code === 9
}

/** The name in the header of a section, `[name]` or `[[name]]`; `undefined` where a line is none. */
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

/** The key that a line sets, `key = value`, `key: value` or `export KEY=value`; `undefined` where it sets none. */
export function assignedKey(line: string): string | undefined {
  return /^(?:export )?("[^"]{1,200}"|[\w.$/\\@*-]{1,200}(?: [\w.-]{1,60}){0,4})\s*[=:](?!=)/.exec(
    line.slice(0, LOOKED_AT),
  )?.[1]
}

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

/** A key before a colon; of other characters, only those in quotes. */
const KEY =
  /^(?:"([^"]{1,200})"|'([^']{1,200})'|([\w$/<~.*+@\u0080-\uffff-][^:#"'=;,]{0,499}?|\/[^:#"'=;,\s]{0,499}))\s*:(?=\s|$)/
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
  const found = KEY.exec(rest)
  const key = found === null ? '' : (found[1] ?? found[2] ?? found[3] ?? '')
  const value = (found === null ? rest : rest.slice(found[0].length)).trim()
  const opensText = value !== '' && TEXT.test(value)
  return { kind: found === null ? 'value' : 'key', dashes, column, key, value, opensText }
}

function isBlank(code: number): boolean {
  return code === 32 || Number.isNaN(code) || code === 13 || code === 9
}

/** The name in the header of a section, `[name]` or `[[name]]`; `undefined` where a line is none. */
export function sectionName(line: string): string | undefined {
  if (line.charCodeAt(0) !== 91) return undefined
  return /^\[{1,2}([^[\]{}]{1,200}|[^[\]]*"[^"]*"[^[\]]*)\]{1,2}\s*(?:[#;].*)?$/.exec(line.slice(0, LOOKED_AT))?.[1]
}

/** The key that a line sets, `key = value`, `key: value` or `export KEY=value`; `undefined` where it sets none. */
export function assignedKey(line: string): string | undefined {
  return /^(?:export )?("[^"]{1,200}"|[\w.$/\\@*-]{1,200}(?: [\w.-]{1,60}){0,4})\s*[=:](?!=)/.exec(
    line.slice(0, LOOKED_AT),
  )?.[1]
}

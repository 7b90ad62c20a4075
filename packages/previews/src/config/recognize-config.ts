import { perSubject } from '@spillway/text/internal'
import { withoutNumbers } from '../layout/cut-numbers.ts'
import type { TextSubject } from '../previewer.ts'
import { assignedKey, opensText, sectionName, yamlLine, type ConfigDialect } from './config-line.ts'

/** Lines looked at. */
const LOOKED_AT = 300

const TYPES: Readonly<Record<string, ConfigDialect>> = {
  'application/yaml': 'indented',
  'application/x-yaml': 'indented',
  'text/yaml': 'indented',
  'text/x-yaml': 'indented',
  'text/vnd.yaml': 'indented',
  'application/toml': 'sections',
  'text/x-toml': 'sections',
  'text/x-ini': 'sections',
  'text/x-java-properties': 'sections',
  'text/x-hcl': 'braces',
}

const NAMES: readonly (readonly [ConfigDialect, RegExp])[] = [
  ['indented', /\.ya?ml$|(?:^|\/)\.clang-format$/i],
  [
    'sections',
    /\.(?:toml|ini|cfg|env|properties|service|timer|socket|desktop|editorconfig|gitconfig|npmrc)$|(?:^|\/)(?:\.env(?:\.[\w.-]+)?|\.git\/config|(?:Cargo|poetry|uv|Gopkg)\.lock|Pipfile|\.flake8)$/i,
  ],
  ['braces', /\.(?:tf|tfvars|hcl|nomad)$|nginx[\w./-]*\.conf$/i],
]

/** A time, or a level, as logs have before their lines. */
const LOGGED =
  /^\s*(?:[[(]?\d{4}-\d\d-\d\d[T ]\d|[[(]?\d\d:\d\d:\d\d|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL)\b)/

/** How sure it is that a text is configuration, and how that nests. */
export interface ConfigKind {
  readonly sureness: number
  readonly dialect: ConfigDialect
}

/** Say how sure it is that a text is configuration: almost every line has to be one of its dialect. */
export const configKind: (subject: TextSubject) => ConfigKind = perSubject(findKind)

function findKind({ contentType, start, intent }: TextSubject): ConfigKind {
  const declared = Object.hasOwn(TYPES, contentType) ? TYPES[contentType] : undefined
  const named = NAMES.find(([, pattern]) => intent.paths.some((path) => pattern.test(path)))?.[0]
  const lines = withoutNumbers(start)
    .split('\n', LOOKED_AT)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
  if (lines.length < 3 || lines.filter((line) => LOGGED.test(line)).length > lines.length * 0.02)
    return { sureness: 0, dialect: 'indented' }
  const known = declared ?? named
  if (known !== undefined && shareOf(lines, known) >= 0.75) return { sureness: declared ? 0.95 : 0.92, dialect: known }
  if (isYaml(lines)) return { sureness: /^(?:---|apiVersion: |%YAML)/m.test(start) ? 0.85 : 0.75, dialect: 'indented' }
  const sections = lines.filter((line) => sectionName(line) !== undefined).length
  const keys = lines.filter((line) => assignedKey(line.trimStart()) !== undefined).length
  if (sections > 0 && keys > sections && shareOf(lines, 'sections') >= 0.97)
    return { sureness: 0.8, dialect: 'sections' }
  const blocks = lines.filter((line) => /^[a-z_]+(?: "[^"]+"){1,3} \{$/.test(line)).length
  if (blocks > 1 && shareOf(lines, 'braces') >= 0.9) return { sureness: 0.8, dialect: 'braces' }
  return { sureness: 0, dialect: 'indented' }
}

/** The share of lines that are such as a dialect has. */
function shareOf(lines: readonly string[], dialect: ConfigDialect): number {
  if (dialect === 'indented') return yamlShare(lines).share
  const own = lines.filter((line) => {
    const text = line.trimStart()
    if (/^(?:[#;]|\/\/)/.test(text) || assignedKey(text) !== undefined) return true
    if (dialect === 'braces') return /[{};,\])([]$|^[})\]]/.test(text)
    return sectionName(text) !== undefined || /^[\]"'}]|^\d/.test(text) || line !== text
  })
  return own.length / lines.length
}

interface YamlShare {
  readonly share: number
  /** Keys whose values stand below them, and dashes. */
  readonly nested: number
  readonly keys: number
}

function yamlShare(lines: readonly string[]): YamlShare {
  let own = 0
  let nested = 0
  let keys = 0
  let textColumn = -1
  let wasOpen = -1
  for (const line of lines) {
    const column = line.length - line.trimStart().length
    if (textColumn >= 0 && column > textColumn) {
      own++
      continue
    }
    textColumn = -1
    const read = yamlLine(line)
    const value = line.slice(read.valueStart)
    const isValue = read.kind === 'value' && read.dashes.length === 0
    // A plain value may go on below, further right.
    if (!isValue || column > 0) own += isValue ? 0.5 : 1
    if (read.kind === 'key') keys++
    if (wasOpen >= 0 && (column > wasOpen || (column === wasOpen && read.dashes.length > 0))) nested++
    wasOpen = read.kind === 'key' && (value === '' || /^[&!]\S*$/.test(value)) ? read.column : -1
    if (opensText(line, read)) textColumn = read.dashes.at(-1) ?? read.column
  }
  return { share: own / lines.length, nested, keys }
}

function isYaml(lines: readonly string[]): boolean {
  if (lines.some((line) => line.startsWith('\t'))) return false
  const { share, nested, keys } = yamlShare(lines)
  return share >= 0.95 && nested >= 2 && keys >= lines.length * 0.4
}

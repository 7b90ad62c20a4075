import { perSubject } from '@spillway/text/internal'
import { writePreview } from '../layout/write-preview.ts'
import { countOf } from '../layout/gap-marks.ts'
import { RawLines, type RawLine } from '../layout/raw-lines.ts'
import type { TextPreviewer, TextSubject } from '../previewer.ts'
import { ASKED_WORTH, KEYS, TEXT, type ConfigOutline, type ConfigReader } from './config-outline.ts'
import { SectionReader } from './section-reader.ts'
import {
  assignedKey,
  keyOf,
  opensText,
  sectionName,
  yamlLine,
  type ConfigDialect,
  type YamlLine,
} from './config-line.ts'
import { itemOf, type Item } from '../layout/preview-model.ts'
import { ItemStore } from '../layout/item-store.ts'
import { WantedWords } from '../layout/wanted-words.ts'
import { numberCut, numberNote, withoutNumbers } from '../layout/numbered-lines.ts'

/** Shares of the budget: keys, then text and values of several lines. Unused tokens go to the others. */
const SHARES = [0.85, 0.15]

/**
 * Previews configuration as an outline of its keys, with line numbers and lengths of lists.
 *
 * Reads YAML by indentation, TOML and INI by sections, and HCL by braces. Anchors, aliases, and references are not
 * resolved.
 */
export function configPreviewer(): TextPreviewer {
  return {
    name: 'config',
    previews: 'text',
    recognize: (subject) => configKind(subject).sureness,
    read: readConfig,
  }
}

function readConfig(subject: TextSubject): ReturnType<TextPreviewer['read']> {
  const { dialect } = configKind(subject)
  const { words } = subject.intent
  const reader: ConfigReader = dialect === 'indented' ? new YamlReader(words) : new SectionReader(dialect, words)
  const numbers = numberCut(subject.start)
  const lines = new RawLines((line) => reader.push(line), numbers?.cut)
  return {
    push: (text) => lines.push(text),
    finish: () => {
      lines.finish()
      const { items, summary } = reader.finish()
      const header = [
        `${dialect === 'indented' ? 'YAML' : 'config'}: ${countOf(lines.count, 'line')}`,
        ...(summary === '' ? [] : [summary]),
        ...numberNote(numbers),
      ].join(', ')
      return (options) =>
        writePreview({ items, lines: lines.count, header, shares: SHARES, lineShare: 0.1, endShare: 0 }, options)
    },
  }
}

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

/** A time or a level, as in logs. */
const LOGGED =
  /^\s*(?:[[(]?\d{4}-\d\d-\d\d[T ]\d|[[(]?\d\d:\d\d:\d\d|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL)\b)/

interface ConfigKind {
  readonly sureness: number
  readonly dialect: ConfigDialect
}

/** Almost every line must match the dialect. */
export const configKind: (subject: TextSubject) => ConfigKind = perSubject(findKind)

function findKind(subject: TextSubject): ConfigKind {
  const { contentType, start, intent } = subject
  const declared = Object.hasOwn(TYPES, contentType) ? TYPES[contentType] : undefined
  const named = NAMES.find(([, pattern]) => intent.paths.some((path) => pattern.test(path)))?.[0]
  const lines = withoutNumbers(subject)
    .slice(0, LOOKED_AT)
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
    // A plain value may continue below, indented further.
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

/** Deeper lines count as this depth. */
const DEEPEST = 14
const DEPTH_WORTH: readonly number[] = Array.from({ length: DEEPEST + 1 }, (_, depth) => 30 / (1 + depth) ** 2)
/** Shorter lists are easily counted by eye. */
const LEAST_COUNT = 4
/** Worth of a document's first line: more than all others. */
const FIRST_WORTH = 240
/** Longest shown part of a name, in UTF-16 units. */
const NAME_UNITS = 120

interface Node {
  /** A dash counts half a column to the right, since its list may belong to a key in its own column. */
  readonly column: number
  readonly item: Item
  keys: number
  dashes: number
}

interface Document {
  item: Item | undefined
  kind: string
  name: string
  isMetadata: boolean
}

/** Shows anchors, aliases, and tags unchanged. */
class YamlReader {
  readonly #store = new ItemStore()
  readonly #words: WantedWords
  #blanks = 0
  #documents = 0
  #topKeys = 0
  #stack: Node[] = []
  #text: { readonly item: Item; readonly column: number; lines: number } | undefined
  #document: Document | undefined

  constructor(words: readonly string[]) {
    this.#words = new WantedWords(words)
  }

  push(line: RawLine): void {
    const { text } = line
    if (text.trim() === '') {
      this.#blanks++
      return
    }
    if (this.#text !== undefined && !this.#inText(line)) this.#endText()
    if (this.#text === undefined) this.#outside(line, yamlLine(text))
    this.#blanks = 0
  }

  finish(): ConfigOutline {
    this.#endText()
    this.#closeTo(-1)
    this.#endDocument()
    const count = this.#documents > 1 ? countOf(this.#documents, 'document') : countOf(this.#topKeys, 'top-level key')
    return { items: this.#store.finish(), summary: this.#documents > 1 || this.#topKeys > 0 ? count : '' }
  }

  #inText(line: RawLine): boolean {
    const { column, item } = this.#text!
    const { text } = line
    let indent = 0
    while (text.charCodeAt(indent) === 32) indent++
    if (indent <= column) return false
    const index = this.#text!.lines++
    this.#add(line, TEXT, (this.#worth(line.text) * 3) / ((1 + this.#stack.length) * (1 + 0.3 * index)), item)
    return true
  }

  #endText(): void {
    if (this.#text !== undefined && this.#text.lines >= LEAST_COUNT)
      this.#text.item.note = countOf(this.#text.lines, 'line')
    this.#text = undefined
  }

  #outside(line: RawLine, read: YamlLine): void {
    if (read.kind === 'document') {
      this.#closeTo(-1)
      this.#endDocument()
      this.#add(line, KEYS, 0.1, undefined)
      return
    }
    if (read.kind === 'comment') {
      this.#add(line, TEXT, line.number < 4 ? 3 : 0.5, undefined)
      return
    }
    this.#document ??= this.#startDocument()
    const isContinuation = read.kind === 'value' && read.dashes.length === 0
    if (isContinuation) {
      const node = this.#stack.at(-1)
      this.#add(line, TEXT, 0.6 / (1 + this.#stack.length), node?.item)
      return
    }
    const column = read.dashes.length > 0 ? read.dashes[0]! + 0.5 : read.column
    this.#closeTo(column)
    this.#node(line, read)
  }

  #node(line: RawLine, read: YamlLine): void {
    const parent = this.#stack.at(-1)
    const siblings =
      parent === undefined
        ? read.dashes.length > 0
          ? 0
          : this.#topKeys
        : read.dashes.length > 0
          ? parent.dashes
          : parent.keys
    const depth = Math.min(DEEPEST, this.#stack.length)
    // Items of a list resemble each other, keys of a map do not.
    const place = 1 / (1 + (read.dashes.length > 0 ? 0.25 : 0.03) * siblings)
    const isOpen = read.valueStart >= line.text.length
    const opens = isOpen ? 1.3 : 1
    // Documents resemble each other.
    const news = 1 / (1 + 0.1 * Math.max(0, this.#documents - 1))
    const value = DEPTH_WORTH[depth]! * news * place * opens * this.#worth(line.text)
    const item = this.#add(line, KEYS, value, depth < DEEPEST ? parent?.item : undefined)
    item.lone = true
    item.numbered = depth === 0 || (depth === 1 && isOpen)
    if (parent !== undefined) {
      if (read.dashes.length > 0) parent.dashes++
      else parent.keys++
    } else if (read.kind === 'key' && read.dashes.length === 0) this.#topKeys++
    if (depth < 2) this.#name(item, line.text, read, depth)
    for (let index = 0; index < read.dashes.length; index++) {
      if (index > 0) this.#stack.at(-1)!.dashes++
      this.#stack.push({ column: read.dashes[index]! + 0.5, item, keys: 0, dashes: 0 })
    }
    if (read.kind !== 'key') return
    if (read.dashes.length > 0) this.#stack.at(-1)!.keys++
    this.#stack.push({ column: read.column, item, keys: 0, dashes: 0 })
    if (opensText(line.text, read))
      this.#text = { item, column: read.dashes.length > 0 ? read.dashes.at(-1)! : read.column, lines: 0 }
  }

  #name(item: Item, text: string, read: YamlLine, depth: number): void {
    const document = this.#document!
    document.item ??= item
    if (read.kind !== 'key') return
    const key = keyOf(text, read)
    const value = text.slice(read.valueStart, read.valueStart + NAME_UNITS).trim()
    if (depth === 0) {
      document.isMetadata = key === 'metadata'
      if (key === 'kind') document.kind = value
    } else if (depth === 1 && document.isMetadata && key === 'name') document.name = value
  }

  #startDocument(): Document {
    this.#documents++
    return { item: undefined, kind: '', name: '', isMetadata: false }
  }

  #endDocument(): void {
    const document = this.#document
    this.#document = undefined
    const item = document?.item
    if (item === undefined) return
    item.value = FIRST_WORTH
    item.numbered = true
    if (document!.kind !== '') item.note = `${document!.kind} ${document!.name}`.trim()
  }

  #closeTo(column: number): void {
    for (let top = this.#stack.at(-1); top !== undefined && top.column >= column; top = this.#stack.at(-1)) {
      this.#stack.pop()
      if (top.dashes >= LEAST_COUNT && top.item.note === '') top.item.note = countOf(top.dashes, 'item')
    }
  }

  #worth(text: string): number {
    return this.#words.isIn(text) ? ASKED_WORTH : 1
  }

  #add(line: RawLine, part: number, value: number, parent: Item | undefined): Item {
    const item = itemOf(line, this.#blanks, value, part, parent)
    item.lone = part === TEXT && value > 1
    this.#store.add(item)
    return item
  }
}

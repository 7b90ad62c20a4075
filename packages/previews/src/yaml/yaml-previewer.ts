import { writePreview } from '../layout/write-preview.ts'
import { countOf } from '../layout/gap-marks.ts'
import { RawLines, type RawLine } from '../layout/raw-lines.ts'
import type { TextPreviewer, TextSubject } from '../previewer.ts'
import { itemOf, type Item } from '../layout/preview-model.ts'
import { ItemStore } from '../layout/item-store.ts'
import { WantedWords } from '../layout/wanted-words.ts'
import { numberCut, numberNote, withoutNumbers } from '../layout/numbered-lines.ts'

/** Shares of the budget: keys, then text and values of several lines. Unused tokens go to the others. */
const SHARES = [0.85, 0.15]

/** Indices of the parts of a preview. */
const KEYS = 0
const TEXT = 1
/** Factor for sought lines, enough to raise the keys above them. */
const ASKED_WORTH = 40

/**
 * Previews YAML as an outline of its keys by indentation, with line numbers and lengths of lists. Anchors, aliases, and
 * tags are shown unchanged.
 */
export function yamlPreviewer(): TextPreviewer {
  return {
    name: 'yaml',
    previews: 'text',
    recognize: recognizeYaml,
    read: readYaml,
  }
}

function readYaml(subject: TextSubject): ReturnType<TextPreviewer['read']> {
  const reader = new YamlReader(subject.intent.words)
  const numbers = numberCut(subject.start)
  const lines = new RawLines((line) => reader.push(line), numbers?.cut)
  return {
    push: (text) => lines.push(text),
    finish: () => {
      lines.finish()
      const { items, counted } = reader.finish()
      const header = `YAML: ${[countOf(lines.count, 'line'), ...counted, ...numberNote(numbers)].join(', ')}`
      return (options) =>
        writePreview({ items, lines: lines.count, header, shares: SHARES, lineShare: 0.1, endShare: 0 }, options)
    },
  }
}

const LOOKED_AT = 300
const TYPE = /^(?:application|text)\/(?:x-|vnd\.)?yaml$/
const NAME = /\.ya?ml$|(?:^|\/)\.clang-format$/i

/** A time or a level, as in logs. */
const LOGGED =
  /^\s*(?:[[(]?\d{4}-\d\d-\d\d[T ]\d|[[(]?\d\d:\d\d:\d\d|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL)\b)/

/** Almost every line must be YAML. */
export function recognizeYaml(subject: TextSubject): number {
  const { contentType, start, intent } = subject
  const lines = withoutNumbers(subject)
    .slice(0, LOOKED_AT)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
  if (lines.length < 3 || lines.filter((line) => LOGGED.test(line)).length > lines.length * 0.02) return 0
  const isDeclared = TYPE.test(contentType)
  const isKnown = isDeclared || intent.paths.some((path) => NAME.test(path))
  if (isKnown && yamlShare(lines).share >= 0.75) return isDeclared ? 0.95 : 0.92
  if (!isYaml(lines)) return 0
  return /^(?:---|apiVersion: |%YAML)/m.test(start) ? 0.85 : 0.75
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

  finish(): { readonly items: Item[]; readonly counted: readonly string[] } {
    this.#endText()
    this.#closeTo(-1)
    this.#endDocument()
    const counted =
      this.#documents > 1
        ? [countOf(this.#documents, 'document')]
        : this.#topKeys > 0
          ? [countOf(this.#topKeys, 'top-level key')]
          : []
    return { items: this.#store.finish(), counted }
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
const TEXT_HEADER = /(?:^|\s)[|>][+-]?\d?[+-]?\s*(?:#.*)?$/
const KEY_UNITS = 600
const MOST_DASHES = 16

export function yamlLine(line: string): YamlLine {
  const end = Math.min(line.length, KEY_UNITS)
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
  return TEXT_HEADER.test(line.slice(valueStart, KEY_UNITS))
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

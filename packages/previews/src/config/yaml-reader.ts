import { type Item, itemOf } from '../layout/preview-model.ts'
import { countOf } from '../layout/gap-marks.ts'
import { ItemStore } from '../layout/item-store.ts'
import type { RawLine } from '../layout/raw-lines.ts'
import { WantedWords } from '../layout/wanted-words.ts'
import { ASKED_WORTH, KEYS, TEXT, type ConfigOutline } from './config-outline.ts'
import { keyOf, opensText, yamlLine, type YamlLine } from './config-line.ts'

/** Deeper lines count as if they stood at this depth. */
const DEEPEST = 14
/** What a key is worth by its depth. */
const DEPTH_WORTH: readonly number[] = Array.from({ length: DEEPEST + 1 }, (_, depth) => 30 / (1 + depth) ** 2)
/** Fewer items of a list are counted at a glance. */
const LEAST_COUNT = 4

/** What the first line of a document is worth: more than all others. */
const FIRST_WORTH = 240
/** Longest part of a name that is shown. */
const NAME_UNITS = 120

interface Node {
  /** Where it stands: a dash half a column to the right of a key, since it may belong to a key in its own column. */
  readonly column: number
  readonly item: Item
  keys: number
  dashes: number
}

/** What a document of Kubernetes says of itself. */
interface Document {
  item: Item | undefined
  kind: string
  name: string
  isMetadata: boolean
}

/** Reads YAML by its indentation: documents, keys, lists and texts. Anchors, aliases and tags are shown as they stand. */
export class YamlReader {
  readonly #store = new ItemStore()
  readonly #words: WantedWords
  #blanks = 0
  #documents = 0
  #topKeys = 0
  #stack: Node[] = []
  /** The text being read: lines further right than its key belong to it. */
  #text: { readonly item: Item; readonly column: number; lines: number } | undefined
  #document: Document | undefined

  /** @param words - What the agent looks for. */
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
    // The items of a list are alike, the keys of a map are not.
    const place = 1 / (1 + (read.dashes.length > 0 ? 0.25 : 0.03) * siblings)
    const isOpen = read.valueStart >= line.text.length
    const opens = isOpen ? 1.3 : 1
    // What one document has, the next one has as well.
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

  /** Remember what a Kubernetes object says of itself. */
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

  /** Close what stands no further left than a column. */
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

import { countOf, cutAtGrapheme, cutWithMark, estimateTokens, formatCount, TextCodes } from '@spillway/text/internal'
import type { JsonSink } from './json-scan.ts'
import { JsonTokenizer } from './json-tokenizer.ts'
import type { Shape, ValueSummary } from './shape.ts'

/** Largest number of distinct values that are all listed. */
const LISTED = 6
/** Smallest part of a long string that is shown, in UTF-16 units. */
const LEAST_UNITS = 6

export interface ShownValue {
  readonly text: string
  readonly cut: boolean
}

/**
 * Show the only value, a short list, a range of numbers, or the first of many values (`"first"|…`). The result has
 * about `cap` UTF-16 units.
 *
 * @param several - Whether to show as many of the many values as fit.
 */
export function showValues(summary: ValueSummary, cap: number, several: boolean): ShownValue {
  const { values, times, more, numbers, strings, words, firstLength } = summary
  if (!more && values.length === 1) return showScalar(values[0]!, cap, firstLength)
  const few = !more && values.length <= LISTED
  if (few) {
    const repeats = values.length < strings + numbers + words
    const listed = values.map((value, index) => tidy(value) + (repeats ? ` ×${formatCount(times[index]!)}` : ''))
    const text = listed.join('|')
    if (text.length <= cap) return { text, cut: false }
  }
  const parts: string[] = []
  let cut = few
  if (numbers > 0) parts.push(`${summary.leastText}..${summary.mostText}`)
  if (strings > 0) {
    const texts = values.filter(isString)
    const first = texts[0] ?? '""'
    const scalar = showScalar(first, cap, first === values[0] ? firstLength : first.length)
    const shown = [scalar.text]
    cut ||= scalar.cut
    let left = cap - scalar.text.length
    for (const value of several ? texts.slice(1) : []) {
      left -= value.length + 1
      if (left < 0) cut = true
      else shown.push(tidy(value))
    }
    parts.push(...shown, ...(more || texts.length > shown.length ? ['…'] : []))
  }
  if (words > 0) parts.push(...values.filter((value) => /^[A-Za-z]/.test(value)))
  return { text: parts.join('|'), cut }
}

export function isString(value: string): boolean {
  return value.startsWith('"') || value.startsWith("'")
}

/** @param length - Length of the whole value, if `value` is only its start. */
export function showScalar(value: string, cap: number, length: number = value.length): ShownValue {
  if (!isString(value) || (length <= cap && value.length >= length)) return { text: tidy(value), cut: false }
  const quote = value[0]!
  const start = cutEscape(
    cutAtGrapheme(value.slice(1, value.length < length ? undefined : -1), Math.max(cap, LEAST_UNITS)),
  )
  const rest = length - 2 - start.length
  if (rest <= 0) return { text: tidy(value), cut: false }
  return { text: `${quote}${tidy(start)}[… ${formatCount(rest)} more]${quote}`, cut: true }
}

/** Remove an incomplete escape from the end of a text. */
export function cutEscape(raw: string): string {
  let backslashes = 0
  const at = raw.lastIndexOf('\\')
  if (at < raw.length - 5 || at < 0) return raw
  while (raw[at - backslashes] === '\\') backslashes++
  if (backslashes % 2 === 0) return raw
  const cut = at === raw.length - 1 || (raw[at + 1] === 'u' && raw.length - at < 6)
  return cut ? raw.slice(0, at) : raw
}

/** Decode escapes of characters outside ASCII, except characters that control a terminal. */
export function tidy(raw: string): string {
  if (!/[\\\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]/.test(raw)) return raw
  const text = raw.replace(/\\\\|\\\/|\\u([\da-f]{4})/gi, (escape: string, hex: string | undefined) => {
    if (hex === undefined) return escape === '\\/' ? '/' : escape
    const code = Number.parseInt(hex, 16)
    return code < 0xa0 || (code >= 0x2028 && code <= 0x202f) ? escape : String.fromCharCode(code)
  })
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').toWellFormed()
}

const KEY_UNITS = 160
/** Number of lines from which the position of an array is shown. */
const LONG_ARRAY = 20
/** A node of the outline: a key, the members of a map, or the items of an array. */
export interface SkeletonNode {
  readonly shape: Shape
  /** Name of the node. Empty for the items of an array. */
  readonly label: string
  readonly parent: SkeletonNode | undefined
  readonly level: number
  index: number
  readonly kids: SkeletonNode[]
  /** First names of the members of a map. */
  readonly names: readonly string[]
  /** Number of tokens of the key, brackets, and counts, without the content. */
  readonly tokens: number
  /** Whether no earlier node has this key. */
  novel: boolean
}

/** Return the nodes of the outline level by level, starting with the root. */
export function skeletonNodes(root: Shape): SkeletonNode[] {
  const first = makeNode(root, '', undefined, 0)
  const nodes = [first]
  const known = new Set<string>()
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index]!
    node.index = index
    const { shape, level } = node
    node.novel = node.label !== '' && !known.has(shape.key)
    known.add(shape.key)
    const add = (kid: Shape, label: string): void => {
      // The only item of the only array is as deep as the array.
      const isOnly = label === '' && shape.seen === 1 && shape.mostItems === 1
      const made = makeNode(kid, label, node, isOnly ? level : level + 1)
      node.kids.push(made)
      nodes.push(made)
    }
    if (shape.item !== undefined) add(shape.item, '')
    for (const field of shape.fields?.values() ?? [])
      add(field, showMember(shape, field.key) + (field.seen < (shape.isRow ? shape.arrays : shape.objects) ? '?' : ''))
    if (shape.others !== undefined) add(shape.others, '*')
  }
  return nodes
}

function makeNode(shape: Shape, label: string, parent: SkeletonNode | undefined, level: number): SkeletonNode {
  const names = shape.names === undefined ? [] : [...shape.names]
  const counts = [shape.objects > 0 ? keyCount(shape) : '', shape.arrays > 0 ? itemCount(shape) : ''].join('')
  const brackets = (shape.objects > 0 ? 2 : 0) + (shape.arrays > 0 ? 3 : 0)
  const tokens = estimateTokens(label) + (label === '' ? 0 : 1) + brackets + estimateTokens(counts)
  return { shape, label, parent, level, index: 0, kids: [], names, tokens, novel: false }
}

/** Return the number of items, for example `0-12 items`. For a long array, the text includes the line of its start. */
export function itemCount(shape: Shape): string {
  const { leastItems: least, mostItems: most, startLine, endLine } = shape
  if (most === 0) return ''
  if (least < most) return `${formatCount(least)}-${formatCount(most)} items`
  const place = shape.arrays === 1 && endLine - startLine >= LONG_ARRAY ? ` from line ${startLine}` : ''
  return countOf(most, 'item') + place
}

export function keyCount(shape: Shape): string {
  if (shape.others === undefined) return ''
  const { leastKeys: least, mostKeys: most } = shape
  return least === most ? `${formatCount(most)} keys` : `${formatCount(least)}-${formatCount(most)} keys`
}

/** Return the keys of a path from `root`, with the names or positions of columns. */
export function showKeys(keys: readonly string[], root: Shape): string {
  let shape: Shape | undefined = root
  let shown = ''
  for (const key of keys) {
    const name = key === '' ? '[]' : shape === undefined ? showKey(key) : showMember(shape, key)
    shown += shown === '' || name.startsWith('[') ? name : `.${name}`
    shape = shape?.at([key])
  }
  return shown
}

function showMember({ isRow, columnNames }: Shape, key: string): string {
  const name = isRow ? columnNames?.[Number(key)] : key
  return name === undefined ? `[${key}]` : showKey(name)
}

/** Return a key as it is shown. Names without special characters have no quotes. */
export function showKey(key: string): string {
  if (/^[\p{L}\p{N}_$][\p{L}\p{N}_$./-]*$/u.test(key) && key.length <= KEY_UNITS) return key
  return key.length <= KEY_UNITS ? `"${tidy(key)}"` : `"${tidy(key.slice(0, KEY_UNITS))}…"`
}

/** Largest depth of shown values in an entry. */
const DEEPEST = 4
/** Key of all items of an array. */
const ITEM = '[]'
const MOST_ITEMS = 8
/** Separator of joined keys, which never occurs unescaped in a JSON key. */
export const KEY_SEPARATOR = '\u0000'
const entryCodes = new TextCodes()

/** Simple values of an entry by their joined keys. The value of an array is its items or its length. */
export type Cells = ReadonlyMap<string, string>

/** Parse an entry. If its text was cut, parsing ends at the cut. */
export function readEntry(
  text: string,
  isMember: boolean,
  isRow: boolean,
): { readonly name: string; readonly cells: Cells } {
  const reader = new EntryReader()
  reader.isRow = isRow
  const tokenizer = new JsonTokenizer(reader, entryCodes)
  // The bracket turns the entry into a JSON document.
  tokenizer.push(isMember ? '{' : '[')
  tokenizer.push(text)
  tokenizer.finish()
  return { name: isMember ? reader.name : '', cells: reader.cells }
}

class EntryReader implements JsonSink {
  readonly cells = new Map<string, string>()
  /** Whether the entry is an array whose items have columns. */
  isRow = false
  name = ''
  /** Joined keys of each open level, without the key of the entry. The key of an array item is `[]`. */
  readonly #paths: string[] = []
  readonly #arrays: boolean[] = []
  readonly #counts: number[] = []
  /** The first items of each open array. `undefined` if the array has items that are not simple values. */
  readonly #items: (string[] | undefined)[] = []
  #key = ''
  #long = ''

  open(isObject: boolean): void {
    this.#count()
    if (this.#items.length > 0) this.#items[this.#items.length - 1] = undefined
    this.#items.push([])
    if (this.#arrays.length > 0) this.#paths.push(this.#below(this.#arrays.at(-1)! ? ITEM : this.#key))
    this.#arrays.push(!isObject && !(this.isRow && this.#arrays.length === 1))
    this.#counts.push(0)
  }

  close(): void {
    const isArray = this.#arrays.pop()
    const count = this.#counts.pop()!
    const items = this.#items.pop()
    if (isArray && this.#arrays.length > 0) {
      const more = items !== undefined && count > items.length ? ', …' : ''
      this.#set(
        this.#paths.at(-1)!,
        items === undefined ? `[${countOf(count, 'item')}]` : `[${items.join(', ')}${more}]`,
      )
    }
    this.#paths.pop()
  }

  key(text: string, start: number, end: number): void {
    this.#key = text.slice(start, end)
    if (this.#arrays.length === 1) this.name = this.#key
  }

  string(text: string, start: number, end: number): void {
    this.#value(`"${text.slice(start, end)}"`)
  }

  openString(): void {
    this.#long = ''
  }

  stringPart(text: string, start: number, end: number): void {
    if (this.#long === '') this.#long = text.slice(start, Math.min(end, start + 4_096))
  }

  closeString(): void {
    this.#value(`"${this.#long}"`)
  }

  plain(text: string, start: number, end: number): void {
    this.#value(text.slice(start, end))
  }

  #count(): void {
    if (this.isRow && this.#counts.length === 2) this.#key = String(this.#counts[1])
    if (this.#counts.length > 0) this.#counts[this.#counts.length - 1]!++
  }

  #value(raw: string): void {
    this.#count()
    const items = this.#items.at(-1)
    if (items !== undefined && items.length < MOST_ITEMS) items.push(raw)
    const isItem = this.#arrays.at(-1) === true
    if (isItem && this.#paths.length > 0) return
    this.#set(isItem || this.#key === '' ? (this.#paths.at(-1) ?? '') : this.#below(this.#key), raw)
  }

  /** Return the joined keys of a value in the innermost open level. */
  #below(key: string): string {
    if (this.#paths.length < 2) return this.#paths.length === 0 ? '' : key
    return `${this.#paths.at(-1)!}${KEY_SEPARATOR}${key}`
  }

  #set(path: string, raw: string): void {
    if (this.#paths.length <= DEEPEST && !path.includes(ITEM) && !this.cells.has(path)) this.cells.set(path, raw)
  }
}

/** Longest shown value in a row, in UTF-16 units. */
export const CELL_UNITS = 56

/** Show a value. Its quotes are kept if it would otherwise look like several values, or like no value. */
export function showCell(raw: string, units: number = CELL_UNITS): string {
  if (!raw.startsWith('"')) return cutWithMark(tidy(raw), units)
  const { text, cut } = showScalar(raw, units)
  return cut || raw.length === 2 || /[,|\n]|^"\s|\s"$/.test(raw) ? text : text.slice(1, -1)
}

import { countOf, TextCodes } from '@spillway/text/internal'
import type { JsonSink } from './json-scan.ts'
import { JsonTokenizer } from './json-tokenizer.ts'

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

  reading(): void {}
  read(): void {}
  stray(): void {}
  abandon(): void {}

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

  number(text: string, start: number, end: number): void {
    this.#value(text.slice(start, end))
  }

  word(text: string, start: number, end: number): void {
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

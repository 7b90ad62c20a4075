import { countOf } from '../layout/gap-marks.ts'
import { JsonTokenizer } from './json-tokenizer.ts'
import type { JsonSink } from './json-scan.ts'

/** Deepest object of an entry that is looked into. */
const DEEPEST = 4
/** Keys of an array that lead to its items stand for all items. */
const ITEM = '[]'
/** Simple items of an array that are kept. */
const MOST_ITEMS = 8

/** Joins the keys that lead to a value: no key of JSON has this character unescaped. */
export const KEY_SEPARATOR = '\u0000'

/** The simple values of an entry, by the keys that lead to them, joined; of an array, its items or its length. */
export type Cells = ReadonlyMap<string, string>

/** Read the simple values of an item of an array, or of a member of an object, as far as its text goes. */
export function readEntry(text: string, isMember: boolean): { readonly name: string; readonly cells: Cells } {
  const reader = new EntryReader()
  const tokenizer = new JsonTokenizer(reader)
  // Brackets make an entry a document of its own, whatever it is.
  tokenizer.push(isMember ? '{' : '[')
  tokenizer.push(text)
  tokenizer.finish()
  return { name: isMember ? reader.name : '', cells: reader.cells }
}

class EntryReader implements JsonSink {
  readonly cells = new Map<string, string>()
  name = ''
  /** The keys that lead to what is open; in an array, `[]`. */
  readonly #path: string[] = []
  readonly #arrays: boolean[] = []
  readonly #counts: number[] = []
  /** Of each open array, its first simple items; `undefined` where it has others. */
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
    if (this.#arrays.length > 0) this.#path.push(this.#arrays.at(-1)! ? ITEM : this.#key)
    this.#arrays.push(!isObject)
    this.#counts.push(0)
  }

  close(): void {
    const isArray = this.#arrays.pop()
    const count = this.#counts.pop()!
    const items = this.#items.pop()
    if (isArray && this.#arrays.length > 0) {
      const more = items !== undefined && count > items.length ? ', …' : ''
      this.#set(this.#at(''), items === undefined ? `[${countOf(count, 'item')}]` : `[${items.join(', ')}${more}]`)
    }
    this.#path.pop()
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
    if (this.#counts.length > 0) this.#counts[this.#counts.length - 1]!++
  }

  #value(raw: string): void {
    this.#count()
    const items = this.#items.at(-1)
    if (items !== undefined && items.length < MOST_ITEMS) items.push(raw)
    this.#set(this.#at(this.#arrays.at(-1) === true ? ITEM : this.#key), raw)
  }

  /** The path below the entry itself. */
  #at(key: string): string {
    const path = key === '' ? this.#path : [...this.#path, key]
    return path.slice(1).join(KEY_SEPARATOR)
  }

  #set(path: string, raw: string): void {
    if (this.#path.length <= DEEPEST && !path.includes(ITEM) && !this.cells.has(path)) this.cells.set(path, raw)
  }
}

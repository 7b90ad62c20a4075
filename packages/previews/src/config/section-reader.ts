import { type Item, itemOf } from '../layout/preview-model.ts'
import { countOf } from '../layout/gap-marks.ts'
import { ItemStore } from '../layout/item-store.ts'
import type { RawLine } from '../layout/raw-lines.ts'
import { WantedWords } from '../layout/wanted-words.ts'
import { assignedKey, sectionName, type ConfigDialect } from './config-line.ts'
import { ASKED_WORTH, KEYS, TEXT, type ConfigOutline } from './config-outline.ts'

/** Deeper blocks count as this depth. */
const DEEPEST = 14
/** Fewer keys are easily counted by eye. */
const LEAST_COUNT = 6
/** Section names that are counted. */
const NAMES = 4_096

interface Block {
  readonly item: Item | undefined
  keys: number
}

export class SectionReader {
  readonly #store = new ItemStore()
  readonly #hasBraces: boolean
  readonly #words: WantedWords
  readonly #names = new Map<string, number>()
  #blanks = 0
  #sections = 0
  #keys = 0
  #blocks: Block[] = [{ item: undefined, keys: 0 }]
  #deeper = 0
  #key: Item | undefined

  constructor(dialect: ConfigDialect, words: readonly string[]) {
    this.#hasBraces = dialect === 'braces'
    this.#words = new WantedWords(words)
  }

  push(line: RawLine): void {
    const text = line.text.trim()
    if (text === '') {
      this.#blanks++
      return
    }
    const first = text.charCodeAt(0)
    if (first === 35 || first === 59 || text.startsWith('//'))
      this.#add(line, TEXT, line.number < 4 ? 3 : 0.5, undefined)
    else if (this.#hasBraces) this.#braced(line, text)
    else this.#listed(line, text)
    this.#blanks = 0
  }

  finish(): ConfigOutline {
    while (this.#blocks.length > 0) this.#close()
    const counts = [
      ...(this.#sections > 0 ? [countOf(this.#sections, this.#hasBraces ? 'block' : 'section')] : []),
      ...(this.#keys > 0 ? [countOf(this.#keys, 'key')] : []),
    ]
    return { items: this.#store.finish(), summary: counts.join(', ') }
  }

  #listed(line: RawLine, text: string): void {
    const name = sectionName(text)
    if (name !== undefined) {
      while (this.#blocks.length > 1) this.#close()
      this.#open(line, this.#alike(name))
    } else if (assignedKey(text) !== undefined) this.#assign(line)
    else this.#continue(line)
  }

  #braced(line: RawLine, text: string): void {
    const last = text.charAt(text.length - 1)
    if (text.startsWith('}')) this.#shut()
    if (last === '{') this.#open(line, this.#blocks.length === 1 ? 0 : this.#blocks.at(-1)!.keys++)
    else if (text.startsWith('}')) this.#add(line, TEXT, 0.01, undefined)
    else if (last === ';' || assignedKey(text) !== undefined) this.#assign(line)
    else this.#continue(line)
  }

  /** Sections of an array of tables resemble each other. */
  #alike(name: string): number {
    const count = this.#names.get(name) ?? 0
    if (count > 0 || this.#names.size < NAMES) this.#names.set(name, count + 1)
    return count
  }

  #open(line: RawLine, alike: number): void {
    this.#sections++
    const depth = this.#blocks.length - 1
    const value = ((30 / (1 + depth) ** 1.5) * this.#worth(line.text)) / (1 + 0.1 * alike)
    const item = this.#add(line, KEYS, value, this.#blocks.at(-1)!.item)
    item.numbered = true
    item.lone = true
    this.#key = undefined
    if (this.#blocks.length <= DEEPEST) this.#blocks.push({ item, keys: 0 })
    else this.#deeper++
  }

  #shut(): void {
    if (this.#deeper > 0) this.#deeper--
    else if (this.#blocks.length > 1) this.#close()
  }

  #close(): void {
    const { item, keys } = this.#blocks.pop()!
    if (item !== undefined && keys >= LEAST_COUNT) item.note = countOf(keys, 'key')
  }

  #assign(line: RawLine): void {
    this.#keys++
    const block = this.#blocks.at(-1)!
    const depth = this.#blocks.length - (block.item === undefined ? 1 : 0)
    const value = ((20 / (1 + depth) ** 1.3) * this.#worth(line.text)) / (1 + 0.08 * block.keys++)
    this.#key = this.#add(line, KEYS, value, block.item)
    this.#key.lone = true
  }

  #continue(line: RawLine): void {
    this.#add(line, TEXT, 0.8 * this.#worth(line.text), this.#key ?? this.#blocks.at(-1)!.item)
  }

  #worth(text: string): number {
    return this.#words.isIn(text) ? ASKED_WORTH : 1
  }

  #add(line: RawLine, part: number, value: number, parent: Item | undefined): Item {
    const item = itemOf(line, this.#blanks, value, part, parent)
    this.#store.add(item)
    return item
  }
}

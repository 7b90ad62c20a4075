import { cleanLine } from '@spillway/text/internal'
import { decodeReferences } from './character-references.ts'
import { MarkupTokenizer, type MarkupHandler } from './markup-tokenizer.ts'
import type { PageBlock } from './page-block.ts'

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/** Elements whose content is text for machines (HTML Living Standard, "raw text"). */
const RAW = setOf('script style textarea noscript iframe noembed noframes xmp')
/** Elements that are left out with all that stands in them. */
const LEFT_OUT = setOf('script style textarea noscript iframe noembed noframes svg math template select nav footer')
const INLINE = setOf(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark q s samp small span strike ' +
    'strong sub sup time tt u var wbr',
)
/** UTF-16 units of text that are kept; of what comes after, the size is counted. */
const MAX_KEPT = 1_048_576
const MAX_BLOCKS = 32_768
const MAX_BLOCK = 16_384
const MAX_TITLE = 512

/** The text of a page, without its tags. */
export interface HtmlText {
  readonly title: string
  readonly blocks: readonly PageBlock[]
  readonly lines: number
  /** Whether text at the end was not kept. */
  readonly isPart: boolean
}

/** Takes the tags out of a page, and keeps its title, its headings and its text in order. */
export class HtmlTextReader implements MarkupHandler {
  readonly #tokens = new MarkupTokenizer(this, RAW, false)
  readonly #blocks: PageBlock[] = []
  #title = ''
  #inTitle = false
  #level = 0
  #isItem = false
  #cells = 0
  /** The element that is left out, and how many of its name are open. */
  #leftOut = ''
  #leftOpen = 0
  #parts: string[] = []
  #length = 0
  #line = 0
  #kept = 0
  #isPart = false

  /** Take in the next piece. */
  push(text: string): void {
    this.#tokens.push(text)
  }

  /** End the page; `lines` is how many it has. */
  finish(lines: number): HtmlText {
    this.#tokens.finish()
    this.#flush()
    const title = cleanLine(decodeReferences(this.#title).replace(/\s+/g, ' ')).trim().toWellFormed()
    return { title, blocks: this.#blocks, lines, isPart: this.#isPart }
  }

  open(tag: string, _: string, isEmpty: boolean): void {
    const name = tag.toLowerCase()
    if (this.#leftOut !== '') {
      if (name === this.#leftOut && !isEmpty) this.#leftOpen++
      return
    }
    if (LEFT_OUT.has(name)) {
      if (isEmpty) return
      this.#flush()
      this.#leftOut = name
      this.#leftOpen = 1
    } else if (name === 'title') this.#inTitle = this.#title === ''
    else if (name === 'td' || name === 'th') {
      if (this.#cells++ > 0 && this.#length > 0) this.#parts.push(' | ')
    } else if (!INLINE.has(name)) {
      if (name === 'br' && this.#length > 0) this.#parts.push(' ')
      else this.#flush()
      if (/^h[1-6]$/.test(name)) this.#level = Number(name[1])
      if (name === 'li') this.#isItem = true
      if (name === 'tr') this.#cells = 0
    }
  }

  close(tag: string): void {
    const name = tag.toLowerCase()
    if (this.#leftOut !== '') {
      if (name === this.#leftOut && --this.#leftOpen === 0) this.#leftOut = ''
      return
    }
    if (name === 'title') this.#inTitle = false
    else if (!INLINE.has(name) && name !== 'td' && name !== 'th') {
      this.#flush()
      if (/^h[1-6]$/.test(name)) this.#level = 0
    }
  }

  text(text: string, line: number): void {
    if (this.#leftOut !== '') return
    if (this.#inTitle) {
      if (this.#title.length < MAX_TITLE) this.#title += text.slice(0, MAX_TITLE)
      return
    }
    const first = text.search(/\S/)
    if (first < 0 && this.#length === 0) return
    if (this.#length === 0) {
      this.#line = line
      for (let at = text.indexOf('\n'); at >= 0 && at < first; at = text.indexOf('\n', at + 1)) this.#line++
    }
    this.#parts.push(text)
    this.#length += text.length
    if (this.#length >= MAX_BLOCK) this.#flush()
  }

  #flush(): void {
    if (this.#length === 0) return
    const isFull = this.#kept >= MAX_KEPT || this.#blocks.length >= MAX_BLOCKS
    const text = isFull
      ? ''
      : cleanLine(decodeReferences(this.#parts.join('')).replace(/\s+/g, ' '))
          .trim()
          .toWellFormed()
    if (isFull) this.#isPart = true
    this.#parts = []
    this.#length = 0
    if (text === '') return
    this.#kept += text.length
    const level = this.#level > 0 ? this.#level : this.#isItem ? 1 : 0
    const kind = this.#level > 0 ? 'heading' : this.#isItem ? 'item' : this.#cells > 1 ? 'row' : 'text'
    this.#blocks.push({ kind, level, text, line: this.#line })
    this.#isItem = false
  }
}

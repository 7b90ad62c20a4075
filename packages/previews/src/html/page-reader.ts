import type { Tokenizer, TokenizerCallbacks } from 'htmlparser2'
import { ELEMENT_KINDS, elementKind, type ElementKind } from './element-kind.ts'
import { elementMarks, READ_ATTRIBUTES } from './element-marks.ts'
import type { Page } from './page.ts'
import { PageBuilder } from './page-builder.ts'

/** Elements nested deeper are read as text of the ones above. */
const MAX_DEPTH = 2_048
/** Elements above the innermost that an end tag is compared with. */
const MAX_REACH = 256
/** The same for ends that are implied: what they end is near. */
const MAX_IMPLIED_REACH = 16
/** Longest name of an element, and longest value of an attribute, that is read, in UTF-16 units. */
const MAX_NAME = 32
const MAX_VALUE = 1_024

const READ_LENGTHS: ReadonlySet<number> = new Set([...READ_ATTRIBUTES].map(({ length }) => length))
const PARAGRAPH = elementKind('p')
const LINE_BREAK = elementKind('br')
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map()

/**
 * Read a page of HTML into its blocks of text, and the elements that these stand in.
 *
 * Time grows with the length alone: the elements that are open are a stack of bounded depth, of which bounded parts are
 * searched.
 *
 * @param tokenizer - That of htmlparser2. Its parser keeps open elements in an array that it shifts with every tag, which
 *   takes minutes for a million nested elements.
 */
export function readPage(source: string, tokenizer: typeof Tokenizer): Page {
  const builder = new PageBuilder(source)
  const tokens = new tokenizer({}, new PageReader(source, builder))
  // Between elements of HTML, `<![CDATA[` begins a comment that ends at the next ">" (HTML Living Standard, "bogus
  // comment"); the tokenizer looks for "]]>". As another comment of the same length, all offsets stay.
  tokens.write(source.includes('<![CDATA[') ? source.replaceAll('<![CDATA[', '<!CDATA[[') : source)
  tokens.end()
  return builder.finish()
}

/** Makes of the tokens of a page which elements begin and end, also where no tag says so. */
class PageReader implements TokenizerCallbacks {
  readonly #source: string
  readonly #builder: PageBuilder
  readonly #open: ElementKind[] = []
  /** How many elements of each kind are open. */
  readonly #counts = new Int32Array(ELEMENT_KINDS)
  /** Open elements that are nested too deep. */
  #beyond = 0
  /** The depth of the element whose content is not seen; 0 where all is. */
  #unseen = 0
  #kind = elementKind('')
  #attributes: Map<string, string> | undefined
  #attribute = ''
  #value = ''

  constructor(source: string, builder: PageBuilder) {
    this.#source = source
    this.#builder = builder
  }

  onopentagname(start: number, end: number): void {
    this.#kind = elementKind(this.#source.slice(start, Math.min(end, start + MAX_NAME)))
    this.#attributes = undefined
  }

  onattribname(start: number, end: number): void {
    this.#attribute = ''
    if (this.#unseen > 0 || !READ_LENGTHS.has(end - start)) return
    const name = this.#source.slice(start, end).toLowerCase()
    // The first of several attributes of the same name counts.
    if (!READ_ATTRIBUTES.has(name) || this.#attributes?.has(name)) return
    this.#attribute = name
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute === '' || this.#value.length >= MAX_VALUE) return
    this.#value += this.#source.slice(start, Math.min(end, start + MAX_VALUE))
  }

  onattribentity(codepoint: number): void {
    if (this.#attribute !== '' && this.#value.length < MAX_VALUE) this.#value += String.fromCodePoint(codepoint)
  }

  onattribend(): void {
    if (this.#attribute === '') return
    this.#attributes ??= new Map()
    this.#attributes.set(this.#attribute, this.#value)
    this.#attribute = ''
  }

  /** In HTML the slash means nothing: only void elements have no content. */
  onselfclosingtag(): void {
    this.onopentagend()
  }

  onopentagend(): void {
    const kind = this.#kind
    if (kind.isVoid) {
      if (this.#unseen === 0) this.#builder.mark(kind)
      return
    }
    if (kind.ends !== undefined || (kind.isBlock && this.#counts[PARAGRAPH.id]! > 0)) this.#endImplied(kind)
    if (this.#open.length >= MAX_DEPTH) {
      this.#beyond++
      return
    }
    this.#open.push(kind)
    this.#counts[kind.id]!++
    if (this.#unseen > 0) return
    // Headings that unfold what is below them are often made of buttons.
    if (kind.isUnseen && !(kind.name === 'button' && this.#builder.inEmptyHeading)) this.#unseen = this.#open.length
    this.#builder.open(kind, elementMarks(kind, this.#attributes ?? NO_ATTRIBUTES))
  }

  onclosetag(start: number, end: number): void {
    const kind = elementKind(this.#source.slice(start, Math.min(end, start + MAX_NAME)))
    if (this.#beyond > 0) {
      this.#beyond--
      return
    }
    if (this.#counts[kind.id] === 0) {
      // An end without a start: of a paragraph it stands for an empty one, of a line break for the break.
      if (this.#unseen === 0 && (kind === PARAGRAPH || kind === LINE_BREAK)) this.#builder.mark(LINE_BREAK)
      return
    }
    const isScoped = kind.ends !== undefined || kind === PARAGRAPH
    const least = Math.max(0, this.#open.length - MAX_REACH)
    for (let at = this.#open.length - 1; at >= least; at--) {
      const open = this.#open[at]!
      if (open === kind) {
        this.#closeTo(at)
        return
      }
      if (isScoped && open.isScope) return
    }
  }

  ontext(start: number, end: number): void {
    if (this.#unseen === 0) this.#builder.text(this.#source.slice(start, end), start)
  }

  ontextentity(codepoint: number, end: number): void {
    if (this.#unseen === 0) this.#builder.text(String.fromCodePoint(codepoint), end - 1)
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}

  onend(): void {
    this.#closeTo(0)
  }

  /** End what the start of an element ends: a list item the one before it, a block the paragraph before it. */
  #endImplied(kind: ElementKind): void {
    const least = Math.max(0, this.#open.length - MAX_IMPLIED_REACH)
    for (let at = this.#open.length - 1; at >= least; at--) {
      const open = this.#open[at]!
      if (kind.ends?.has(open.name) || (kind.isBlock && open === PARAGRAPH)) {
        // The outermost of those that end: a row ends its last cell, and the row before it.
        let outermost = at
        while (outermost > 0 && kind.ends?.has(this.#open[outermost - 1]!.name)) outermost--
        this.#closeTo(outermost)
        return
      }
      if (open.isScope) return
    }
  }

  #closeTo(depth: number): void {
    while (this.#open.length > depth) {
      const kind = this.#open.pop()!
      this.#counts[kind.id]!--
      if (this.#unseen > this.#open.length) this.#unseen = 0
      else if (this.#unseen > 0) continue
      this.#builder.close(kind)
    }
  }
}

import { MarkupTokenizer, type MarkupHandler } from '../markup/markup-tokenizer.ts'
import { ELEMENT_KINDS, elementKind, type ElementKind } from './element-kind.ts'
import { elementMarks } from './element-marks.ts'
import type { Page } from './page.ts'
import { PageBuilder } from './page-builder.ts'

/** Elements nested deeper are read as text of the ones above. */
const MAX_DEPTH = 2_048
/** Elements above the innermost that an end tag is compared with. */
const MAX_REACH = 256
/** The same for ends that are implied: what they end is near. */
const MAX_IMPLIED_REACH = 16
/** Longest name of an element that is read, in UTF-16 units. */
const MAX_NAME = 32

/** Elements whose content is text up to their end tag (HTML Living Standard, "raw text" and "escapable raw text"). */
const RAW: ReadonlySet<string> = new Set('script style title textarea noscript iframe noembed noframes xmp'.split(' '))
const PARAGRAPH = elementKind('p')
const LINE_BREAK = elementKind('br')

/**
 * Reads a page of HTML into its blocks of text, and the elements that these stand in: which elements begin and end, also
 * where no tag says so.
 *
 * Time grows with the length alone: the elements that are open are a stack of bounded depth, of which bounded parts are
 * searched.
 */
export class PageReader implements MarkupHandler {
  readonly #tokens = new MarkupTokenizer(this, RAW, false)
  readonly #builder = new PageBuilder()
  readonly #open: ElementKind[] = []
  /** How many elements of each kind are open. */
  readonly #counts = new Int32Array(ELEMENT_KINDS)
  /** Open elements that are nested too deep. */
  #beyond = 0
  /** The depth of the element whose content is not seen; 0 where all is. */
  #unseen = 0

  /** Take in the next piece. */
  push(text: string): void {
    this.#tokens.push(text)
  }

  /** End the page; `lines` is how many it has. */
  finish(lines: number): Page {
    this.#tokens.finish()
    this.#closeTo(0)
    return this.#builder.finish(lines)
  }

  open(name: string, attributes: string, isEmpty: boolean): void {
    const kind = elementKind(name.slice(0, MAX_NAME))
    // In HTML the slash means nothing, but drawings, formulas and pages in XHTML end elements with it.
    if (kind.isVoid || (isEmpty && kind.isUnseen)) {
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
    this.#builder.open(kind, elementMarks(kind, attributes))
  }

  close(name: string): void {
    const kind = elementKind(name.slice(0, MAX_NAME))
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

  text(text: string, line: number): void {
    if (this.#unseen === 0) this.#builder.text(text, line)
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

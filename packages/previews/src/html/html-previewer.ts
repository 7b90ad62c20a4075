import { perSubject, yieldWhenDue } from '@spillway/text/internal'
import { LineCounter } from '../layout/line-counter.ts'
import type { Caller, TextPreviewer, TextReader, TextSubject } from '../previewer.ts'
import { MARK_ARTICLE, MARK_ASIDE, MARK_HIDDEN, MARK_MAIN, MARK_NAMED_ASIDE, elementMarks } from './element-marks.ts'
import type { Page, PageBlock, PageElement } from './page.ts'
import { MarkupTokenizer, type MarkupHandler } from '../markup/markup-tokenizer.ts'
import { ELEMENT_KINDS, elementKind, type ElementKind } from './element-kind.ts'
import { PageBuilder } from './page-builder.ts'

/**
 * Previews an HTML page: its title and its main content as Markdown. The end of the preview lists headings of hidden
 * text with their lines. If the page has more other text than main content, the preview also shows the other text, if
 * it fits.
 *
 * Links are shown by their text. Pages without text, for example those that scripts create, are left to the next
 * previewer.
 */
export function htmlPreviewer(): TextPreviewer {
  return { name: 'html', previews: 'text', recognize: recognizeHtml, read: readHtml }
}

function readHtml({ intent, caller }: TextSubject & Caller): TextReader {
  const reader = new PageReader()
  const counter = new LineCounter()
  return {
    push: (text) => {
      reader.push(text)
      counter.push(text)
    },
    finish: async () => {
      const page = reader.finish(counter.lines)
      await yieldWhenDue(caller)
      const main = mainContent(page)
      if (main.length === 0) return undefined
      const { title, lines, isPart } = page
      await yieldWhenDue(caller)
      const rest = await aroundMain(page, main, caller)
      const { writePage } = await import('./write-page.ts')
      return (options) => writePage({ title, main, rest, lines, isPart, words: intent.words }, options)
    },
  }
}

/** Matches paths of source files that contain markup but are code. */
const CODE_PATH =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|php|erb|ejs|hbs|jinja2?|j2|twig|liquid|njk|mdx?|markdown|rst|adoc|xml|xsl|xslt|svg|rss|atom|xaml|csproj|pug)$/i
/** Matches start tags of common HTML elements. */
const BLOCK_TAG =
  /<(?:div|p|ul|ol|li|table|tr|td|h[1-6]|section|article|main|nav|header|footer|span|a|br|img|head|meta|link|body|form)(?=[\s>/])[^<>]{0,2000}>/gi

export const recognizeHtml: (subject: TextSubject) => number = perSubject(rateHtml)

function rateHtml({ contentType, start, intent }: TextSubject): number {
  if (intent.paths.some((path) => CODE_PATH.test(path))) return 0
  const text = start.charCodeAt(0) === 0xfeff ? start.slice(1) : start
  const first = text.search(/\S/)
  if (first < 0 || text[first] !== '<') return 0
  const declared = contentType === 'text/html' || contentType === 'application/xhtml+xml'
  const lead = text.slice(first, first + 4_096).replace(/^(?:<\?xml[^<>]{0,200}\?>|<!--[^]*?-->|\s)+/, '')
  if (/^<!doctype\s+html|^<html[\s>]/i.test(lead)) return declared ? 0.97 : 0.93
  if (/^<(?:\?|!doctype|!\[)/i.test(lead)) return 0
  const tags = text.match(BLOCK_TAG)?.length ?? 0
  if (declared) return tags >= 2 ? 0.95 : 0
  if (/^<\/?[a-z][\w.-]*:/i.test(lead)) return 0
  return tags >= 12 && tags * 250 > text.length ? 0.7 : 0
}

/** Marks of elements to leave out. Elements with this share of the prose are kept, for example a form around a page. */
const LEFT_OUT: readonly (readonly [mark: number, belowShare: number])[] = [
  [MARK_HIDDEN, 0.5],
  [MARK_ASIDE, 0.5],
  [MARK_NAMED_ASIDE, 0.35],
]
/** Smallest share of the prose in an element that is chosen as content: `main`, an article, or any other element. */
const MAIN_SHARE = 0.4
const ARTICLE_SHARE = 0.6
const ANY_SHARE = 0.85
/**
 * Smallest length of prose without links, in UTF-16 units, and weights of other text, of long links, and of short
 * links.
 */
const PROSE_UNITS = 60
const OTHER_WORTH = 0.1
const LINKED_WORTH = 0.15
const LINK_WORTH = 0.05
/** Largest share of links in shown text outside the main content. */
const LINKED_SHARE = 0.6
/** Largest number of equal short links to keep. More frequent links, for example "Read more", have no information. */
const MOST_REPEATS = 2
/** Length in UTF-16 units from which a repeated text is shown only once. */
const LEAST_REPEATED = 30

/**
 * Returns the blocks of a page's content, in order.
 *
 * Parts that are hidden, or outside the main content by element, role, or name, are left out, unless they hold much of
 * the prose. The content is `main`, the largest article, or the innermost element with nearly all prose.
 */
export function mainContent(page: Page): PageBlock[] {
  const { blocks, elements } = page
  const own = ownWeights(page)
  const leftOut = aroundContent(page, summedUp(elements, own))
  for (let at = 1; at < elements.length; at++) if (leftOut[at] !== 0) own[at] = 0
  const weights = summedUp(elements, own)
  const root = contentElement(elements, weights, leftOut)
  const { firstBlock, endBlock } = elements[root]!
  const main = withoutRepeats(blocks.slice(firstBlock, endBlock).filter(({ element }) => leftOut[element] === 0))
  if (main.some(({ kind, level }) => kind === 'heading' && level === 1)) return main
  const headline = blocks
    .slice(0, firstBlock)
    .findLast((block) => leftOut[block.element] === 0 && isHeadline(block, page.title))
  return headline === undefined ? main : [headline, ...main]
}

/** Return the other blocks if they have more text than the main content, because the choice may then be wrong. */
async function aroundMain({ blocks }: Page, main: readonly PageBlock[], caller: unknown): Promise<PageBlock[]> {
  const texts = new Set(main.map(({ text }) => text))
  await yieldWhenDue(caller)
  const once = withoutRepeats(blocks)
  await yieldWhenDue(caller)
  const rest = once.filter(({ text, linkUnits }) => !texts.has(text) && linkUnits < LINKED_SHARE * text.length)
  return unlinked(rest) > unlinked(main) ? rest : []
}

const unlinked = (blocks: readonly PageBlock[]): number =>
  blocks.reduce((units, { text, linkUnits }) => units + text.length - linkUnits, 0)

function ownWeights({ blocks, elements }: Page): Float64Array {
  const own = new Float64Array(elements.length)
  for (const { element, text, linkUnits, kind } of blocks) {
    const plain = text.length - linkUnits
    const isProse = kind !== 'heading' && plain >= PROSE_UNITS && linkUnits < plain
    const linked = linkUnits * (linkUnits >= PROSE_UNITS ? LINKED_WORTH : LINK_WORTH)
    own[element]! += isProse ? plain : plain * OTHER_WORTH + linked
  }
  return own
}

function summedUp(elements: readonly PageElement[], own: Float64Array): Float64Array {
  const sums = own.slice()
  for (let at = elements.length - 1; at > 0; at--) sums[elements[at]!.parent]! += sums[at]!
  return sums
}

function aroundContent({ elements }: Page, weights: Float64Array): Uint8Array {
  const leftOut = new Uint8Array(elements.length)
  /** Marks to ignore, because an enclosing element with this mark has too much of the prose. */
  const spared = new Uint8Array(elements.length)
  const total = Math.max(1, weights[0]!)
  for (let at = 1; at < elements.length; at++) {
    const { parent, marks } = elements[at]!
    spared[at] = spared[parent]!
    leftOut[at] = leftOut[parent]!
    if (leftOut[at] !== 0) continue
    for (const [mark, belowShare] of LEFT_OUT) {
      if ((marks & mark & ~spared[at]!) === 0) continue
      if (weights[at]! < belowShare * total) leftOut[at] = 1
      else spared[at]! |= mark
    }
  }
  return leftOut
}

function contentElement(elements: readonly PageElement[], weights: Float64Array, leftOut: Uint8Array): number {
  let root = 0
  const narrow = (mark: number, share: number): void => {
    for (let at = root + 1; at < elements.length && elements[at]!.firstBlock < elements[root]!.endBlock; at++) {
      if (leftOut[at] === 0 && (elements[at]!.marks & mark) !== 0 && weights[at]! >= share * weights[root]!) root = at
    }
  }
  narrow(MARK_MAIN, MAIN_SHARE)
  narrow(MARK_ARTICLE, ARTICLE_SHARE)
  const heaviest = new Int32Array(elements.length)
  for (let at = 1; at < elements.length; at++) {
    const { parent } = elements[at]!
    if (leftOut[at] === 0 && (heaviest[parent] === 0 || weights[at]! > weights[heaviest[parent]!]!))
      heaviest[parent] = at
  }
  for (let next = heaviest[root]!; next > 0 && weights[next]! >= ANY_SHARE * weights[root]!; next = heaviest[root]!) {
    root = next
  }
  return root
}

/** Whether a heading repeats the title. A title may end with the name of the site. */
function isHeadline({ kind, level, text }: PageBlock, title: string): boolean {
  if (kind !== 'heading' || level !== 1) return false
  if (title.startsWith(text)) return true
  const words = text.split(' ')
  return !title.endsWith(text) && words.filter((word) => title.includes(word)).length > words.length / 3
}

/** Removes texts that pages repeat for small screens, and links without information. */
function withoutRepeats(blocks: readonly PageBlock[]): PageBlock[] {
  const counts = new Map<string, number>()
  for (const { text } of blocks) if (text.length < LEAST_REPEATED) counts.set(text, (counts.get(text) ?? 0) + 1)
  const seen = new Set<string>()
  return blocks.filter(({ kind, text, linkUnits }) => {
    if (kind === 'row' || kind === 'code') return true
    if (text.length < LEAST_REPEATED) return linkUnits < text.length || counts.get(text)! <= MOST_REPEATS
    return seen.size < seen.add(text).size
  })
}

/** Largest depth of elements. Text of deeper elements belongs to the element at this depth. */
const MAX_DEPTH = 2_048
/** Number of open elements to compare with an end tag. */
const MAX_REACH = 256
/** Number of open elements to compare for an implied end tag, which is always near. */
const MAX_IMPLIED_REACH = 16
/** Longest element name to read, in UTF-16 units. */
const MAX_NAME = 32
/** Elements whose content is text up to their end tag (HTML Living Standard, "raw text" and "escapable raw text"). */
const RAW: ReadonlySet<string> = new Set('script style title textarea noscript iframe noembed noframes xmp'.split(' '))
const PARAGRAPH = elementKind('p')
const LINE_BREAK = elementKind('br')

/**
 * Reads a page into blocks of text and their elements. Start and end tags may be omitted.
 *
 * Reading takes linear time, because the stack of open elements and each search in the stack are limited.
 */
export class PageReader implements MarkupHandler {
  readonly #tokens = new MarkupTokenizer(this, RAW, false)
  readonly #builder = new PageBuilder()
  readonly #open: ElementKind[] = []
  readonly #counts = new Int32Array(ELEMENT_KINDS)
  /** Number of open elements beyond the depth limit. */
  #beyond = 0
  /** Depth of the hidden element. 0 if no element is hidden. */
  #unseen = 0

  push(text: string): void {
    this.#tokens.push(text)
  }

  finish(lines: number): Page {
    this.#tokens.finish()
    this.#closeTo(0)
    return this.#builder.finish(lines)
  }

  open(name: string, attributes: string, isEmpty: boolean): void {
    const kind = elementKind(name.slice(0, MAX_NAME))
    // HTML ignores the slash, but SVG, MathML, and XHTML end elements with it.
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
    // Headings that expand a section are often buttons.
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
      // Without a start tag, `</p>` means an empty paragraph, and `</br>` means a line break.
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

  /** End elements whose end tag is omitted. An item ends the previous item, and a block ends the previous paragraph. */
  #endImplied(kind: ElementKind): void {
    const least = Math.max(0, this.#open.length - MAX_IMPLIED_REACH)
    for (let at = this.#open.length - 1; at >= least; at--) {
      const open = this.#open[at]!
      if (kind.ends?.has(open.name) || (kind.isBlock && open === PARAGRAPH)) {
        // The outermost element that ends. For example, a row ends the previous row and its last cell.
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

import { cleanLine, countOf, cutAtGrapheme, estimateTokens, formatCount } from '@spillway/text/internal'
import { LineCounter } from '../layout/line-counter.ts'
import { findSought } from '../layout/wanted-words.ts'
import { textItem, type Item, type PreviewModel } from '../layout/preview-model.ts'
import { writePreview } from '../layout/write-preview.ts'
import type { PreviewOptions, TextPreviewer, TextReader, TextSubject } from '../previewer.ts'
import { decodeReferences } from './character-references.ts'
import { MarkupTokenizer, type MarkupHandler } from './markup-tokenizer.ts'
import { newXmlNode, type XmlNode, type XmlProblem } from './xml-node.ts'

/**
 * Previews XML: element paths with counts, attributes, and first values, followed by the first lines. Failures in
 * reports (JUnit, NUnit, xUnit.net, TRX, Checkstyle) are shown first.
 *
 * Accepts text in one line, and incomplete or malformed text. Memory is limited, and time is linear. Entities are not
 * expanded.
 */
export function xmlPreviewer(): TextPreviewer {
  return { name: 'xml', previews: 'text', recognize: recognizeXml, read: readXml }
}

function readXml({ intent }: TextSubject): TextReader {
  const scanner = new XmlScanner()
  return {
    push: (text) => scanner.push(text),
    finish: () => {
      scanner.finish()
      // If no element ends, the text has another format, for example a log of tags.
      if (scanner.elements === 0 || (scanner.elements > 8 && scanner.ends === 0)) return undefined
      return (options) => writePreview(xmlItems(scanner, options, intent.words), options)
    },
  }
}

/** Matches source files that start like XML but are code. */
const CODE_PATH = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|php|erb|ejs|hbs|jinja2?|j2|twig|liquid|njk|mdx?|markdown)$/i
/** Matches comments and instructions before the first element. */
const PROLOG = /^(?:\s|<\?(?!xml\b)[^<>]{0,500}\?>|<!--(?:[^-]|-(?!->)){0,8000}-->){1,50}/

/** Recognize XML by its declaration, its document type, or one element around all others. */
export function recognizeXml({ contentType, start, end, intent }: TextSubject): number {
  if (intent.paths.some((path) => CODE_PATH.test(path))) return 0
  let text = start.charCodeAt(0) === 0xfeff ? start.slice(1) : start
  if (!/^\s{0,100}</.test(text)) return 0
  const declared = /^(?:application|text|image)\/(?:[\w.-]+\+)?xml$/.test(contentType)
  text = text.trimStart()
  const hasDeclaration = /^<\?xml\s/.test(text)
  if (hasDeclaration) text = text.slice(Math.max(0, text.indexOf('?>') + 2))
  text = text.replace(PROLOG, '')
  if (/^<!doctype\s+html|^<html[\s>]/i.test(text)) return 0
  if (/^<!DOCTYPE\s/.test(text)) return declared ? 0.96 : 0.93
  const root = /^<([A-Za-z_][\w.:-]{0,100})(?=[\s/>])/.exec(text)?.[1]
  if (hasDeclaration) return root === undefined && text.length > 200 ? 0 : declared ? 0.97 : 0.94
  if (root === undefined) return 0
  const isWhole = end === undefined || end.trimEnd().endsWith(`</${root}>`) || end.trimEnd().endsWith('/>')
  // In a document, each element ends. At least a few elements must end in the examined start.
  const tags = text.match(/<[A-Za-z_][\w.:-]{0,100}(?=[\s/>])/g)?.length ?? 0
  const ends = text.match(/<\/[A-Za-z_][\w.:-]{0,100}>|\/>/g)?.length ?? 0
  if (tags < 3 || ends < 1) return declared ? 0.7 : 0
  if (declared) return 0.95
  const hasNamespace = /^<[^<>]{0,4000}\sxmlns(?::\w{1,40})?=/.test(text)
  if (!isWhole) return hasNamespace ? 0.7 : 0
  return hasNamespace || ends * 3 >= tags ? 0.85 : 0
}

/** Number of UTF-16 units to keep of the start. */
const HEAD = 524_288
/** Largest depth. Deeper elements only count in the total. */
const MAX_DEPTH = 64
/** Largest number of unclosed elements that an end tag can end. */
const MAX_REACH = 16
const MAX_NODES = 1_024
const MAX_CHILDREN = 128
/** Limits for each path: elements whose attributes are read, attributes, and values. */
const READ_ELEMENTS = 4
const MAX_ATTRIBUTES = 16
const MAX_VALUES = 3
const MAX_VALUE = 96
const MAX_PROBLEMS = 64
const MAX_PROBLEM_TEXT = 1_200
/** Number of UTF-16 units to keep of text after the root element, such as a message of the program. */
const MAX_AFTER = 160
/** Names of elements that report a failure (JUnit, NUnit, xUnit.net, Checkstyle), and of attributes (NUnit, TRX). */
const PROBLEM_NAMES: ReadonlySet<string> = new Set(['failure', 'error', 'rerunFailure', 'flakyFailure', 'fatal'])
const OUTCOME = /\b(?:result|outcome)\s?=\s?["'](?:fail|error)/i

class XmlScanner implements MarkupHandler {
  /** A virtual parent of the top elements. */
  readonly root = newXmlNode('', 0)
  elements = 0
  readonly counter = new LineCounter()
  length = 0
  readonly problems: XmlProblem[] = []
  /** Start of the text between and after the top elements, if any. */
  after = ''
  /** Start of the document. */
  head = ''
  ends = 0
  readonly #tokens = new MarkupTokenizer(this, new Set(), true)
  #nodes = 0
  /** Open elements, with their attributes. */
  readonly #open: XmlNode[] = [this.root]
  readonly #owners: string[] = []
  #beyond = 0
  #text = ''
  #wantsText = false
  #problem: XmlProblem | undefined
  #problemDepth = 0

  push(text: string): void {
    this.counter.push(text)
    this.length += text.length
    if (this.head.length < HEAD) this.head += text.slice(0, HEAD - this.head.length)
    this.#tokens.push(text)
  }

  finish(): void {
    this.#tokens.finish()
    this.after = cleanLine(this.after.replace(/\s+/g, ' ')).trim()
  }

  open(name: string, attributes: string, isEmpty: boolean, line: number): void {
    this.elements++
    if (this.#open.length > MAX_DEPTH) {
      if (!isEmpty) this.#beyond++
      return
    }
    const parent = this.#open[this.#open.length - 1]!
    const node = parent.children.get(name) ?? this.#newNode(parent, name)
    node.count++
    if (node.count <= READ_ELEMENTS) readAttributes(node, attributes)
    const depth = this.#open.length
    this.#owners[depth] = attributes
    if (
      PROBLEM_NAMES.has(name) ||
      (attributes.length > 9 && node.attributes.size > 0 && this.#reports(node, attributes))
    ) {
      this.#startProblem(name, attributes, line, depth)
    }
    this.#open.push(node)
    this.#text = ''
    this.#wantsText = !node.hasMoreValues && node.children.size === 0
    if (isEmpty) this.#close()
  }

  close(name: string): void {
    if (this.#beyond > 0) {
      this.#beyond--
      return
    }
    const least = Math.max(1, this.#open.length - MAX_REACH)
    for (let at = this.#open.length - 1; at >= least; at--) {
      if (this.#open[at]!.name !== name) continue
      this.ends++
      while (this.#open.length > at) this.#close()
      return
    }
  }

  text(text: string): void {
    const isOutside = this.#open.length === 1 && this.elements > 0
    if (isOutside && this.after.length < MAX_AFTER)
      this.after += (this.after === '' ? text.trimStart() : text).slice(0, MAX_AFTER)
    if (this.#wantsText && this.#text.length < MAX_VALUE) this.#text += text.slice(0, 4 * MAX_VALUE)
    if (this.#problem !== undefined && this.#problem.text.length < MAX_PROBLEM_TEXT) {
      this.#problem.text += text.slice(0, MAX_PROBLEM_TEXT)
    }
  }

  cdata(text: string): void {
    this.text(text)
  }

  #close(): void {
    const node = this.#open.pop()!
    const depth = this.#open.length
    if (this.#wantsText) {
      addValue(node, this.#text)
      this.#wantsText = false
    }
    if (this.#problem !== undefined && depth === this.#problemDepth) this.#problem = undefined
  }

  #newNode(parent: XmlNode, name: string): XmlNode {
    const isFull = this.#nodes >= MAX_NODES || parent.children.size >= MAX_CHILDREN
    const known = isFull ? parent.children.get('*') : undefined
    if (known !== undefined) return known
    const node = newXmlNode(isFull ? '*' : name, parent.depth + 1)
    this.#nodes++
    parent.children.set(node.name, node)
    return node
  }

  #reports(node: XmlNode, attributes: string): boolean {
    return (node.attributes.has('result') || node.attributes.has('outcome')) && OUTCOME.test(attributes)
  }

  #startProblem(name: string, attributes: string, line: number, depth: number): void {
    if (this.#problem !== undefined) {
      if (PROBLEM_NAMES.has(this.#problem.name)) return
      // A failed suite or run is replaced by the failures inside, which have more details.
      this.problems.pop()
    }
    this.#problem = undefined
    if (this.problems.length >= MAX_PROBLEMS) return
    const above = this.#owners[depth - 1] ?? ''
    const test = xmlAttribute(above, 'name', 'fullname', 'testName')
    const group = xmlAttribute(above, 'classname')
    const owner = test === undefined ? '' : group === undefined ? test : `${group}.${test}`
    this.#problem = { line, owner, name, attributes: attributes.slice(0, MAX_PROBLEM_TEXT), text: '' }
    this.#problemDepth = depth
    this.problems.push(this.#problem)
  }
}

function readAttributes(node: XmlNode, attributes: string): void {
  if (attributes.length < 3) return
  for (const [name, value] of xmlAttributes(attributes.slice(0, 4_096))) {
    if (node.attributes.size >= MAX_ATTRIBUTES) return
    if (!node.attributes.has(name)) node.attributes.set(name, decodeReferences(value).slice(0, MAX_VALUE))
  }
}

function addValue(node: XmlNode, text: string): void {
  const whole = decodeReferences(text).replace(/\s+/g, ' ').trim()
  const value = whole.slice(0, MAX_VALUE)
  if (value === '') return
  if (node.values.includes(value)) {
    // Only starts of long values are kept, so equal starts may hide differences.
    node.hasMoreValues ||= whole.length > MAX_VALUE
    return
  }
  if (node.values.length < MAX_VALUES) node.values.push(value)
  else node.hasMoreValues = true
}

/** Shares of the budget for element paths and for failures. */
const SHAPE_SHARE = 0.3
const PROBLEM_SHARE = 0.4
/** Number of failures whose messages are shown before any details. */
const FIRST_PROBLEMS = 8
/** Smallest number of tokens for the text of a failure. */
const LEAST_PROBLEM = 24
/** Number of lines to show of a failure's text. */
const TEXT_LINES = 6
/** Value of a failure, compared with the first line. */
const PROBLEM_WORTH = 40
/** Value of a line with a word of the call, compared with the first line, and number of lines to show around. */
const SOUGHT_WORTH = 8
const NEAR = 4

/** Shows element paths, then failures and the first lines. */
function xmlItems(scan: XmlScanner, options: PreviewOptions, words: readonly string[]): PreviewModel {
  const { budgetTokens } = options
  const { root, elements, head, length } = scan
  const { lines } = scan.counter
  const [top] = root.children.keys()
  const name = top === undefined ? '' : ` <${cutAtGrapheme(cleanLine(top), 60)}>`
  const preview = {
    lines,
    header: `XML${name}: ${countOf(elements, 'element')}, ${countOf(lines, 'line')}`,
    alwaysHeader: true,
    shares: [],
    lineShare: 1,
    endShare: 0,
  }
  const isWhole = head.length === length && length < budgetTokens * 8 && estimateTokens(head) <= budgetTokens * 0.9
  if (isWhole) return { ...preview, items: lineItems(head, lines, lines) }
  const problems = problemItems(scan, budgetTokens)
  const label = (line: number): string => `[line ${line}] `
  const after = scan.after === '' ? [] : [`[after the elements:] ${cutAtGrapheme(scan.after, MAX_AFTER)}`]
  const shape = { ...preview, label, head: [...after, ...shapeLines(root, budgetTokens * SHAPE_SHARE)] }
  return { ...shape, items: merged(problems, lineItems(head, lines, budgetTokens, words)) }
}

/** Merges items by line. A failure replaces the item of its first line. */
function merged(problems: readonly Item[], others: readonly Item[]): Item[] {
  const outside = others.filter(({ start, end }) => !problems.some((one) => one.start >= start && one.start <= end))
  return [...problems, ...outside].toSorted((one, other) => one.start - other.start)
}

/** Return the first lines, and lines near words that the call searches for. */
function lineItems(head: string, lines: number, most: number, words: readonly string[] = []): Item[] {
  const texts = head.split('\n', lines)
  const values = texts.map((_, index) => (index < most ? 1 / (index + 1) : 0))
  for (const [index, count] of findSought(texts, words)?.counts.entries() ?? []) {
    for (let at = index - NEAR; count > 0 && at <= index + NEAR; at++)
      if (at in values) values[at] = Math.max(values[at]!, (SOUGHT_WORTH * count) / (1 + Math.abs(at - index)))
  }
  return texts.flatMap((text, index) => (values[index]! > 0 ? [textItem(index + 1, text, values[index]!)] : []))
}

/** Each item has the failed test, its message, and the first lines of its text. */
function problemItems({ problems }: XmlScanner, budgetTokens: number): Item[] {
  const room = Math.max(
    LEAST_PROBLEM,
    (budgetTokens * PROBLEM_SHARE) / Math.max(1, Math.min(problems.length, FIRST_PROBLEMS)),
  )
  return problems.map((problem, index) => {
    let left = room
    const lines = describeProblem(problem).filter((line, at) => (left -= estimateTokens(line) + 1) >= 0 || at === 0)
    return textItem(problem.line, lines.join('\n'), PROBLEM_WORTH * (index < FIRST_PROBLEMS ? 2 : 1))
  })
}

function describeProblem({ owner, name, attributes, text }: XmlProblem): string[] {
  const plain = (value = ''): string => cleanLine(decodeReferences(value).replace(/\s+/g, ' ')).trim()
  const message = plain(xmlAttribute(attributes, 'message'))
  const subject = plain(owner || xmlAttribute(attributes, 'name', 'testName', 'fullname'))
  const position = xmlAttribute(attributes, 'line')
  const head = [subject + (position === undefined ? '' : `:${position}`), name, cutAtGrapheme(message, 400)]
  const body = decodeReferences(text)
    .split('\n')
    .map((line) => cleanLine(line))
    .filter((line) => line.trim() !== '')
  // The text of a failure often begins with its message.
  const details = body.filter((line, index) => index > 0 || message === '' || !line.includes(message))
  return [
    head.filter((part) => part !== '').join(': '),
    ...details.slice(0, TEXT_LINES).map((line) => `  ${cutAtGrapheme(line.trim(), 240)}`),
  ]
}

const MAX_SHOWN_VALUE = 48

/** Return the lines of element paths that fit. Outer elements are preferred. */
function shapeLines(root: XmlNode, tokens: number): string[] {
  const chosen = new Set<XmlNode>()
  let left = tokens
  let level = [...root.children.values()]
  let total = 0
  while (level.length > 0) {
    for (const node of level) {
      total++
      const cost = estimateTokens(lineOf(node)) + 1
      if (cost > left) left = Math.min(left, 0)
      else {
        left -= cost
        chosen.add(node)
      }
    }
    level = level.flatMap(({ children }) => [...children.values()])
  }
  const lines: string[] = []
  write(root, chosen, lines)
  if (lines.length < total && lines.length > 0) lines.push(`[… ${formatCount(total - lines.length)} more paths]`)
  return lines
}

function write(root: XmlNode, chosen: ReadonlySet<XmlNode>, lines: string[]): void {
  const waiting = [...root.children.values()].toReversed()
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!chosen.has(node)) continue
    lines.push(lineOf(node))
    waiting.push(...[...node.children.values()].toReversed())
  }
}

function lineOf({ name, depth, count, attributes, values, hasMoreValues }: XmlNode): string {
  const parts = [`${'  '.repeat(depth - 1)}${cleanLine(name)}`]
  if (count > 1) parts.push(`×${formatCount(count)}`)
  for (const [attribute, value] of attributes) {
    parts.push(count === 1 ? `${cleanLine(attribute)}="${shortened(value)}"` : `@${cleanLine(attribute)}`)
  }
  const shown = count === 1 ? values.slice(0, 1) : values.slice(0, 2)
  if (shown.length === 0) return parts.join(' ')
  const more = hasMoreValues || values.length > shown.length ? ', …' : ''
  return `${parts.join(' ')}: ${shown.map(shortened).join(', ')}${more}`
}

function shortened(value: string): string {
  const cut = cutAtGrapheme(cleanLine(value.replace(/\s+/g, ' ')), MAX_SHOWN_VALUE)
  return cut.length < value.length ? `${cut}…` : cut
}

/** Yields the attributes in the text after a tag's name. Invalid parts are skipped. */
function* xmlAttributes(text: string): Generator<readonly [name: string, value: string]> {
  const ATTRIBUTE = /([^\s=/"'<>]{1,64})\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)')/g
  for (const [, name, double, single] of text.matchAll(ATTRIBUTE)) yield [name!, double ?? single ?? '']
}

function xmlAttribute(text: string, ...names: readonly string[]): string | undefined {
  let best: string | undefined
  let rank = names.length
  for (const [name, value] of xmlAttributes(text)) {
    const at = names.indexOf(name)
    if (at >= 0 && at < rank) [best, rank] = [value, at]
  }
  return best
}

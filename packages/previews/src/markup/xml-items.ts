import { cleanLine, cutAtGrapheme, estimateTokens, formatCount } from '@spillway/text/internal'
import { lineLabel, textItem, type Item, type PreviewModel } from '../layout/preview-model.ts'
import { countOf } from '../layout/gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import { decodeReferences } from './character-references.ts'
import { xmlAttribute } from './xml-attributes.ts'
import type { XmlNode, XmlProblem, XmlScan } from './xml-node.ts'

/** Shares of the budget for element paths and for failures. */
const SHAPE_SHARE = 0.3
const PROBLEM_SHARE = 0.4
/** Problems whose messages come before any details. */
const FIRST_PROBLEMS = 8
/** Fewest tokens for the text of a problem. */
const LEAST_PROBLEM = 24
/** Shown lines of a problem's text. */
const TEXT_LINES = 6
/** Longest shown element, in UTF-16 units. */
const MAX_ELEMENT = 600
/** Start of the first hidden element used to find it, in UTF-16 units. */
const MAX_BEGINNING = 80
/** Worth of a failure relative to an element. */
const PROBLEM_WORTH = 40

/** Shows failures, then repeated elements, or else the first lines. */
export function xmlItems(scan: XmlScan, options: PreviewOptions): PreviewModel {
  const { budgetTokens } = options
  const { root, elements, lines, head, length } = scan
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
  const shape = { ...preview, label: lineLabel, head: shapeLines(root, budgetTokens * SHAPE_SHARE) }
  const records = recordsOf(root)
  if (records === undefined) return { ...shape, items: merged(problems, lineItems(head, lines, budgetTokens)) }
  const items = recordItems(scan, records, budgetTokens)
  if (problems.length > 0 || items.every(({ start }, index) => start > (items[index - 1]?.end ?? 0)))
    return { ...shape, items: merged(problems, items) }
  // Elements that share lines are counted instead.
  const { node, spans } = records
  for (const [index, item] of items.entries()) item.start = item.end = index < spans.length ? index + 1 : node.count
  return {
    ...shape,
    items,
    lines: node.count,
    label: () => '',
    counted: (count) => countOf(count, `${cleanLine(node.name)} element`),
    show: (place) => {
      const { start, end } = spans[place - 1] ?? { start: 0, end: 0 }
      return options.showText?.(head.slice(start, Math.min(end, start + MAX_BEGINNING)))
    },
  }
}

/** Sorts by line. A problem replaces its enclosing element. */
function merged(problems: readonly Item[], others: readonly Item[]): Item[] {
  const outside = others.filter(({ start, end }) => !problems.some((one) => one.start >= start && one.start <= end))
  return [...problems, ...outside].toSorted((one, other) => one.start - other.start)
}

function lineItems(head: string, lines: number, most: number): Item[] {
  return head.split('\n', Math.min(lines, most)).map((text, index) => textItem(index + 1, text, 1 / (index + 1)))
}

function recordItems(scan: XmlScan, { node, spans }: XmlRecords, budgetTokens: number): Item[] {
  const { head } = scan
  const cap = Math.max(80, Math.min(MAX_ELEMENT, budgetTokens * 0.4))
  const itemAt = (line: number, source: string, rank: number): Item => {
    const flat = cleanLine(source.replace(/>\s+</g, '><').replace(/\s+/g, ' ')).trim()
    const cut = cutAtGrapheme(flat, cap)
    const more = flat.length - cut.length
    const text = more > 0 ? `${cut}[… ${formatCount(more)} more characters]` : cut
    const item = textItem(line, text, 1 / rank)
    item.end = line + source.split('\n').length - 1
    return item
  }
  const items = spans
    .slice(0, budgetTokens)
    .map(({ start, end, line }, index) => itemAt(line, head.slice(start, end), index + 1 < node.count ? index + 2 : 1))
  const last = node.count > items.length ? lastElement(scan, node) : undefined
  if (last !== undefined) items.push(itemAt(last.line, last.text, 1))
  return items
}

/** Includes the failed test, its message, and the first lines of its text. */
function problemItems({ problems }: XmlScan, budgetTokens: number): Item[] {
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

/** Longest shown value, in UTF-16 units. */
const MAX_VALUE = 48

/** Writes one line per element path, indented: the count, attributes, and first values. The outermost come first. */
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
  const cut = cutAtGrapheme(cleanLine(value.replace(/\s+/g, ' ')), MAX_VALUE)
  return cut.length < value.length ? `${cut}…` : cut
}

interface XmlRecords {
  readonly node: XmlNode
  readonly spans: readonly { readonly start: number; readonly end: number; readonly line: number }[]
}

/** Fewest elements of a list, and their share of the enclosing element. */
const LEAST_RECORDS = 3
const LEAST_SHARE = 0.4

/** Returns the outermost repeated elements that make up much of the document. */
function recordsOf(root: XmlNode): XmlRecords | undefined {
  let level: XmlNode[] = [...root.children.values()]
  const units = level.reduce((sum, node) => sum + node.units, 0)
  while (level.length > 0) {
    const [largest] = level
      .filter(({ count, units: own, name }) => count >= LEAST_RECORDS && own >= LEAST_SHARE * units && name !== '*')
      .toSorted((one, other) => other.units - one.units)
    if (largest !== undefined) return { node: largest, spans: spansOf(largest) }
    level = level.flatMap(({ children }) => [...children.values()])
  }
  return undefined
}

function spansOf({ spans }: XmlNode): { start: number; end: number; line: number }[] {
  return Array.from({ length: spans.length / 3 }, (_, index) => ({
    start: spans[index * 3]!,
    end: spans[index * 3 + 1]!,
    line: spans[index * 3 + 2]!,
  }))
}

/** Returns `undefined` if the end of the document does not hold it whole. */
function lastElement(scan: XmlScan, node: XmlNode): { text: string; line: number } | undefined {
  const { tail } = scan
  // In an element of the same name, the last start tag belongs to another element.
  if (node.children.has(node.name)) return undefined
  for (
    let at = tail.lastIndexOf(`<${node.name}`);
    at >= 0;
    at = at === 0 ? -1 : tail.lastIndexOf(`<${node.name}`, at - 1)
  ) {
    if (!/^[\s/>]/.test(tail.slice(at + node.name.length + 1, at + node.name.length + 2))) continue
    const close = tail.indexOf(`</${node.name}>`, at)
    const tag = tail.indexOf('>', at)
    const end = close >= 0 ? close + node.name.length + 3 : tag > 0 && tail[tag - 1] === '/' ? tag + 1 : -1
    if (end < 0) return undefined
    return { text: tail.slice(at, end), line: scan.lines - linesFrom(tail, at) + 1 }
  }
  return undefined
}

/** A final newline ends the last line. */
function linesFrom(text: string, at: number): number {
  let ends = text.endsWith('\n') ? 0 : 1
  for (let end = text.indexOf('\n', at); end >= 0; end = text.indexOf('\n', end + 1)) ends++
  return ends
}

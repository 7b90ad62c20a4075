import { lineLabel, textItem, type Item, type PreviewModel } from '../layout/preview-model.ts'
import { cleanLine, cutAtGrapheme, estimateTokens, formatCount } from '@spillway/text/internal'
import { countOf } from '../layout/gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import { decodeReferences } from './character-references.ts'
import { xmlAttribute } from './xml-attributes.ts'
import type { XmlProblem, XmlScan } from './xml-node.ts'
import { lastElement, recordsOf, type XmlRecords } from './xml-records.ts'
import { shapeLines } from './xml-shape-lines.ts'

/** Share of the budget for the paths of elements, and of the elements that report failures. */
const SHAPE_SHARE = 0.3
const PROBLEM_SHARE = 0.4
/** Problems whose messages come before the details of any. */
const FIRST_PROBLEMS = 8
/** Tokens for the text of a problem at least. */
const LEAST_PROBLEM = 24
/** Lines of the text of a problem that are shown. */
const TEXT_LINES = 6
/** Units of an element that are shown at most. */
const MAX_ELEMENT = 600
/** Units of the first hidden element that find it. */
const MAX_BEGINNING = 80
/** How much more a failure is worth than an element. */
const PROBLEM_WORTH = 40

/** What is shown of a document of XML: failures, and the elements that it is a list of, or else its first lines. */
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
  // Elements that share lines are counted instead of these.
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

/** Items in the order of their lines; of a problem and the element that holds it, the problem. */
function merged(problems: readonly Item[], others: readonly Item[]): Item[] {
  const outside = others.filter(({ start, end }) => !problems.some((one) => one.start >= start && one.start <= end))
  return [...problems, ...outside].toSorted((one, other) => one.start - other.start)
}

/** The first lines of a document. */
function lineItems(head: string, lines: number, most: number): Item[] {
  return head.split('\n', Math.min(lines, most)).map((text, index) => textItem(index + 1, text, 1 / (index + 1)))
}

/** The elements that a document is a list of: the first ones, and the last one. */
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

/** The elements that report failures, each with what failed, its message, and the first lines of its text. */
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

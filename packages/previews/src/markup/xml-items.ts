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
/** Worth of a failure relative to the first line. */
const PROBLEM_WORTH = 40

/** Shows paths of elements, then failures and the first lines. */
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
  return { ...shape, items: merged(problems, lineItems(head, lines, budgetTokens)) }
}

/** Sorts by line. A problem replaces its first line. */
function merged(problems: readonly Item[], others: readonly Item[]): Item[] {
  const outside = others.filter(({ start, end }) => !problems.some((one) => one.start >= start && one.start <= end))
  return [...problems, ...outside].toSorted((one, other) => one.start - other.start)
}

function lineItems(head: string, lines: number, most: number): Item[] {
  return head.split('\n', Math.min(lines, most)).map((text, index) => textItem(index + 1, text, 1 / (index + 1)))
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

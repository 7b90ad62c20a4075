import { formatCount, cleanLine, cutAtGrapheme, estimateTokens } from '@spillway/text/internal'
import type { XmlNode } from './xml-node.ts'

/** Units of a value that are shown. */
const MAX_VALUE = 48

/**
 * Write which elements there are, one line for each path, indented below the element that holds it: how many, its
 * attributes, and its first values. Where not all fit, the outermost come first.
 */
export function shapeLines(root: XmlNode, tokens: number): string[] {
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

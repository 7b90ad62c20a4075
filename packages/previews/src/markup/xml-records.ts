import type { XmlNode, XmlScan } from './xml-node.ts'

/** The elements that a document is a list of. */
export interface XmlRecords {
  readonly node: XmlNode
  /** The first ones. */
  readonly spans: readonly { readonly start: number; readonly end: number; readonly line: number }[]
}

/** Elements of a path are a list from so many on, where they make up so much of the element that holds them. */
const LEAST_RECORDS = 3
const LEAST_SHARE = 0.4

/** Find the elements that a document is a list of: the outermost that repeat and make up much of it. */
export function recordsOf(root: XmlNode): XmlRecords | undefined {
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

/** Find the last element of a path in the end of the document, where it stands there whole. */
export function lastElement(scan: XmlScan, node: XmlNode): { text: string; line: number } | undefined {
  const { tail } = scan
  // Within one of the same name, the last start is not that of the last element.
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

/** How many lines there are from an index to the end; a final newline ends the last one. */
function linesFrom(text: string, at: number): number {
  let ends = text.endsWith('\n') ? 0 : 1
  for (let end = text.indexOf('\n', at); end >= 0; end = text.indexOf('\n', end + 1)) ends++
  return ends
}

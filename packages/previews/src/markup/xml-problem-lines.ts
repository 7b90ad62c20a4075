import { formatCount, cleanLine, cutAtGrapheme, estimateTokens } from '@spillway/text/internal'
import { decodeReferences } from './character-references.ts'
import { xmlAttribute } from './xml-attributes.ts'
import type { XmlProblem, XmlScan } from './xml-node.ts'

/** Lines of the text of a problem that are shown while others are hidden. */
const TEXT_LINES = 6

/** Write the elements that report failures, each with its line, what failed and its message. */
export function problemLines({ problems, problemCount }: XmlScan, tokens: number): string[] {
  const lines: string[] = []
  let left = tokens
  let shown = 0
  for (const problem of problems) {
    const written = linesOf(problem)
    // The message of each comes before the details of the first.
    const share = Math.max(24, left / Math.max(1, Math.min(problems.length, 8) - shown))
    const kept: string[] = []
    let cost = 0
    for (const line of written) {
      cost += estimateTokens(line) + 1
      if (kept.length > 0 && cost > share) break
      kept.push(line)
    }
    const used = kept.reduce((sum, line) => sum + estimateTokens(line) + 1, 0)
    if (used > left) break
    left -= used
    lines.push(...kept)
    shown++
  }
  if (shown < problemCount) lines.push(`[… ${formatCount(problemCount - shown)} more failures]`)
  return shown === 0 && lines.length > 0 && estimateTokens(lines[0]!) > tokens ? [] : lines
}

function linesOf({ line, owner, name, attributes, text }: XmlProblem): string[] {
  const message = plain(xmlAttribute(attributes, 'message') ?? '')
  const subject = plain(owner || (xmlAttribute(attributes, 'name', 'testName', 'fullname') ?? ''))
  const position = xmlAttribute(attributes, 'line')
  const body = decodeReferences(text)
    .split('\n')
    .map((part) => cleanLine(part))
    .filter((part) => part.trim() !== '')
  const first = message.split('\n', 1)[0]!.trim()
  // The text of a failure often begins with its message.
  const details = body.filter((part, index) => index > 0 || !(first !== '' && part.includes(first)))
  const head = [subject + (position === undefined ? '' : `:${position}`), name, cutAtGrapheme(first, 400)]
  return [
    `[line ${line}] ${head.filter((part) => part !== '').join(': ')}`,
    ...details.slice(0, TEXT_LINES).map((part) => `  ${cutAtGrapheme(part.trim(), 240)}`),
  ]
}

const plain = (text: string): string => cleanLine(decodeReferences(text).replace(/\s+/g, ' ')).trim()

// A simple preview for comparison, never tuned: head 20 %, tail 30 %, and 50 % for lines that look like errors, with
// one line before and two after each. Strong patterns come first, then weak ones, each in file order. Unused tokens of
// error lines go to the tail. The content type is ignored.
import { countTokens, headTokens, tailTokens } from '../lib/tokens.mjs'

const STRONG =
  /\b(?:FATAL|FAILED|FAILURE|PANIC|Traceback|BUILD FAIL\w*|Assertion\w*|segmentation fault|[A-Z]\w*(?:Error|Exception))\b|\b(?:error|fatal|panic)(?:\[\w+\])?:|npm ERR!|✗|✕/
const WEAK =
  /\b(?:error|errors|failed|failure|exception|cannot|can't|undefined reference|not found|denied|refused|timed? ?out|aborted|killed)\b/i
const MAX_LINE = 400

export function preview({ text, budgetTokens }) {
  const head = headTokens(text, Math.floor(budgetTokens * 0.2))
  let tail = tailTokens(text.slice(head.length), Math.floor(budgetTokens * 0.3))
  const middle = text.slice(head.length, text.length - tail.length).split('\n')
  const firstLine = head.split('\n').length
  let left = Math.floor(budgetTokens * 0.5) - 40
  let full = false
  const keep = new Map()
  for (const pattern of [STRONG, WEAK]) {
    for (let i = 0; i < middle.length && !full; i++) {
      const m = pattern.exec(middle[i])
      if (!m) continue
      for (let j = Math.max(0, i - 1); j <= Math.min(middle.length - 1, i + 2); j++) {
        if (keep.has(j) || !middle[j].trim()) continue
        const at = j === i ? Math.max(0, m.index - MAX_LINE / 2) : 0
        const line = `${firstLine + j}: ${middle[j].slice(at, at + MAX_LINE)}`
        const cost = countTokens(line + '\n')
        if (cost > left) {
          full = true
          break
        }
        keep.set(j, line)
        left -= cost
      }
    }
  }
  if (left > 0) tail = tailTokens(text.slice(head.length), Math.floor(budgetTokens * 0.3) + left)
  const found = [...keep]
    .sort((a, b) => a[0] - b[0])
    .map(([, l]) => l)
    .join('\n')
  return `${head}\n[... lines that look like errors:]\n${found}\n[... tail:]\n${tail}`
}

import { LineWords } from './line-words.ts'
import type { ScannedLine } from './text-scan.ts'

/** Tokens of a line that count, and the longest. */
const MOST_TOKENS = 40
const TOKEN_UNITS = 32

/** What is known of a kept line before those around it are looked at. */
export interface ReadLine extends Pick<LineWords, 'kind' | 'shape' | 'skeleton' | 'template' | 'severity'> {
  readonly words: Int32Array
  /** Hashes of what stands between blanks. */
  readonly tokens: readonly number[]
}

/** Read kept lines, without what stands before all of them. */
export function readLines(lines: readonly ScannedLine[]): ReadLine[] {
  const words = new LineWords()
  return lines.map(({ text, end }) => {
    const line = end === '' ? text : `${text} ${end}`
    words.read(line, 0, line.length)
    const { kind, shape, skeleton, template, severity } = words
    return {
      words: words.words.slice(0, words.count),
      tokens: tokensOf(line),
      kind,
      shape,
      skeleton,
      template,
      severity,
    }
  })
}

/** Hashes of what stands between blanks, case and punctuation included, numbers alike. */
function tokensOf(line: string): number[] {
  const tokens: number[] = []
  let hash = 0
  let units = 0
  for (let at = 0; at <= line.length && tokens.length < MOST_TOKENS; at++) {
    const code = at < line.length ? line.charCodeAt(at) : 32
    if (code !== 32 && code !== 9) {
      const isDigit = code > 47 && code < 58
      if (!isDigit || !(line.charCodeAt(at - 1) > 47 && line.charCodeAt(at - 1) < 58))
        hash = (Math.imul(hash, 31) + (isDigit ? 48 : code)) | 0
      units++
    } else if (units > 0) {
      if (units <= TOKEN_UNITS) tokens.push(hash)
      hash = 0
      units = 0
    }
  }
  return tokens
}

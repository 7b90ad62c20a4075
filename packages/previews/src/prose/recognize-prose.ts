import type { TextSubject } from '../previewer.ts'
import { withoutNumbers } from '../layout/cut-numbers.ts'

/** A time, a level, a path or a rule before a line: nothing that a sentence begins with. */
const LOGGED =
  /^\s*(?:\[|[(]?\d{4}-\d\d-\d\d|[(]?\d\d?:\d\d|[A-Z]{4,8}:|(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b|[\w.-]*[/\\][\w./\\-]+|[-=+*#~_]{3,}|\$ |> ?\$|\w+:\d|0x)/

/** Say how sure it is that a text is plain prose: next to nothing but words, in sentences that fill lines or paragraphs. */
export function recognizeProse({ start, isWhole, intent }: TextSubject): number {
  const lines = withoutNumbers(start)
    .split('\n')
    .map((line) => line.trim())
  // The last line may be cut.
  if (lines.length > 1 && !isWhole) lines.pop()
  let units = 0
  let wordy = 0
  let logged = 0
  let sentences = 0
  let filled = 0
  let flowing = 0
  let previous = ''
  for (const line of lines) {
    if (line !== '') {
      const counted = countUnits(line)
      filled++
      units += line.length
      if (counted.odd <= Math.max(2, line.length * 0.06) && counted.letters >= line.length * 0.55) wordy += line.length
      sentences += counted.sentences
      if (LOGGED.test(line)) logged++
      // A sentence that goes on in the next line, or a line of more than one.
      if (
        (previous.length > 40 && /[\p{L},]$/u.test(previous) && /^[\p{Ll}\p{Lo}]/u.test(line)) ||
        counted.sentences > 1
      )
        flowing++
    }
    previous = line
  }
  if (units < 200) return 0
  if (intent.paths.some((path) => /\.(?:rst|adoc|asciidoc|org)$/i.test(path)) && wordy > units * 0.5) return 0.8
  if (logged > filled * 0.08) return 0
  if (wordy < units * 0.85) return 0
  const perSentence = units / Math.max(1, sentences)
  if (perSentence > 400 || flowing < Math.max(1, filled * 0.2)) return 0
  return 0.6
}

interface Units {
  readonly letters: number
  /** Marks that hardly stand in sentences. */
  readonly odd: number
  /** Ends of sentences: a mark after a letter, before a blank or the end, or one of those that need no blank. */
  readonly sentences: number
}

function countUnits(line: string): Units {
  let letters = 0
  let odd = 0
  let sentences = 0
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) letters++
    else if (code === 46 || code === 33 || code === 63) {
      const next = line.charCodeAt(at + 1)
      if (at > 1 && (Number.isNaN(next) || next === 32 || next === 34 || next === 0x201d)) sentences++
    } else if (
      code === 0x3002 ||
      code === 0xff01 ||
      code === 0xff1f ||
      code === 0x0964 ||
      code === 0x061f ||
      code === 0x06d4
    )
      sentences++
    else if (code >= 0xc0 && (code < 0x2000 || code > 0x2bff)) letters++
    else if (
      !(code === 32 || code === 44 || code === 39 || code === 34 || code === 45 || (code >= 0x2010 && code < 0x2027))
    )
      odd++
  }
  return { letters, odd, sentences }
}

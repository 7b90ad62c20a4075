import type { BareLines, ScannedLine } from './text-scan.ts'

/** Matches a date and time. A CI system may write the job and the step before it, each with a tab. */
const TIME = /^\uFEFF?\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?\]?[ \t]?/
const STEP_TIME = new RegExp(TIME.source.replace('^', '^(?:[^\\t]{1,80}\\t[^\\t]{1,80}\\t)?'))

/** A line number written by `cat -n` or a file reader. */
const NUMBER = /^\s*(\d+)(?:→|\t|: ?|\| ?)/
/** Number of lines from which prefixes are cut. */
const LEAST_LINES = 8

/** Cuts prefixes that most lines have: times, and line numbers, which the preview shows in any case. */
export function cutPrefixes(lines: readonly ScannedLine[], times: boolean): BareLines {
  if (lines.length < LEAST_LINES) return { lines, note: '' }
  const numbers = lines.map((line) => numberOf(line))
  if (numbers.filter((number) => number !== '').length >= lines.length * 0.9)
    return { lines: bare(lines, numbers), note: ', numbers cut' }
  if (!times) return { lines, note: '' }
  const found = lines.map(({ text }) => (text.includes('\t') ? STEP_TIME : TIME).exec(text)?.[0] ?? '')
  if (found.filter((time) => time !== '').length * 2 <= lines.length) return { lines, note: '' }
  const hasStep = found.some((time) => time.trimEnd().includes('\t'))
  return { lines: bare(lines, found), note: hasStep ? ', job, step and time cut' : ', times cut' }
}

/** Returns the prefix if it contains the line's own number, otherwise an empty text. */
function numberOf({ text, number }: ScannedLine): string {
  const found = NUMBER.exec(text)
  return found !== null && Number(found[1]) === number ? found[0] : ''
}

/** Returns lines without prefixes. A line without other text counts as blank. */
function bare(lines: readonly ScannedLine[], prefixes: readonly string[]): ScannedLine[] {
  return lines
    .map((line, index) => ({ ...line, text: line.text.slice(prefixes[index]!.length) }))
    .filter(({ text, end }) => text.trim() !== '' || end !== '')
}

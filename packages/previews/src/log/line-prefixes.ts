import type { BareLines, ScannedLine } from './text-scan.ts'

/** Matches a date with a time. CI systems may write a job and a step before the date, each with a tab. */
const TIME = /^\uFEFF?\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?\]?[ \t]?/
const STEP_TIME = new RegExp(TIME.source.replace('^', '^(?:[^\\t]{1,80}\\t[^\\t]{1,80}\\t)?'))

/** Matches a line number that `cat -n` or a file reader wrote. */
const NUMBER = /^\s*(\d+)(?:→|\t|: ?|\| ?)/
/** Smallest number of lines whose prefixes are cut. */
const LEAST_LINES = 8

/** Cut prefixes that most lines have: times, and line numbers, which the preview shows anyway. */
export function cutPrefixes(lines: readonly ScannedLine[]): BareLines {
  if (lines.length < LEAST_LINES) return { lines, note: '' }
  const numbers = lines.map((line) => numberOf(line))
  if (numbers.filter((number) => number !== '').length >= lines.length * 0.9)
    return { lines: bare(lines, numbers), note: ', numbers cut' }
  const found = lines.map(({ text }) => (text.includes('\t') ? STEP_TIME : TIME).exec(text)?.[0] ?? '')
  if (found.filter((time) => time !== '').length * 2 <= lines.length) return { lines, note: '' }
  const steps = found.map((time) => time.slice(0, time.trimEnd().lastIndexOf('\t') + 1))
  const hasStep = steps.some((step) => step !== '')
  // Rows of a table may start with 2 cells and a time, but their first cells differ.
  if (hasStep && new Set(steps).size * 2 > lines.length) return { lines, note: '' }
  return { lines: bare(lines, found), note: hasStep ? ', job, step and time cut' : ', times cut' }
}

/** Return the prefix of a line if it has the number of this line. Otherwise return an empty text. */
function numberOf({ text, number }: ScannedLine): string {
  const found = NUMBER.exec(text)
  return found !== null && Number(found[1]) === number ? found[0] : ''
}

/** Return the lines without their prefixes. Lines without other text are left out, because they count as blank. */
function bare(lines: readonly ScannedLine[], prefixes: readonly string[]): ScannedLine[] {
  return lines
    .map((line, index) => ({ ...line, text: line.text.slice(prefixes[index]!.length) }))
    .filter(({ text, end }) => text.trim() !== '' || end !== '')
}

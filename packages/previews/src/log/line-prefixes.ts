import type { ScannedLine } from './text-scan.ts'

/** A date and time, after the job and the step of a CI system. */
const TIME =
  /^(?:[^\t]{1,80}\t[^\t]{1,80}\t)?\uFEFF?\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?\]?[ \t]?/

/** A line number written by `cat -n` or a file reader. */
const NUMBER = /^\s*(\d+)(?:→|\t|: ?|\| ?)/
/** Shorter texts keep their prefixes. */
const LEAST_LINES = 8

interface BareLines {
  readonly lines: readonly ScannedLine[]
  readonly note: string
}

/**
 * Cuts prefixes of most lines that cost more than they tell: times, and line numbers, which the preview shows anyway.
 */
export function cutPrefixes(lines: readonly ScannedLine[], times: boolean): BareLines {
  if (lines.length < LEAST_LINES) return { lines, note: '' }
  const numbered = lines.filter((line) => isNumbered(line)).length
  if (numbered >= lines.length * 0.9) {
    return {
      lines: bare(lines, (line) => (isNumbered(line) ? line.text.replace(NUMBER, '') : line.text)),
      note: ', numbers cut',
    }
  }
  const timed = times ? lines.filter((line) => TIME.test(line.text)).length : 0
  if (timed * 2 <= lines.length) return { lines, note: '' }
  const hasStep = lines.some((line) => TIME.exec(line.text)?.[0].trimEnd().includes('\t'))
  return {
    lines: bare(lines, (line) => line.text.replace(TIME, '')),
    note: hasStep ? ', job, step and time cut' : ', times cut',
  }
}

function isNumbered(line: ScannedLine): boolean {
  return Number(NUMBER.exec(line.text)?.[1]) === line.number
}

/** Lines without any text left count as blank. */
function bare(lines: readonly ScannedLine[], cut: (line: ScannedLine) => string): ScannedLine[] {
  return lines.map((line) => ({ ...line, text: cut(line) })).filter(({ text, end }) => text.trim() !== '' || end !== '')
}

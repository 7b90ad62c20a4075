import { cleanLine, perSubject } from '@spillway/text/internal'
import type { TextSubject } from '../previewer.ts'
import { saysEnd } from './ended-line.ts'
import { isLevelObject } from './structured-line.ts'

/** Lines looked at, at the start of a text and at its end. */
const START_LINES = 120
const END_LINES = 40

/** A time before a line, as loggers and CI systems write it, after a priority, a stream or the name of a job. */
const TIMED =
  /^(?:\S+\t\S.{0,60}\t)?(?:<\d{1,3}>1? ?)?[[(]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d|\d\d:\d\d:\d\d[.,\] ]|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\d\d?[-/][A-Z][a-z]{2}[-/]\d{4}[: ]\d\d:\d\d:\d\d| *\d+\.\d{6}\] |[IWEF]\d{4} \d\d:\d\d:\d\d\.)/

/** A level of logging near the start of a line. */
const LEVELED =
  /^.{0,60}?(?:^|[\s[(<|:])(?:INFO|DEBUG|TRACE|WARN(?:ING)?|ERROR|FATAL|NOTICE|SEVERE|info|debug|trace|warn|error|LOG|Note|notice)(?:$|[\s\]):>|])|^\S.{0,80}\blevel=[a-z]/

/** Say how sure it is that a text is a log, or the output of a build or of tests. */
export const logSureness: (subject: TextSubject) => number = perSubject(rateLog)

function rateLog(subject: TextSubject): number {
  const lines = linesOf(subject)
  if (lines.length === 0) return UNSURE
  const share = (is: (line: string) => boolean): number => lines.filter(is).length / lines.length
  if (lines.length > 2 && share(isLevelObject) >= 0.9) return 0.97
  const timed = share((line) => TIMED.test(line))
  const leveled = share((line) => LEVELED.test(line))
  if (leveled >= 0.5 && timed + leveled >= 1) return 0.92
  if (timed >= 0.6 || leveled >= 0.6) return 0.75
  if (lines.some((line) => saysEnd(line))) return 0.7
  if (timed >= 0.3 || leveled >= 0.3) return 0.65
  return UNSURE
}

/** Anything may be the output of a program. */
const UNSURE = 0.02

/** Lines of the start and the end that are there as a whole. */
function linesOf({ start, end = '', isWhole }: TextSubject): string[] {
  const first = start.split('\n')
  if (!isWhole) first.pop()
  const last = isWhole ? [] : end.split('\n').slice(1)
  return [...first.slice(0, START_LINES), ...last.slice(-END_LINES)]
    .map((line) => cleanLine(line).slice(0, 2_000))
    .filter((line) => line !== '')
}

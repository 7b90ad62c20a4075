import { cleanLine, perSubject, startLines } from '@spillway/text/internal'
import type { TextPreviewer, TextReader, TextSubject, WritePreview } from '../previewer.ts'
import { USUAL_TOKENS } from '../usual-tokens.ts'
import { type LineModel } from './line-model.ts'
import { LINE_MODEL } from './line-weights.ts'
import { writeTextPreview } from './render-text-preview.ts'
import type { TextScan } from './text-scan.ts'
import { TextScanner } from './text-scanner.ts'

/** Number of lines that are examined at each end of a text. */
const START_LINES = 120
const END_LINES = 40

/** Matches a time of a logger or CI system, also after a priority, a stream, or a job. */
const TIMED =
  /^(?:\S+\t\S.{0,60}\t)?(?:<\d{1,3}>1? ?)?[[(]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d|\d\d:\d\d:\d\d[.,\] ]|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\d\d?[-/][A-Z][a-z]{2}[-/]\d{4}[: ]\d\d:\d\d:\d\d| *\d+\.\d{6}\] |[IWEF]\d{4} \d\d:\d\d:\d\d\.)/

/** Matches a level. Its distance from the start of the line is at most 60. */
const LEVEL =
  /(?:^|[\s[(<|:])(?:INFO|DEBUG|TRACE|WARN(?:ING)?|ERROR|FATAL|NOTICE|SEVERE|info|debug|trace|warn|error|LOG|Note|notice)(?:$|[\s\]):>|])/
const NAMED_LEVEL = /^\S.{0,80}\blevel=[a-z]/

/** Matches the exit code of a failed command, as shells and CI systems write it. Only program output has such lines. */
const ENDED = /\b(?:exited (?:with )?|exit (?:code|status) )\D{0,16}[1-9]\d{0,2}\b/

/** Return the confidence that a text is a log, or the output of a build or test. */
export const logSureness: (subject: TextSubject) => number = perSubject(rateLog)

function rateLog(subject: TextSubject): number {
  const lines = linesOf(subject)
  if (lines.length === 0) return UNSURE
  const share = (is: (line: string) => boolean): number => lines.filter(is).length / lines.length
  const timed = share((line) => TIMED.test(line))
  const leveled = share(isLeveled)
  if (leveled >= 0.5 && timed + leveled >= 1) return 0.92
  if (timed >= 0.6 || leveled >= 0.6) return 0.75
  if (lines.some((line) => ENDED.test(line))) return 0.7
  if (timed >= 0.3 || leveled >= 0.3) return 0.65
  return UNSURE
}

function isLeveled(line: string): boolean {
  const at = line.slice(0, 70).search(LEVEL)
  return (at >= 0 && at <= 60) || (line.includes('level=') && NAMED_LEVEL.test(line))
}

/** Confidence for all other text, because any text may be program output. */
const UNSURE = 0.02

/** Return the complete lines at both ends of a text. */
function linesOf(subject: TextSubject): string[] {
  const { end = '', isWhole } = subject
  const last = isWhole ? [] : end.split('\n').slice(1).slice(-END_LINES)
  return [...startLines(subject).slice(0, START_LINES), ...last.map((line) => cleanLine(line))]
    .map((line) => line.slice(0, 2_000))
    .filter((line) => line !== '')
}

/** Matches the extension of a file that is not the output of a program. */
const WRITTEN_FILE = /\.(?!(?:log|out|err|txt|\d+)$)\w{1,10}$/i
/** Smallest score of a line that clearly reports a failure. */
const SURE_SCORE = 0.5

export class LogReader implements TextReader {
  readonly #scanner: TextScanner
  #scan: TextScan | undefined

  constructor(model: LineModel = LINE_MODEL) {
    this.#scanner = new TextScanner(model)
  }

  push(text: string): void {
    this.#scanner.push(text)
  }

  /** End the text. No more text may be pushed. */
  get scan(): TextScan {
    return (this.#scan ??= this.#scanner.finish())
  }

  get lines(): number {
    return this.scan.lines
  }

  /** Largest useful number of tokens. If no line clearly reports a failure, users search for single lines. */
  get usualTokens(): number {
    const { scores } = this.scan.scores()
    return [...scores.values()].some((score) => score >= SURE_SCORE) ? USUAL_TOKENS.log : USUAL_TOKENS.structured
  }

  finish(subject: TextSubject): WritePreview {
    const { scan } = this
    const { words, paths } = subject.intent
    const isFile = WRITTEN_FILE.test(paths[0] ?? '')
    const hints = { words, isLog: logSureness(subject) > UNSURE, isFile }
    return (options) => writeTextPreview(scan, options, hints)
  }
}

/** Previews any text by lines, like a log. Used if no other previewer recognizes the text. */
export const textPreviewer: TextPreviewer = {
  name: 'text',
  previews: 'text',
  recognize: () => 0.01,
  read: () => new LogReader(),
}

/**
 * Previews logs, output of builds and tests, and text that no other previewer recognizes.
 *
 * Ranks lines by weights that were trained on logs of many projects. The best lines show the failure, the end of the
 * run, or unusual text.
 */
export function logPreviewer(): TextPreviewer {
  return { ...textPreviewer, name: 'log', recognize: logSureness }
}

import type { TextScan } from './text-scan.ts'

/** Matches the level field of a logger, as a word or as a number of pino and bunyan. */
const LEVEL =
  /"(?:level|severity|severityText|levelname|log\.level|lvl|loglevel|log_level|@l)" ?: ?(?:"[A-Za-z]{3,11}"|[1-6]0\b)/

/** Matches a line of output in the JSON format of Docker. */
const WRAPPED = /^\{"log":".*","stream":"std(?:out|err)"/

export function isLevelObject(line: string): boolean {
  return /^\s*\{\s*"/.test(line) && /\}\s*$/.test(line) && (LEVEL.test(line.slice(0, 2_000)) || WRAPPED.test(line))
}

/** Whether a text is JSON but not a log, so that its structure matters more than single lines. */
export function isData(scan: TextScan): boolean {
  const first = scan.kept[0]
  return first !== undefined && !(scan.lines > 1 && isLevelObject(first.text)) && isJson(scan)
}

function isJson(scan: TextScan): boolean {
  const first = scan.kept[0]!
  const last = scan.kept.at(-1)!
  const start = first.text.trimStart()
  const end = (last.end === '' ? last.text : last.end).trimEnd()
  if (/^(?:\{\s*(?:$|")|\[\s*(?:$|[{["\d]))/.test(start) && /[}\]]$/.test(end)) return true
  // The text has one JSON value on each line.
  return scan.kept.slice(0, 5).every(({ text }) => /^\{\s*"[^"]{1,80}"\s*:/.test(text))
}

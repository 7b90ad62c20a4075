/** A level, as loggers name the field of it; its value is a word, or a number as of pino and bunyan. */
const LEVEL =
  /"(?:level|severity|severityText|levelname|log\.level|lvl|loglevel|log_level|@l)" ?: ?(?:"[A-Za-z]{3,11}"|[1-6]0\b)/

/** What docker keeps a line of a container's output in. */
const WRAPPED = /^\{"log":".*","stream":"std(?:out|err)"/

/** Whether a line is a JSON object of a log: one with a level, or a line of output in a wrapper. */
export function isLevelObject(line: string): boolean {
  return /^\s*\{\s*"/.test(line) && /\}\s*$/.test(line) && (LEVEL.test(line.slice(0, 2_000)) || WRAPPED.test(line))
}

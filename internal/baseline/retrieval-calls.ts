/** A call of the retrieval tool. */
export type Call = Readonly<Record<string, unknown>>

/** Return calls for one stored content, derived only from its text. */
export function callsFor(reference: string, text: string): readonly Call[] {
  const lines = text.split('\n')
  const middle = Math.ceil(lines.length / 2)
  const [word, other, last] = [
    wordAt(lines, middle),
    wordAt(lines, Math.ceil(lines.length / 4)),
    wordAt(lines, lines.length),
  ]
  const [column = 'name', ...columns] = cellsOf(lines[0] ?? '')
  const cell = cellsOf(lines[middle - 1] ?? '')[0] ?? word
  const name = (text: string): string => `"${text.replaceAll('"', '""')}"`
  const equals = `${name(column)} = '${cell.replaceAll("'", "''")}'`
  const key = /"(\w+)"\s*:/.exec(lines.slice(middle - 1).join('\n'))?.[1] ?? 'id'
  const near = { start: Math.max(1, middle - 50), end: middle + 50 }
  const calls: readonly Call[] = [
    {},
    { context_lines: 7 },
    { from_end: true, context_lines: 12 },
    { line_range: { start: middle, end: middle + 20 } },
    { line_range: { start: lines.length - 2, end: lines.length + 20 } },
    { line_range: { start: lines.length + 1_000, end: lines.length + 1_010 } },
    { byte_range: { start: 101, end: 500 } },
    { pattern: word },
    { pattern: word, context_lines: 0, from_end: true },
    { pattern: word, context_lines: 1, after: 2 },
    { pattern: word, count_only: true },
    { pattern: word, line_range: near },
    { pattern: word.toUpperCase(), ignore_case: true },
    { pattern: `${word.slice(0, 4)}\\w*\\W+\\w+|\\b[45]\\d\\d\\b`, context_lines: 1 },
    { pattern: `^.*${word}.*$`, count_only: true },
    { pattern: `(${word}` },
    { pattern: 'no such text anywhere' },
    { pattern: [word, other, 'error|fail'].join('|'), context_lines: 0 },
    { query: `${word} ${other} ${last}` },
    { query: word, after: 1 },
    { json_path: '$.*' },
    { json_path: `$..[${JSON.stringify(key)}]` },
    { json_path: `$..[?@[${JSON.stringify(key)}]]`, count_only: true },
    { sql: `SELECT ${name(column)}, ${name(columns.at(-1) ?? column)} FROM t LIMIT 5` },
    { sql: `SELECT * FROM t WHERE ${equals} LIMIT 5` },
    { sql: `SELECT ${name(column)}, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5` },
  ]
  return calls.map((call) => ({ reference, ...call }))
}

/** Return calls for a scope with these contents: calls that search the whole scope, and invalid calls. */
export function scopeCalls(references: readonly string[], texts: readonly string[]): readonly unknown[] {
  const [first = '', last = ''] = [references.at(0), references.at(-1)]
  const [word, other] = [texts.at(0), texts.at(-1)].map((text = '') => wordAt(text.split('\n'), 1))
  return [
    { pattern: word },
    { pattern: other, count_only: true },
    { pattern: 'error|fail', ignore_case: true, context_lines: 0 },
    { pattern: 'no such text anywhere' },
    { query: `${word} ${other}` },
    { pattern: `${word}|${other}` },
    { reference: `${last.slice(0, -1)}x` },
    { reference: 'unknown_0123456789' },
    { reference: '../../etc/passwd' },
    { reference: first, line_range: { start: 9, end: 3 } },
    { reference: first, line_range: { start: 0, end: 3 } },
    { reference: first, line_range: 'all' },
    { reference: first, pattern: 'x'.repeat(2_000) },
    { reference: first, pattern: word, query: word },
    { reference: first, json_path: '$[' },
    { reference: first, sql: 'no statement' },
    { reference: first, count_only: true },
    { reference: first, after: -1 },
    { reference: first, unknown_parameter: 1 },
    { pattern: '' },
    {},
    'text',
    null,
  ]
}

/** Return the call that an answer names as its continuation. */
export function continuationOf(answer: string): Call | undefined {
  const json = /To continue: \S+ (\{.*\})\]/.exec(answer)?.[1]
  return json === undefined ? undefined : (JSON.parse(json) as Call)
}

/** Return the first word of five or more letters at or after a line (1-based). If none follows, search all lines. */
function wordAt(lines: readonly string[], line: number): string {
  const text = [...lines.slice(line - 1), ...lines.slice(0, line - 1)].join('\n')
  return /[A-Za-z_]{5,40}/.exec(text)?.[0] ?? 'word'
}

/** Return parts of a line that could be cells of a table. */
const cellsOf = (line: string): readonly string[] =>
  line
    .slice(0, 500)
    .split(/[,\t|]|\s{2,}/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')

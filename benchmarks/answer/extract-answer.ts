import type { AnswerCase, Asks, Evidence } from './answer-case.ts'
import { escapeRegex } from './systems/system.ts'

/** Whether a rule can extract the answer, a value, from shown text. */
export const canExtract = ({ form }: Asks): boolean =>
  form === 'cell' || form === 'sibling' || form === 'count' || form === 'rows'

/** Return the value that an agent without knowledge of the answer would extract; `undefined` if no value is found. */
export function extractAnswer(asks: Asks, { shown, counts }: Evidence): string | undefined {
  switch (asks.form) {
    case 'count':
      return counts.at(-1)?.toString()
    case 'rows':
      return counts.at(-1)?.toString() ?? timesOf(shown, asks.value)
    case 'cell':
      return cellBeside(shown, asks.keyColumn, asks.key, asks.field)
    case 'sibling':
      return valueBeside(shown, String(asks.key), asks.field)
    default:
      return undefined
  }
}

/** Whether an extracted value is the answer. */
export const isRight = ({ answer }: AnswerCase, extracted: string): boolean => unquoted(answer ?? '') === extracted

/** Return the count that a preview states for a value. */
function timesOf(shown: string, value: string): string | undefined {
  return new RegExp(`${escapeRegex(value)}"? ×([\\d,]+)`).exec(shown)?.[1]?.replaceAll(',', '')
}

function cellBeside(shown: string, keyColumn: string, key: string, field: string): string | undefined {
  const lines = shown.split('\n').map((line) => cellsOf(line.replace(/^(?:>?\s*[\d:]+|row)[|:]\s?/, '')))
  const row = lines.findLast((cells) => cells.includes(key))
  if (row === undefined) return undefined
  const header = lines.findLast(
    (cells) => cells.length === row.length && cells.includes(field) && cells.includes(keyColumn),
  )
  const index = header?.indexOf(field)
  return index === undefined ? undefined : row[index]
}

/** Return the cells of a line in CSV, in TSV, or between bars. */
function cellsOf(line: string): readonly string[] {
  const separator = line.includes('\t') ? '\t' : line.includes(' | ') ? ' | ' : ','
  if (separator !== ',') return line.split(separator).map((cell) => unquoted(cell.trim()))
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((match) => unquoted((match[1] ?? '').trim()))
}

function valueBeside(shown: string, key: string, field: string): string | undefined {
  // An answer that selects a value ends with the value, alone or after its path, and then with an optional fence.
  const selected = /(?:^|\n)(?:\$\S*: )?("(?:[^"\\]|\\.)*"|-?\d[\d.]*)\s*(?:>>> end of \S+)?$/.exec(shown)?.[1]
  if (selected !== undefined) return unquoted(selected)
  const place = shown.lastIndexOf(key)
  if (place < 0) return undefined
  const pair = new RegExp(`"${escapeRegex(field)}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*"|[\\w.+-]+)`, 'g')
  const start = Math.max(0, place - 2_000)
  const values = [...shown.slice(start, place + 2_000).matchAll(pair)]
  const [nearest] = values.toSorted((one, other) => distance(one) - distance(other))
  function distance({ index }: { readonly index: number }): number {
    return Math.abs(start + index - place)
  }
  return nearest?.[1] === undefined ? undefined : unquoted(nearest[1])
}

const unquoted = (value: string): string => (/^".*"$/s.test(value) ? value.slice(1, -1).replaceAll('""', '"') : value)

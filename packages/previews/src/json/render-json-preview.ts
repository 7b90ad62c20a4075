import { formatCount, cleanLine, cutAtGrapheme, estimateTokens } from '@spillway/text/internal'
import { fitBudget, type Draft } from '../layout/fit-budget.ts'
import { countOf } from '../layout/gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import { EntryRows } from './entry-rows.ts'
import type { JsonScan } from './json-scan.ts'
import type { Passage } from './passage.ts'
import type { Shape } from './shape.ts'
import { ShownStrings } from './shown-strings.ts'
import { Skeleton } from './skeleton.ts'

/**
 * How the tokens that the names of keys leave are shared among values, rows of the longest array or map, and strings of many
 * lines; only ratios matter.
 */
const SHARES = { values: 0.3, items: 0.4, strings: 0.3 }

/** What a preview of JSON is made of. */
export interface JsonContent {
  readonly scan: JsonScan
  /** The text itself, where it is short. */
  readonly whole: string | undefined
  /** What stands before the first value. */
  readonly prefix: string
}

/** Longest part of what stands before the first value that is shown, in UTF-16 units. */
const PREFIX_UNITS = 120
/** Fewest tokens that show anything of a shape. */
const LEAST_TOKENS = 5
/** Share of the tokens left by other keys that the names in maps have at most. */
const NAMES_SHARE = 0.5

/** Write the preview of what was read of JSON: its shape, then rows of items, then strings of many lines. */
export function renderJsonPreview(content: JsonContent, options: PreviewOptions): string {
  const { scan, whole } = content
  if (whole !== undefined && estimateTokens(whole) <= options.budgetTokens * 1.3) {
    const text = cleanText(whole)
    if (options.countTokens(text) <= options.budgetTokens) return text
  }
  const passage = scan.passages.find((one) => entryShape(one, scan) !== undefined)
  const tabled = passage && entryShape(passage, scan)
  const skeleton = new Skeleton(scan.root, tabled)
  // Rows of simple values are few: there, more names tell more.
  const namedInRows = passage?.isObject && tabled !== undefined && tabled.objects > 0 ? tabled : undefined
  const rows = passage && tabled && new EntryRows(passage, tabled, options.budgetTokens)
  const strings = new ShownStrings(scan, options, (nested, within) =>
    renderJsonPreview({ scan: nested, whole: undefined, prefix: '' }, within),
  )
  const head = header(content)
  const headTokens = estimateTokens(head)
  const write = (aim: number): Draft => {
    if (aim < headTokens + LEAST_TOKENS) return { text: head, complete: false }
    const all = {
      ...SHARES,
      items: rows === undefined ? 0 : SHARES.items,
      strings: strings.isEmpty ? 0 : SHARES.strings,
    }
    const sum = all.values + all.items + all.strings
    const kept = strings.isEmpty ? 0 : aim * strings.least
    const room = skeleton.chooseKeys(aim - headTokens - kept) + kept
    let left = room
    const part = (share: number, take: (tokens: number) => number): void => {
      const given = Math.min(left, room * share)
      if (given <= 0) return
      left -= given - take(given)
    }
    part(NAMES_SHARE, (tokens) => skeleton.chooseNames(tokens, namedInRows))
    part(all.values / sum, (tokens) => skeleton.chooseValues(tokens, 0, 2))
    let lines = ''
    let table = ''
    part(all.items === 0 ? 0 : all.items / (all.items + all.strings), (tokens) => {
      table = rows!.write(tokens, options)
      return tokens - estimateTokens(table)
    })
    part(all.strings === 0 ? 0 : 1, (tokens) => {
      lines = strings.write(tokens)
      return tokens - estimateTokens(lines)
    })
    left = skeleton.chooseNames(left)
    skeleton.chooseValues(left, 2, 4)
    return { text: `${head}\n${skeleton.write()}${table}${lines}`, complete: false }
  }
  return fitBudget(write, options)
}

/** The shape of the entries of a passage that are rows of one table: items that are objects, or members of a map. */
function entryShape({ keys, isObject, isTop }: Passage, { root }: JsonScan): Shape | undefined {
  let shape: Shape | undefined = root
  for (const key of keys) shape = key === '' ? shape?.item : (shape?.fields?.get(key) ?? shape?.others)
  const entry = isTop ? root : isObject ? shape?.others : shape?.item
  return entry !== undefined && (entry.objects > 0 || (isObject && entry.arrays === 0)) ? entry : undefined
}

function header({ scan, prefix }: JsonContent): string {
  const { values, lines, broken, abandoned, strays, oneLine, length } = scan
  const parts =
    values > 1
      ? [`${formatCount(values)} JSON records`, ...(oneLine && lines === values ? [] : [countOf(lines, 'line')])]
      : [`JSON, ${countOf(lines, 'line')}`]
  if (lines === 1) parts.push(`${formatCount(length)} characters`)
  if (abandoned > 0) parts.push(`${formatCount(abandoned)} broken`)
  if (strays > 0) parts.push(`${countOf(strays, 'other line')}`)
  if (scan.deeper > 0) parts.push(`${formatCount(scan.deeper)} deeper values`)
  if (broken?.atEnd) parts.push('cut off at the end')
  else if (broken !== undefined) {
    const place = lines > 1 ? `line ${broken.line}` : `character ${formatCount(broken.offset + 1)}`
    parts.push(`no JSON from ${place} on`)
  }
  const before = cleanText(prefix).trim()
  const shown = before.length > PREFIX_UNITS ? `${cutAtGrapheme(before, PREFIX_UNITS)}[…]` : before
  return `[${parts.join(', ')}]${shown === '' ? '' : `\n${shown}`}`
}

function cleanText(text: string): string {
  return text.split('\n').map(cleanLine).join('\n').toWellFormed()
}

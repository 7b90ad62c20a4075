import type { BarLayout } from './bar-rows.ts'
import { cellsOf, isBarRule, isFooter, isRule, typedColumns, type FoundBars } from './find-columns.ts'

/** Share of the further lines between two rules that may look like rows of their own. */
const MOST_ROWS_BETWEEN = 0.2

/** Find out how the lines of a table between bars form rows, by its first lines. */
export function barLayout({ columns, header, isFramed }: FoundBars, lines: readonly string[]): BarLayout {
  const below = lines[header + 1] ?? ''
  const groups = groupsBetweenRules(lines.slice(header + 1), isFramed)
  const [top = ''] = lines
  // rich and nushell draw tables so, and wrap their cells; database clients do not.
  const wraps = /^[┏╭]/.test(top)
  return {
    columns,
    isFramed,
    isRuled: areRuled(groups.map((group) => group.map((line) => cellsOf(columns, line)))),
    isMarkdown: isFramed && below.includes('-') && below.startsWith('|') && !isRule(top),
    typed: typedColumns(columns, groups.flat()),
    wrapped: wraps
      ? top
          .slice(1, -1)
          .split(/[┳┬╤]/)
          .map((part) => part.length - 2)
      : undefined,
  }
}

function groupsBetweenRules(lines: readonly string[], isFramed: boolean): string[][] {
  const groups: string[][] = [[]]
  for (const line of lines) {
    if (isBarRule(line, isFramed)) groups.push([])
    else if (line !== '' && !isFooter(line)) groups.at(-1)!.push(line)
  }
  return groups.filter((group) => group.length > 0)
}

/** Whether rules stand between rows, and not between the parts of a table: then a further line is not filled like a row. */
function areRuled(groups: readonly (readonly string[][])[]): boolean {
  if (groups.length < 2) return false
  const further = groups.flatMap(([first = [], ...others]) => others.map((cells) => isLikeRow(cells, first)))
  const likeRows = further.filter(Boolean).length
  return likeRows <= further.length * MOST_ROWS_BETWEEN || further.length < groups.length / 2
}

function isLikeRow(cells: readonly string[], first: readonly string[]): boolean {
  const filled = first.flatMap((cell, column) => (cell === '' ? [] : [column]))
  return cells[0] !== '' && filled.filter((column) => cells[column] !== '').length * 2 > filled.length
}

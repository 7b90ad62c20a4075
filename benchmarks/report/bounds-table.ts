import { table } from './table.ts'
import type { Bound } from './section.ts'

/** Write a table of the bounds of a run, with the worst figure for each bound. */
export function boundsTable(bounds: readonly Bound[]): string {
  const rows = bounds.map(({ name, most, value, where, unit }) => {
    const written = (number: number): string =>
      `${Number(number.toPrecision(3))}${unit === undefined ? '' : ` ${unit}`}`
    const verdict = value === undefined ? '' : value <= most ? 'holds' : '**missed**'
    return [
      name,
      where.replaceAll('|', String.raw`\|`),
      value === undefined ? 'not measured' : written(value),
      written(most),
      verdict,
    ]
  })
  return table(['bound', 'worst', 'measured', 'at most', ''], rows, 2)
}

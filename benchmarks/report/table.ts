/** Write rows as a Markdown table. The first `names` columns are text, and all others numbers. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[], names = 1): string {
  const widths = heads.map((head, column) => Math.max(3, head.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column < names ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, column) => (column < names ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(heads), line(rule), ...rows.map(line)].join('\n')
}

/** Write an integer with thousands separators. */
export const count = (value: number): string => String(Math.round(value)).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')

/** Lay rows out as a Markdown table; all columns but the first `names` are numbers. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[], names = 1): string {
  const widths = heads.map((head, column) => Math.max(3, head.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column < names ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, column) => (column < names ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(heads), line(rule), ...rows.map(line)].join('\n')
}

/** Write a whole number with commas. */
export const count = (value: number): string => String(Math.round(value)).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')

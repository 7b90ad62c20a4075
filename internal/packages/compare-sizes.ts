/**
 * List the figures of Markdown tables that are new, or that have grown by more than a share compared with earlier
 * tables. Columns of milliseconds are ignored.
 */
export function compareSizes(before: string, after: string, mostGrowth: number): readonly string[] {
  const known = readFigures(before)
  return [...readFigures(after)].flatMap(([name, figure]) => {
    const old = known.get(name)
    if (old === undefined) return [`${name}: ${figure} is new. Write the table again.`]
    return figure > old * (1 + mostGrowth) ? [`${name}: ${figure}, before ${old}.`] : []
  })
}

/** Return the figures by table, row, and column. */
function readFigures(markdown: string): ReadonlyMap<string, number> {
  const figures = new Map<string, number>()
  let header: readonly string[] | undefined
  for (const line of markdown.split('\n')) {
    if (!line.startsWith('|')) {
      header = undefined
      continue
    }
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    if (header === undefined) {
      header = cells
      continue
    }
    for (const [index, cell] of cells.entries()) {
      const column = header[index] ?? ''
      if (/^\d+$/.test(cell) && !column.startsWith('ms'))
        figures.set(`${header[0]} ${cells[0]}, ${column}`, Number(cell))
    }
  }
  return figures
}

/** Split one record at its separators; quoted cells keep their quotes. */
export function splitRecord(record: string, separator: string, quotes: boolean): string[] {
  const cells: string[] = []
  for (let start = 0; ;) {
    const end = cellEnd(record, start, separator, quotes)
    cells.push(record.slice(start, end))
    if (end >= record.length) return cells
    start = end + 1
  }
}

function cellEnd(text: string, start: number, separator: string, quotes: boolean): number {
  let at = start
  if (quotes && text[at] === '"') {
    for (at = text.indexOf('"', at + 1); at >= 0 && text[at + 1] === '"';) at = text.indexOf('"', at + 2)
    if (at < 0) return text.length
  }
  const found = text.indexOf(separator, at)
  return found < 0 ? text.length : found
}

/** What a cell says: without the quotes around it, doubled quotes single (RFC 4180, section 2). */
export function unquote(cell: string): string {
  if (cell.length < 2 || !cell.startsWith('"') || !cell.endsWith('"')) return cell
  return cell.slice(1, -1).replaceAll('""', '"')
}

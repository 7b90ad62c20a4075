/** UTF-16 units of a name, at most. */
const LONGEST_NAME = 200

/** What a column is called: what the header says, on one line, or its number where that says nothing. */
export function columnName(header: string, column: number): string {
  const name = header
    .slice(0, LONGEST_NAME)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return name === '' ? `column ${column + 1}` : name
}

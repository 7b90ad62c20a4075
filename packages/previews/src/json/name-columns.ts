import type { Shape } from './shape.ts'

/** Key of an array that may name columns, or key of the object around this array. */
const NAMES_KEY = /attr|col|field|head|key|meta|name|schema/i

/** Name the columns of tables whose rows are arrays. The names are in an array beside the rows, or in the first row. */
export function nameColumns(shape: Shape): void {
  const fields = shape.isRow ? [] : [...(shape.fields?.values() ?? [])]
  const lists = fields.flatMap((field) => {
    const inner = field.isRow ? [] : [...(field.fields?.values() ?? [])]
    return NAMES_KEY.test(field.key) ? [field, ...inner] : inner.filter(({ key }) => NAMES_KEY.test(key))
  })
  for (const { item } of fields)
    if (item?.isRow) item.columnNames = lists.map(titlesOf).find((titles) => titles?.length === item.mostItems)
  if (shape.isRow && shape.columnNames === undefined) nameByFirstRow(shape)
  for (const kid of [...fields, shape.item, shape.others]) if (kid !== undefined) nameColumns(kid)
}

/** Use the first row as names if it has only strings, and a column has no other strings. */
function nameByFirstRow(row: Shape): void {
  const titles = titlesOf(row)
  if (row.arrays < 2 || titles?.length !== row.mostItems) return
  const columns = [...(row.fields?.values() ?? [])].map(({ scalars }) => scalars)
  if (!columns.some((column) => column?.strings === 1 && column.numbers + column.words > 0)) return
  row.columnNames = titles
  for (const column of columns) column?.removeFirst()
}

/** Return at least 2 different titles. */
function titlesOf({ titles = [] }: Shape): readonly string[] | undefined {
  return titles.length > 1 && new Set(titles).size === titles.length ? titles : undefined
}

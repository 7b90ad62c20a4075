import { COLUMN_LIST_KEYS } from '@spillway/text/internal/json'
import { isValue } from '@spillway/text/internal/tables'
import type { Shape, ValueSummary } from './shape.ts'
import { isString } from './show-value.ts'

const fieldsOf = (shape: Shape): Shape[] => (shape.isRow ? [] : [...(shape.fields?.values() ?? [])])

/**
 * Name the columns of tables whose rows are arrays. The names are in an array beside the rows, which may be in up to two
 * objects, or in the first row.
 */
export function nameColumns(shape: Shape): void {
  const fields = fieldsOf(shape)
  const inner = fields.flatMap(fieldsOf)
  const lists = [...fields, ...inner, ...inner.flatMap(fieldsOf)].filter(({ key }) => COLUMN_LIST_KEYS.includes(key))
  for (const { item } of fields)
    if (item?.isRow) item.columnNames = lists.map(titlesOf).find((titles) => titles?.length === item.mostItems)
  if (shape.isRow && shape.columnNames === undefined) nameByFirstRow(shape)
  for (const kid of [...fields, shape.item, shape.others]) if (kid !== undefined) nameColumns(kid)
}

/** Use the first row as names if it has only strings, and a column has no other strings except numbers and dates. */
function nameByFirstRow(row: Shape): void {
  const titles = titlesOf(row)
  if (row.arrays < 2 || titles?.length !== row.mostItems) return
  const columns = [...(row.fields?.values() ?? [])].map(({ scalars }) => scalars)
  const isNamed = ({ values: [title = '', ...others] }: ValueSummary): boolean =>
    others.length > 0 && !isData(title) && others.every(isData)
  if (!columns.some((column) => column !== undefined && isNamed(column))) return
  row.columnNames = titles
  for (const column of columns) column?.removeFirst()
}

const isData = (value: string): boolean => !isString(value) || isValue(value.slice(1, -1))

/** Return at least 2 different titles. */
function titlesOf({ titles = [] }: Shape): readonly string[] | undefined {
  return titles.length > 1 && new Set(titles).size === titles.length ? titles : undefined
}

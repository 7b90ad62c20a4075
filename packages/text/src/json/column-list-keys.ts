/** Usual keys of an array that names the columns of rows beside it. The array may be in an object beside the rows. */
export const COLUMN_LIST_KEYS: readonly string[] = [
  ...['columns', 'cols', 'columnNames', 'column_names', 'columnHeaders', 'fields', 'fieldNames', 'field_names'],
  ...['names', 'header', 'headers', 'keys', 'attributes', 'meta', 'schema', 'rowType'],
]

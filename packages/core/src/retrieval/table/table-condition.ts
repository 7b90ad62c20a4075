import { isNull, Operand } from './cell-value.ts'

/** How a cell is compared. */
export type ConditionOperator =
  | '='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'contains'
  | 'starts with'
  | 'ends with'
  | 'in'
  | 'is null'

/** A condition on one column of a table. */
export interface TableCondition {
  /** The column as the model wrote it, without quotes. */
  readonly column: string
  /** What stands behind the column, as the model wrote it. */
  readonly rest: string
  /** What it compares cells with. */
  readonly values: readonly string[]
  /** Whether a cell meets it; `undefined` is a cell that is missing or null. */
  readonly holds: (cell: string | undefined) => boolean
}

/** Make a condition. `values` has one value, any number for `in`, and none for `is null`. */
export function tableCondition(
  column: string,
  operator: ConditionOperator,
  values: readonly string[],
  isNegated: boolean,
): Omit<TableCondition, 'rest'> {
  const test = testOf(operator, values)
  return { column, values, holds: isNegated ? (cell) => !test(cell) : test }
}

function testOf(operator: ConditionOperator, values: readonly string[]): (cell: string | undefined) => boolean {
  if (operator === 'is null') return isNull
  if (operator === 'in') {
    const tests = values.map((value) => testOf('=', [value]))
    return (cell) => tests.some((test) => test(cell))
  }
  const operand = new Operand(values[0] ?? '')
  const { text } = operand
  const lowered = text.toLowerCase()
  const ordered = (fits: (order: number) => boolean) => (cell: string | undefined) => {
    const order = cell === undefined ? undefined : operand.order(cell.trim())
    return order !== undefined && fits(order)
  }
  switch (operator) {
    case '=':
      return (cell) => operand.equals((cell ?? '').trim())
    case '!=':
      return (cell) => !operand.equals((cell ?? '').trim())
    case '<':
      return ordered((order) => order < 0)
    case '<=':
      return ordered((order) => order <= 0)
    case '>':
      return ordered((order) => order > 0)
    case '>=':
      return ordered((order) => order >= 0)
    case 'contains':
      return (cell) => cell !== undefined && cell.toLowerCase().includes(lowered)
    case 'starts with':
      return (cell) => cell !== undefined && cell.trim().startsWith(text)
    case 'ends with':
      return (cell) => cell !== undefined && cell.trim().endsWith(text)
  }
}

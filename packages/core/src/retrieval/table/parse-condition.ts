import { RetrievalError } from '../retrieval-tool.ts'
import { quote } from '../show-hits.ts'
import { isNull, Operand } from './cell-value.ts'

/** UTF-16 units of a condition, at most. */
const LONGEST_CONDITION = 1_000

const SYMBOL = /\s*(==|=|!=|<>|<=|>=|<|>)/y
const IS = /\s*\bis\s+(not\s+)?(?:null|empty)\s*$/iy
const NULL = /\s*null\s*$/iy
const WORDS = /\s*\b(not\s+|does\s+not\s+)?(contains?|starts?\s+with|ends?\s+with|in)(?![\p{L}\p{N}_])/iuy
const BARE_COLUMN = /[^\s=!<>"'`(),[\]]+/y
/** What begins a condition: a column and an operator. */
const CONDITION =
  /^\(?\s*(?:"[^"]*"|`[^`]*`|\[[^\]]*\]|[^\s=!<>]+)\s*(?:[=<>]|!=|\b(?:is|in|not|contains?|starts?|ends?|like|between)\b)/i
const CLOSING: Readonly<Record<string, string>> = { '"': '"', '`': '`', '[': ']' }

/** The operators, as errors name them. */
const OPERATORS = '= != < <= > >=, contains, starts with, ends with, in (a, b), is null, is not null'

/**
 * Read the condition that a model wrote on one column of a table.
 *
 * ```text
 * condition = column ( compare value | [ "not" ] "in" "(" value { "," value } ")" | "is" [ "not" ] ( "null" | "empty" ) )
 * compare   = "=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">=" | [ "not" ] ( "contains" | "starts with" | "ends with" )
 * column    = '"' name '"' | "`" name "`" | "[" name "]" | name
 * value     = '"' text '"' | "'" text "'" | text
 * ```
 *
 * A quote inside of quotes is doubled. A bare name is one of `names`, which may have blanks, or else one word; a bare
 * value goes on to the end, or in a list to the next comma. Words of operators may be in upper case.
 *
 * Where the value is a number, cells compare as numbers (`1,234.5`, `12%` as 12, `$3.00`), and where it is a date of
 * ISO 8601, as dates; cells that are neither then have no order and are not equal. Other values compare as text, letter
 * by letter, and `contains` without regard to case. Blanks around a cell do not count. A cell is null where it is
 * missing, blank, `NULL`, `(null)` or `\N`; `= null` asks for that too.
 *
 * Throws a `RetrievalError`, `invalid-input`, that says where it goes wrong and gives a right example.
 */
export function parseCondition(where: string, names: readonly string[], reference: string): TableCondition {
  return new ConditionParser(where, names, reference).parse()
}

class ConditionParser {
  readonly #text: string
  readonly #names: readonly string[]
  readonly #reference: string
  #at = 0
  /** The column that a right example names. */
  #name: string | undefined

  constructor(text: string, names: readonly string[], reference: string) {
    this.#text = text
    this.#names = names
    this.#reference = reference
  }

  parse(): TableCondition {
    if (this.#text.length > LONGEST_CONDITION)
      throw this.#problem(`where has more than ${LONGEST_CONDITION} characters.`)
    this.#blanks()
    const column = this.#column()
    this.#name = this.#names[new ColumnPlaces(this.#names).find(column) ?? 0]
    const rest = this.#text.slice(this.#at)
    return { ...this.#operation(column), rest }
  }

  #operation(column: string): Omit<TableCondition, 'rest'> {
    const is = this.#match(IS)
    if (is !== undefined) return tableCondition(column, 'is null', [], is[1] !== undefined)
    const symbol = this.#match(SYMBOL)?.[1]
    if (symbol !== undefined) {
      const operator = symbol === '==' ? '=' : symbol === '<>' ? '!=' : (symbol as ConditionOperator)
      const isNull = (operator === '=' || operator === '!=') && this.#match(NULL) !== undefined
      if (isNull) return tableCondition(column, 'is null', [], operator === '!=')
      return tableCondition(column, operator, [this.#value()], false)
    }
    const words = this.#match(WORDS)
    if (words === undefined) {
      this.#blanks()
      throw this.#expected(`an operator (${OPERATORS})`)
    }
    const isNegated = words[1] !== undefined
    const [first = ''] = words[2]!.toLowerCase().split(/\s/)
    if (first === 'in') return tableCondition(column, 'in', this.#list(), isNegated)
    const operator = first.startsWith('contain') ? 'contains' : first.startsWith('start') ? 'starts with' : 'ends with'
    return tableCondition(column, operator, [this.#value()], isNegated)
  }

  #column(): string {
    const close = CLOSING[this.#text[this.#at] ?? '']
    if (close !== undefined) return this.#quoted(close)
    const known = this.#knownName()
    if (known !== undefined) {
      this.#at += known.length
      return known
    }
    const start = this.#at
    const word = this.#match(BARE_COLUMN)?.[0]
    if (word === undefined) throw this.#expected('a column')
    // Several words before an operator are meant as one name, and are said to be none.
    const end = this.#text.slice(this.#at).search(/[=<>]|!=/)
    if (end <= 0 || this.#looksAtOperator()) return word
    this.#at += end
    return this.#text.slice(start, this.#at).trim()
  }

  /** The longest of the names that stands here, with its end. */
  #knownName(): string | undefined {
    const rest = this.#text.slice(this.#at)
    const lowered = rest.toLowerCase()
    let best: string | undefined
    for (const name of this.#names) {
      if (name.length <= (best?.length ?? 0) || name.length >= rest.length) continue
      if (!lowered.startsWith(name.toLowerCase()) || !/[\s=!<>]/.test(rest[name.length]!)) continue
      best = rest.slice(0, name.length)
    }
    return best
  }

  #looksAtOperator(): boolean {
    return [IS, SYMBOL, WORDS].some((operator) => {
      operator.lastIndex = this.#at
      return operator.test(this.#text)
    })
  }

  /** Read on to a closing quote; doubled, it is part of the text. */
  #quoted(close: string): string {
    const start = this.#at
    let text = ''
    for (let from = start + 1; ;) {
      const end = this.#text.indexOf(close, from)
      if (end < 0) throw this.#problem(`The ${this.#text[start]} at position ${start + 1} of where is not closed.`)
      text += this.#text.slice(from, end)
      this.#at = end + 1
      if (close === ']' || this.#text[end + 1] !== close) return text
      text += close
      from = end + 2
    }
  }

  /** Read a value that goes on to the end. */
  #value(): string {
    this.#blanks()
    const quoteMark = this.#text[this.#at]
    if (quoteMark === '"' || quoteMark === "'") {
      const value = this.#quoted(quoteMark)
      this.#end()
      return value
    }
    const rest = this.#text.slice(this.#at).trim()
    if (rest === '') throw this.#expected('a value')
    // Only what reads as a second condition is one: `Trinidad and Tobago` is a value.
    for (const { index, 0: word } of rest.matchAll(/\s(?:and|or|&&|\|\|)\s/gi)) {
      if (CONDITION.test(rest.slice(index + word.length).trimStart())) throw this.#second(this.#at + index + 1)
    }
    return rest
  }

  #list(): string[] {
    this.#blanks()
    if (this.#text[this.#at] !== '(') throw this.#expected('a list in parentheses')
    const values: string[] = []
    do {
      this.#at++
      this.#blanks()
      const quoteMark = this.#text[this.#at]
      if (quoteMark === '"' || quoteMark === "'") {
        values.push(this.#quoted(quoteMark))
        this.#blanks()
      } else {
        const value = this.#match(/[^,)]*/y)![0].trim()
        if (value === '') throw this.#expected('a value')
        values.push(value)
      }
    } while (this.#text[this.#at] === ',')
    if (this.#text[this.#at] !== ')') throw this.#expected('a comma or a closing parenthesis')
    this.#at++
    this.#end()
    return values
  }

  /** Nothing may follow. */
  #end(): void {
    this.#blanks()
    if (this.#at >= this.#text.length) return
    if (/^(?:and|or)\b|^(?:&&|\|\|)/i.test(this.#text.slice(this.#at))) throw this.#second(this.#at)
    throw this.#expected('nothing after the value')
  }

  #blanks(): void {
    this.#match(/\s*/y)
  }

  /** Take what a sticky expression matches here. */
  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at
    const match = expression.exec(this.#text)
    if (match === null) return undefined
    this.#at += match[0].length
    return match
  }

  #expected(what: string): RetrievalError {
    const rest = this.#text.slice(this.#at)
    const found = rest === '' ? 'its end' : quote(rest, 30)
    return this.#problem(`At position ${this.#at + 1} of where, ${what} was expected, not ${found}.`)
  }

  #second(at: number): RetrievalError {
    return this.#problem(
      `where takes one condition on one column: ${quote(this.#text.slice(at), 30)} at position ${at + 1} is a second ` +
        'one. Take the one that leaves fewer rows (in (a, b) takes several values), or quote the value if this belongs ' +
        'to it.',
    )
  }

  #problem(message: string): RetrievalError {
    const where = `${writeName(this.#name ?? this.#names[0] ?? 'column')} = "some value"`
    return new RetrievalError('invalid-input', `${message} A right call:`, {
      call: { reference: this.#reference, where },
    })
  }
}

/** Write the name of a column so that a condition takes it. */
export function writeName(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

/** How a cell is compared. */
type ConditionOperator =
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
function tableCondition(
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

/** Finds columns by their names, of which more may come at the end of the same array. */
export class ColumnPlaces {
  readonly #names: readonly string[]
  readonly #exact = new Map<string, number>()
  readonly #plain = new Map<string, number>()
  #indexed = 0

  constructor(names: readonly string[]) {
    this.#names = names
  }

  /**
   * Return the place of a column: the one that is called just so, else in another case, else `column 3` by its number.
   * Of several that are called the same, the first.
   */
  find(name: string): number | undefined {
    for (; this.#indexed < this.#names.length; this.#indexed++) {
      const known = this.#names[this.#indexed]!
      if (!this.#exact.has(known)) this.#exact.set(known, this.#indexed)
      const plain = plainName(known)
      if (!this.#plain.has(plain)) this.#plain.set(plain, this.#indexed)
    }
    const wanted = plainName(name)
    const place = this.#exact.get(name) ?? this.#plain.get(wanted)
    if (place !== undefined) return place
    const number = Number(/^column (\d{1,6})$/.exec(wanted)?.[1] ?? 0)
    return number >= 1 && number <= this.#names.length ? number - 1 : undefined
  }
}

function plainName(name: string): string {
  return name.trim().toLowerCase()
}

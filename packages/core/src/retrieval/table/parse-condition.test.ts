import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { RetrievalError } from '../retrieval-tool.ts'
import { ColumnPlaces, parseCondition } from './parse-condition.ts'

const names = ['status', 'unit price', 'unit', 'say "hi"', 'a.b', 'is null']

function holds(where: string, cell: string | undefined): boolean {
  return parseCondition(where, names, 'ref').holds(cell)
}

function failureOf(where: string): RetrievalError {
  try {
    parseCondition(where, names, 'ref')
  } catch (error) {
    if (error instanceof RetrievalError) return error
    throw error
  }
  throw new Error(`${where} was taken`)
}

describe('parseCondition', () => {
  it.each([
    ['status = 200', '200', true],
    ['status == 200', '200.0', true],
    ['status=200', '201', false],
    ['status != 200', '', true],
    ['status <> 200', '200', false],
    ['status < 200', '1,000', false],
    ['status <= 200', '200', true],
    ['status > 200', '9', false],
    ['status>=200', ' 200 ', true],
    ['status < 200', 'unknown', false],
    ['status contains ERR', 'an error', true],
    ['status CONTAINS "err"', 'fine', false],
    ['status starts with err', 'error', true],
    ['status starts with err', 'Error', false],
    ["status ends with 'or'", 'error', true],
    ['status not contains err', 'error', false],
    ['status does not contain err', undefined, true],
    ['status in (200, "a,b", \'c\')', 'a,b', true],
    ['status IN (200,404)', '404', true],
    ['status in(200)', '201', false],
    ['status not in (200)', '201', true],
    ['status is null', '', true],
    ['status is empty', 'x', false],
    ['status IS NOT NULL', 'NULL', false],
    ['status is not empty', 'x', true],
    ['status = null', undefined, true],
    ['status != NULL', 'x', true],
    ['status = "null"', 'null', true],
    ['status = ""', '', true],
    ['status = a = b', 'a = b', true],
    ['status = Trinidad and Tobago', 'Trinidad and Tobago', true],
    ['status = "a and b = c"', 'a and b = c', true],
    ['status = "say ""hi"""', 'say "hi"', true],
    ["status = it's", "it's", true],
  ])('%s holds for %j: %s', (where, cell, expected) => expect(holds(where, cell)).toBe(expected))

  it.each([
    ['unit price > 3', 'unit price'],
    ['Unit Price>3', 'Unit Price'],
    ['unit > 3', 'unit'],
    ['"unit price" > 3', 'unit price'],
    ['`unit price`> 3', 'unit price'],
    ['[unit price]contains 3', 'unit price'],
    ['"say ""hi""" = x', 'say "hi"'],
    ['a.b = 1', 'a.b'],
    ['other words > 3', 'other words'],
    ['unknown contains x', 'unknown'],
    ['is null is null', 'is null'],
  ])('in %s the column is %s', (where, column) => expect(parseCondition(where, names, 'ref').column).toBe(column))

  it.each([
    ['', 'At position 1 of where, a column was expected, not its end.'],
    ['status', 'At position 7 of where, an operator (= !='],
    ['status like x', 'At position 8 of where, an operator'],
    ['status =', 'At position 9 of where, a value was expected, not its end.'],
    ['status in 1, 2', 'At position 11 of where, a list in parentheses was expected, not "1, 2".'],
    ['status in (1, ', 'At position 15 of where, a value was expected'],
    ['status in (1, "2" 3)', 'a comma or a closing parenthesis was expected, not "3)"'],
    ['status = "x" y', 'At position 14 of where, nothing after the value was expected, not "y".'],
    ['status = "x', 'The " at position 10 of where is not closed.'],
    ['[status = 1', 'The [ at position 1 of where is not closed.'],
    ['status = 1 and unit > 2', 'where takes one condition on one column: "and unit > 2" at position 12'],
    ['status = "x" OR unit = 2', 'takes one condition'],
    ['status in (1) && unit = 2', 'takes one condition'],
    ['status = x or status contains y', 'takes one condition'],
    [`status = ${'x'.repeat(1_000)}`, 'where has more than 1000 characters.'],
  ])('%s: %s', (where, message) => {
    const { code, message: given, call } = failureOf(where)
    expect(code).toBe('invalid-input')
    expect(given).toContain(message)
    expect(call).toEqual({ reference: 'ref', where: 'status = "some value"' })
  })

  it('keeps what stands behind the column', () => {
    expect(parseCondition('unit price>= 3', names, 'ref').rest).toBe('>= 3')
    expect(parseCondition('"statuz" in (1)', names, 'ref').rest).toBe(' in (1)')
  })

  it('gives an example with the column that was meant, where that is known', () => {
    expect(failureOf('unit price ~ 3').call?.where).toBe('"unit price" = "some value"')
  })

  it('gives an example that can be read, also for names that need quotes', () => {
    for (const name of names) {
      try {
        parseCondition('', [name], 'ref')
      } catch (error) {
        const where = (error as RetrievalError).call!.where!
        expect(parseCondition(where, [name], 'ref').column).toBe(name)
      }
    }
  })

  test('a quoted column and a quoted value are what they say, whatever they hold', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 40 }),
        fc.string({ maxLength: 40 }),
        fc.constantFrom('"', "'"),
        (column, value, mark) => {
          const where = `"${column.replaceAll('"', '""')}" = ${mark}${value.replaceAll(mark, mark + mark)}${mark}`
          const condition = parseCondition(where, [], 'ref')
          expect(condition.column).toBe(column)
          expect(condition.values).toEqual([value])
          expect(condition.holds(value)).toBe(true)
        },
      ),
    )
  })

  test('any text is a condition or fails with a message', () => {
    const words = fc.constantFrom(
      'status',
      'unit price',
      '=',
      '<',
      'in',
      '(',
      ')',
      ',',
      '"',
      "'",
      '`',
      '[',
      ']',
      'is',
      'not',
      'null',
      'and',
      'contains',
      ' ',
      '1',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words).map((parts) => parts.join(' ')),
        ),
        (where) => {
          try {
            expect(typeof parseCondition(where, names, 'ref').holds('x')).toBe('boolean')
          } catch (error) {
            expect(error).toBeInstanceOf(RetrievalError)
          }
        },
      ),
    )
  })
})

describe('column places', () => {
  const names = ['id', 'ID', 'Unit Price', 'column 1']

  it.each([
    ['ID', 1],
    ['Id', 0],
    [' unit price ', 2],
    ['column 2', 1],
    ['column 1', 3],
    ['column 5', undefined],
    ['column 0', undefined],
    ['', undefined],
  ])('finds %j at %s', (name, place) => expect(new ColumnPlaces(names).find(name)).toBe(place))

  it('finds columns that come later', () => {
    const growing = ['a']
    const places = new ColumnPlaces(growing)
    expect([places.find('b'), places.find('column 2')]).toEqual([undefined, undefined])
    growing.push('B')
    expect([places.find('b'), places.find('column 2')]).toEqual([1, 1])
  })
})

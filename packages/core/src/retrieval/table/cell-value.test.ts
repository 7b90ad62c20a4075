import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { isNull, numberOf, Operand, timeOf } from './cell-value.ts'

describe('numberOf', () => {
  it.each([
    ['0', 0],
    ['007', 7],
    ['-1.5', -1.5],
    ['+.5', 0.5],
    ['1,234.5', 1234.5],
    ['1,234,567', 1234567],
    ['12%', 12],
    ['12 %', 12],
    ['$3.00', 3],
    ['-$3', -3],
    ['€-3', -3],
    ['1e3', 1000],
    ['5.', 5],
    ['1234567890123456789', 1234567890123456768],
  ])('reads %j', (text, number) => expect(numberOf(text)).toBe(number))

  it.each(['', '-', '.', '1,23', '1 2', '1-2', '0x10', 'NaN', 'Infinity', '12a', '$', '%', '1'.repeat(60)])(
    'takes %j for no number',
    (text) => expect(numberOf(text)).toBeUndefined(),
  )

  test('what JavaScript writes of a number is read as that number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => numberOf(String(number)) === number),
    )
  })
})

describe('timeOf', () => {
  it.each([
    ['2024', '2024-01-01T00:00:00.000Z'],
    ['2024-03', '2024-03-01T00:00:00.000Z'],
    ['2024/03/05', '2024-03-05T00:00:00.000Z'],
    ['2024-03-05 10:30', '2024-03-05T10:30:00.000Z'],
    ['2024-03-05T10:30:15', '2024-03-05T10:30:15.000Z'],
    ['2024-03-05T10:30:15.25Z', '2024-03-05T10:30:15.250Z'],
    ['2024-03-05 10:30:15,5 UTC', '2024-03-05T10:30:15.500Z'],
    ['2024-03-05T10:30+02:00', '2024-03-05T08:30:00.000Z'],
    ['2024-03-05T10:30:00-0130', '2024-03-05T12:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('reads %j', (text, iso) => expect(timeOf(text)).toBe(Date.parse(iso)))

  it.each([
    '2023-02-29',
    '2024-13-01',
    '2024-00-01',
    '2024-03-05T24:00',
    '2024-03-5',
    '2024-03/05',
    '20240305',
    'March',
    '2024-03-05T10:30 PST',
    '0005-01-01',
    '202a',
  ])('takes %j for no date', (text) => expect(timeOf(text)).toBeUndefined())

  test('every date of JavaScript is read', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0100-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => timeOf(date.toISOString()) === date.getTime(),
      ),
    )
  })
})

describe('Operand', () => {
  it.each([
    ['10', '9', -1],
    ['10', '1,000', 990],
    ['10', 'N/A', undefined],
    ['10', '', undefined],
    ['2024-03-05', '2024-03-04T23:00Z', -3_600_000],
    ['2024', '2023-12-31', -86_400_000],
    ['b', 'a', -1],
    ['b', 'B', -1],
    ['b', '', undefined],
    ['9007199254740993', '9007199254740992', -1],
  ])('with %j orders %j', (value, cell, order) => expect(new Operand(value).order(cell)).toBe(order))

  it('equals the same number however it is written, and else the same text', () => {
    expect(new Operand('$1,000').equals('1000')).toBe(true)
    expect(new Operand('1e3').equals('1000.0')).toBe(true)
    expect(new Operand('9007199254740993').equals('9007199254740992')).toBe(false)
    expect(new Operand('2024-03-05').equals('2024/03/05')).toBe(true)
    expect(new Operand('abc').equals('ABC')).toBe(false)
  })
})

it('takes blanks and the words of databases for null', () => {
  for (const cell of [undefined, '', '  ', 'NULL', 'null', '\\N', '(null)', ' '.repeat(40)])
    expect(isNull(cell)).toBe(true)
  for (const cell of ['0', 'none', 'nullable', 'NaN', 'x'.repeat(40)]) expect(isNull(cell)).toBe(false)
})

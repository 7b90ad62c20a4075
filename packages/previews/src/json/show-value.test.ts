import { describe, expect, it } from 'vitest'
import { showScalar, showValues, tidy } from './show-value.ts'
import { ValueSummary } from './shape.ts'

function summaryOf(...values: unknown[]): ValueSummary {
  const summary = new ValueSummary()
  for (const value of values) {
    const text = JSON.stringify(value)
    if (typeof value === 'string') summary.addString(text, 0, text.length)
    else if (typeof value === 'number') summary.addNumber(text, 0, text.length)
    else summary.addWord(text, 0, text.length)
  }
  return summary
}

const shown = (summary: ValueSummary, cap = 80, several = false): string => showValues(summary, cap, several).text

describe('showValues', () => {
  it('shows a value that all items share', () => {
    expect(shown(summaryOf('open', 'open'))).toBe('"open"')
    expect(shown(summaryOf(null, null))).toBe('null')
  })

  it('lists a few values with their counts', () => {
    expect(shown(summaryOf('ok', 'failed', 'ok', null))).toBe('"ok" ×2|"failed" ×1|null ×1')
  })

  it('lists values without counts if each occurs once', () => {
    expect(shown(summaryOf(1, 2))).toBe('1|2')
  })

  it('shows the smallest and largest of many numbers, as written in the text', () => {
    expect(shown(summaryOf(...Array.from({ length: 50 }, (_, index) => index - 3.5)))).toBe('-3.5..45.5')
  })

  it('keeps every digit of large numbers', () => {
    const summary = new ValueSummary()
    for (const digits of ['505874924095815681', '505874924095815680'])
      for (let times = 0; times < 9; times++) summary.addNumber(digits, 0, digits.length)
    expect(shown(summary)).toBe('505874924095815681 ×9|505874924095815680 ×9')
  })

  it('shows the first of many strings, or several', () => {
    const many = summaryOf(...Array.from({ length: 50 }, (_, index) => `name ${index}`))
    expect(shown(many)).toBe('"name 0"|…')
    expect(shown(many, 40, true)).toBe('"name 0"|"name 1"|"name 2"|"name 3"|…')
  })

  it('distinguishes long strings that have the same start', () => {
    const start = 'x'.repeat(600)
    const summary = summaryOf(`${start}1`, `${start}2`)
    expect(shown(summary)).toMatch(/^"x+\[… \d+ more\]"\|…$/)
  })
})

describe('showScalar', () => {
  it('cuts a long string and shows how many characters are left out', () => {
    expect(showScalar(`"${'ab '.repeat(20)}"`, 12)).toEqual({ text: '"ab ab ab ab [… 48 more]"', cut: true })
  })

  it('removes an incomplete escape at the cut', () => {
    expect(showScalar(String.raw`"abcde\nfghijklmnop"`, 6).text).toBe('"abcde[… 13 more]"')
    expect(showScalar(String.raw`"abcd\\nfghijklmnop"`, 6).text).toBe(String.raw`"abcd\\[… 12 more]"`)
  })

  it('shows the length of a value even if only its start is available', () => {
    expect(showScalar('"abcdefghij', 6, 1_002).text).toBe('"abcdef[… 994 more]"')
  })
})

describe('tidy', () => {
  it('decodes letters, but not control characters', () => {
    expect(tidy(String.raw`"caf\u00e9 \u65e5\u672c https:\/\/a \u001b[31m \\u00e9"`)).toBe(
      String.raw`"café 日本 https://a \u001b[31m \\u00e9"`,
    )
    expect(tidy('"a\u001b[0m\tb\nc"')).toBe('"a [0m b c"')
    expect(tidy(String.raw`"\u009f\u00a0\u2028"`)).toBe('"\\u009f\u00a0\\u2028"')
  })

  it('returns valid Unicode', () => {
    expect(tidy(String.raw`"\ud83d"`).isWellFormed()).toBe(true)
  })
})

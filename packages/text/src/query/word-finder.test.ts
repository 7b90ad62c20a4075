import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQueryWords } from './query-words.ts'
import { wordFinder } from './word-finder.ts'

/** The words of a question that occur in a text, as the text spells them. */
function found(query: string, text: string): string[] {
  const finder = wordFinder(parseQueryWords(query).words.filter((word) => !word.implied))
  const hits: string[] = []
  for (let hit = finder(text, 0); hit !== undefined; hit = finder(text, hit.end)) {
    hits.push(text.slice(hit.start, hit.end))
  }
  return hits
}

describe('wordFinder', () => {
  it('finds words in any form and case', () => {
    expect(found('payment failure', 'PAYMENTS: 3 Failed, failing; payment fails')).toEqual([
      'PAYMENTS',
      'Failed',
      'failing',
      'payment',
      'fails',
    ])
  })

  it('finds words as parts of names, and names by their parts', () => {
    expect(found('payment failed', 'onPaymentFailed payment_failed com.payment.Failure/payment')).toEqual([
      'Payment',
      'Failed',
      'payment',
      'failed',
      'payment',
      'Failure',
      'payment',
    ])
    expect(found('paymentFailed HTTPTimeout', 'a payment has failed: http timeout')).toEqual([
      'payment',
      'failed',
      'http',
      'timeout',
    ])
  })

  it('does not find words inside other words', () => {
    expect(found('port test art', 'report contest start part testament')).toEqual([])
  })

  it('finds words after a color code', () => {
    expect(found('wait', '\u001B[38;5;153mwait\u001B[0m mwait [0mwait')).toEqual(['wait'])
  })

  it('finds codes and numbers only unchanged', () => {
    expect(found('E7731 500', 'e7731 E77310 XE7731 500 5000 1500 code500')).toEqual(['e7731', '500', '500'])
  })

  it('does not find a failure in "no failures"', () => {
    expect(found('failures errors', '0 failures, no errors, Failures: 0, errors=0')).toEqual([])
    expect(found('failures errors', '10 failures, new errors, Failures: 1, errors=07')).toHaveLength(4)
  })

  it('finds words in scripts without spaces, other alphabets, and from right to left', () => {
    expect(found('支払い失敗', '本日の支払いは失敗しました')).toEqual(['支払', '失敗'])
    expect(found('Größe ошибка', 'GRÖSSE größe ОШИБКА ошибка2')).toEqual(['größe', 'ОШИБКА', 'ошибка'])
    expect(found('שגיאה', 'קרתה שגיאה')).toEqual(['שגיאה'])
  })

  it('finds irregular forms', () => {
    expect(found('build broke', 'built, broken, break, building')).toEqual(['built', 'broken', 'break', 'building'])
  })

  it('finds each separate word next to any other text', () => {
    const word = fc.stringMatching(/^[a-z]{3,30}[0-9]{0,3}$/)
    const junk = fc.string({ unit: 'grapheme', maxLength: 20 })
    fc.assert(
      fc.property(word, junk, junk, (text, before, after) => {
        const { words } = parseQueryWords(text)
        const finder = wordFinder(words)
        const content = `${before} ${text} ${after}`
        for (let hit = finder(content, 0); hit !== undefined; hit = finder(content, hit.end)) {
          if (hit.start <= before.length + 1 && hit.end >= before.length + 1 + text.length) return true
        }
        return false
      }),
    )
  })
})

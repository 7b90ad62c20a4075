import { describe, expect, it } from 'vitest'
import { MAX_QUERY_WORDS, parseQueryWords } from './query-words.ts'

const askedFor = (query: string): string[] =>
  parseQueryWords(query)
    .words.filter((word) => !word.implied)
    .map((word) => word.text)

describe('parseQueryWords', () => {
  it('leaves out the words that make a question, unless there are no others', () => {
    expect(askedFor('Why did the payment fail?')).toEqual(['payment', 'fail'])
    expect(askedFor('what is it')).toEqual(['what', 'is', 'it'])
  })

  it('takes names apart, and leaves codes whole', () => {
    expect(askedFor('onPaymentFailed order_id HTTPError src/cart.ts E7731')).toEqual([
      'payment',
      'failed',
      'order',
      'id',
      'http',
      'error',
      'src',
      'cart',
      'ts',
      'e7731',
    ])
  })

  it('takes forms of a word for one word', () => {
    expect(askedFor('failed failing failures builds built')).toEqual(['failed', 'builds', 'built'].slice(0, 2))
  })

  it('divides text that has no spaces', () => {
    expect(askedFor('支払い失敗 ошибка')).toEqual(['支払', '払い', 'い失', '失敗', 'ошибка'])
  })

  it('looks for so many words at most, and says how many more there are', () => {
    const { words, leftOut } = parseQueryWords(Array.from({ length: 50 }, (_, index) => `word${index}`).join(' '))
    expect(words).toHaveLength(MAX_QUERY_WORDS)
    expect(leftOut).toBe(50 - MAX_QUERY_WORDS)
  })

  it('looks for words of failures where a failure is asked for, the less the more else is', () => {
    const impliedWeight = (query: string): number =>
      Math.max(0, ...parseQueryWords(query).words.map((word) => (word.implied ? word.weight : 0)))
    expect(impliedWeight('list the invoices')).toBe(0)
    expect(impliedWeight('why did the build fail')).toBeGreaterThan(impliedWeight('why did the payment fail'))
    expect(impliedWeight('why did the payment fail')).toBeGreaterThan(impliedWeight('why did the card payment fail'))
  })

  it('looks for as many words as candidates have room for', () => {
    const query = `fail ${Array.from({ length: 50 }, (_, index) => `word${index}`).join(' ')}`
    expect(parseQueryWords(query).words.length).toBeLessThanOrEqual(32)
  })

  it('refuses a question without words', () => {
    for (const query of ['', ' ?!', '🙂 → …']) expect(() => parseQueryWords(query)).toThrow(/query has no words/)
  })
})

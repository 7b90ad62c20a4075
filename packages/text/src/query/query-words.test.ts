import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEnding, MAX_QUERY_WORDS, parseQueryWords, stemWord, weighWords } from './query-words.ts'

const askedFor = (query: string): string[] =>
  parseQueryWords(query)
    .words.filter((word) => !word.implied)
    .map((word) => word.text)

describe('parseQueryWords', () => {
  it('leaves out words that only form a question, unless there are no other words', () => {
    expect(askedFor('Why did the payment fail?')).toEqual(['payment', 'fail'])
    expect(askedFor('what is it')).toEqual(['what', 'is', 'it'])
  })

  it('splits names into words, and keeps codes whole', () => {
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

  it('treats forms of a word as one word', () => {
    expect(askedFor('failed failing failures builds built')).toEqual(['failed', 'builds', 'built'].slice(0, 2))
  })

  it('splits text without spaces', () => {
    expect(askedFor('支払い失敗 ошибка')).toEqual(['支払', '払い', 'い失', '失敗', 'ошибка'])
  })

  it('has a limited number of words, and reports the number of words left out', () => {
    const { words, leftOut } = parseQueryWords(Array.from({ length: 50 }, (_, index) => `word${index}`).join(' '))
    expect(words).toHaveLength(MAX_QUERY_WORDS)
    expect(leftOut).toBe(50 - MAX_QUERY_WORDS)
  })

  it.each([
    'why did the build fail',
    'Which file does not compile?',
    "why doesn't it start",
    'Why was the push rejected?',
    'which header is missing',
  ])('adds failure words to a question about a failure: %s', (query) => {
    expect(parseQueryWords(query).words.some((word) => word.implied)).toBe(true)
    expect(parseQueryWords('list the invoices').words.some((word) => word.implied)).toBe(false)
  })

  it('gives failure words less weight if the content has more other words of the question', () => {
    const { words } = parseQueryWords('why did the card payment fail')
    const impliedWeight = (...present: string[]): number => {
      const unitCounts = words.map(({ text, implied }) => (implied || present.includes(text) ? 1 : 0))
      const weights = weighWords(words, { units: 100, length: 1_000, unitCounts })
      return Math.max(...weights.filter((_, index) => words[index]!.implied))
    }
    expect(impliedWeight()).toBeGreaterThan(impliedWeight('payment'))
    expect(impliedWeight('payment')).toBeGreaterThan(impliedWeight('card', 'payment'))
  })

  it('has at most as many words as a candidate can record', () => {
    const query = `fail ${Array.from({ length: 50 }, (_, index) => `word${index}`).join(' ')}`
    expect(parseQueryWords(query).words.length).toBeLessThanOrEqual(32)
  })

  it('has no words if the question has none', () => {
    for (const query of ['', ' ?!', '🙂 → …']) expect(parseQueryWords(query)).toEqual({ words: [], leftOut: 0 })
  })
})

describe('stemWord', () => {
  it.each([
    ['fail', 'failed failing fails failure failures'],
    ['connection', 'connect connected connecting connections connects'],
    ['retry', 'retries retried retrying'],
    ['dependency', 'dependencies'],
    ['stop', 'stopped stopping stops'],
    ['close', 'closed closes closing'],
    ['compile', 'compiled compiler compilation compiles compiling'],
    ['crash', 'crashed crashes crashing'],
    ['payment', 'payments'],
    ['error', 'errors'],
    ['deploy', 'deployed deployment deployments'],
  ])('gives all forms of %s the same stem', (word, forms) => {
    for (const form of forms.split(' ')) {
      const { stem } = stemWord(word)
      expect(form.startsWith(stem) && isEnding(stemWord(word), form.slice(stem.length)), `${word} ${form}`).toBe(true)
      const other = stemWord(form)
      expect(word.startsWith(other.stem) && isEnding(other, word.slice(other.stem.length)), `${form} ${word}`).toBe(
        true,
      )
    }
  })

  it.each([
    ['file', 'fill'],
    ['string', 'strong'],
    ['port', 'portal2'],
    ['pass', 'passport'],
    ['test', 'testimony'],
    ['form', 'format'],
  ])('does not take %s for a form of %s', (word, other) => {
    const stem = stemWord(word)
    expect(other.startsWith(stem.stem) && isEnding(stem, other.slice(stem.stem.length))).toBe(false)
  })

  it('leaves codes, numbers and words in other scripts unchanged', () => {
    for (const word of ['e7731', '500', 'größe', 'сбой', '支払', 'x86']) {
      expect(stemWord(word)).toEqual({ stem: word, endings: 'none' })
    }
  })

  it('gives every word a stem that the word matches', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,12}(?:s|es|ed|ing|ion|y|ies|er|e|ure|ment|)$/), (word) => {
        const stem = stemWord(word)
        return word.startsWith(stem.stem) && stem.stem !== '' && isEnding(stem, word.slice(stem.stem.length))
      }),
      { numRuns: 2_000 },
    )
  })
})

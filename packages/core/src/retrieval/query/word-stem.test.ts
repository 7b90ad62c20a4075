import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEnding, stemWord } from './word-stem.ts'

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
  ])('lets the forms of %s meet', (word, forms) => {
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
  ])('does not take %s for %s', (word, other) => {
    const stem = stemWord(word)
    expect(other.startsWith(stem.stem) && isEnding(stem, other.slice(stem.stem.length))).toBe(false)
  })

  it('leaves codes, numbers and words of other letters as they are', () => {
    for (const word of ['e7731', '500', 'größe', 'сбой', '支払', 'x86']) {
      expect(stemWord(word)).toEqual({ stem: word, endings: 'none' })
    }
  })

  it('gives every word a stem of which it is a form itself', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,12}(?:s|es|ed|ing|ion|y|ies|er|e|ure|ment|)$/), (word) => {
        const stem = stemWord(word)
        return word.startsWith(stem.stem) && stem.stem !== '' && isEnding(stem, word.slice(stem.stem.length))
      }),
      { numRuns: 2_000 },
    )
  })
})

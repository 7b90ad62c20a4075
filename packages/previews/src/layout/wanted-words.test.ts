import { describe, expect, it } from 'vitest'
import { WantedWords, countSought } from './wanted-words.ts'

describe('WantedWords', () => {
  it('finds words in upper or lower case, but no very short words', () => {
    const words = new WantedWords(['Retry', 'ab'])
    expect(words.isIn('maxRETRYcount')).toBe(true)
    expect(words.isIn('about')).toBe(false)
    expect(new WantedWords([]).isIn('anything')).toBe(false)
  })
})

describe('countSought', () => {
  it('counts words that occur in few texts, in upper or lower case', () => {
    const texts = [...Array.from({ length: 18 }, () => 'the plan'), 'Telemetry of the plan', 'other']
    expect([...(countSought(texts, ['telemetry', 'plan', 'OTHER']) ?? [])]).toEqual([...Array(18).fill(0), 1, 1])
    expect(countSought(texts, ['plan', 'absent'])).toBeUndefined()
  })
})

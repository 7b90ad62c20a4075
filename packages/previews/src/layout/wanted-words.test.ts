import { describe, expect, it } from 'vitest'
import { WantedWords } from './wanted-words.ts'

describe('WantedWords', () => {
  it('finds words whatever their case, and no very short ones', () => {
    const words = new WantedWords(['Retry', 'ab'])
    expect(words.isIn('maxRETRYcount')).toBe(true)
    expect(words.isIn('about')).toBe(false)
    expect(new WantedWords([]).isIn('anything')).toBe(false)
  })
})

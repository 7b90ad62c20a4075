import { describe, expect, it } from 'vitest'
import { WantedWords, findSought } from './wanted-words.ts'

describe('WantedWords', () => {
  it('finds words in upper or lower case, but no very short words', () => {
    const words = new WantedWords(['Retry', 'ab'])
    expect(words.isIn('maxRETRYcount')).toBe(true)
    expect(words.isIn('about')).toBe(false)
    expect(new WantedWords([]).isIn('anything')).toBe(false)
  })
})

describe('findSought', () => {
  it('counts words that occur in few texts, in upper or lower case', () => {
    const texts = [...Array.from({ length: 18 }, () => 'the plan'), 'Telemetry of the plan', 'other']
    const counts = findSought(texts, ['telemetry', 'plan', 'OTHER'])?.counts ?? []
    expect([...counts]).toEqual([...Array(18).fill(0), 1, 1])
    expect(findSought(texts, ['plan', 'absent'])).toBeUndefined()
  })

  it('counts two words in one text, even if one word contains the other', () => {
    const sought = findSought(['vm.dirty_ratio = 20', 'vm.swappiness = 60'], ['vm.swappiness', 'swappiness'])
    expect([...(sought?.counts ?? [])]).toEqual([0, 2])
  })

  it('returns the position of the first word that the call names', () => {
    expect([...(findSought(['a limit of the Payload', 'none'], ['payload', 'limit'])?.places ?? [])]).toEqual([15, 0])
  })
})

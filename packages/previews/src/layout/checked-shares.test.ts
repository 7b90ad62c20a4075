import { describe, expect, it } from 'vitest'
import { checkedShares } from './checked-shares.ts'

const defaults = { keys: 0.8, text: 0.2 }

describe('checkedShares', () => {
  it('fills in what is not given', () => {
    expect(checkedShares('shares', defaults, undefined)).toEqual(defaults)
    expect(checkedShares('shares', defaults, { keys: 0.5, text: undefined })).toEqual({ keys: 0.5, text: 0.2 })
  })

  it.each([
    [{ keys: -0.1 }, /shares\.keys/],
    [{ keys: Number.NaN }, /shares\.keys/],
    [{ text: '0.5' }, /shares\.text/],
    [{ keys: 0.9, text: 0.9 }, /add up/],
    [{ key: 0.5 }, /no "key"/],
    [null, /must be an object/],
    [7, /must be an object/],
  ])('refuses %j and names what is wrong', (given, message) => {
    expect(() => checkedShares('shares', defaults, given as never)).toThrow(TypeError)
    expect(() => checkedShares('shares', defaults, given as never)).toThrow(message)
  })
})

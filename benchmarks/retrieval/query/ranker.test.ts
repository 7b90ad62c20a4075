import { describe, expect, it } from 'vitest'
import { ours } from './ours.ts'
import { plainBm25 } from './plain-bm25.ts'
import { blocksOf } from './ranker.ts'

const lines = Array.from({ length: 100 }, (_, index) => (index === 49 ? 'the payment was declined' : `tick ${index}`))

describe.each([ours, plainBm25])('ranking by $name', (ranker) => {
  it('finds the passage with the words', async () => {
    const ask = await ranker.open(lines.join('\n'))
    const [best] = await ask('payment declined')
    expect(best).toMatchObject({ first: expect.any(Number), last: expect.any(Number) })
    const { first, last } = best as { first: number; last: number }
    expect(first <= 50 && last >= 50 && last - first < 10).toBe(true)
    expect(await ask('refund')).toEqual([])
  })
})

describe('blocksOf', () => {
  it('contain every line once', () => {
    expect(
      blocksOf(lines.join('\n'))
        .map(({ text }) => text)
        .join('\n'),
    ).toBe(lines.join('\n'))
    expect(blocksOf(lines.join('\n')).at(-1)).toMatchObject({ first: 100, last: 100 })
  })
})

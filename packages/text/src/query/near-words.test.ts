import { describe, expect, it } from 'vitest'
import { findNearWords } from './near-words.ts'

async function near(content: string, ...texts: string[]): Promise<readonly (readonly string[])[]> {
  async function* blocks(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(content)
  }
  return await findNearWords(blocks(), texts)
}

describe('findNearWords', () => {
  it('finds words with a few different, missing or extra letters, the nearest first', async () => {
    expect(await near('Payments were paid; a paymint; the payment, a garment', 'paymnet', 'paymen')).toEqual([
      ['payment', 'payments', 'paymint'],
      ['payment', 'payments', 'paymint'],
    ])
  })

  it('requires more similarity in short words', async () => {
    expect(await near('cat card dog', 'cars')).toEqual([['card']])
  })

  it('finds nothing if no word is near', async () => {
    expect(await near('alpha bravo', 'payment')).toEqual([[]])
    expect(await near('', 'payment')).toEqual([[]])
    expect(await near('payment')).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { promisingLines } from './promising-lines.ts'
import { SourceLines } from './source-lines.ts'

describe('the lines that are considered', () => {
  it('are all of a short file', () => {
    const source = new SourceLines('a\n'.repeat(100))
    expect([...promisingLines(source, new Float32Array(100), 10)]).toEqual([...Array(100).keys()])
  })

  it('are of a long file those worth most, in order', () => {
    const source = new SourceLines('value = compute(value)\n'.repeat(20_000))
    const worth = new Float32Array(20_000).fill(0.1)
    for (const line of [5_000, 5_001, 15_000]) worth[line] = 9
    const lines = promisingLines(source, worth, 100)
    expect(lines).toEqual(expect.arrayContaining([5_000, 5_001, 15_000]))
    expect(lines.length).toBeLessThan(500)
    expect(lines).toEqual(lines.toSorted((one, other) => one - other))
  })

  it('are more for a larger budget', () => {
    const source = new SourceLines('value = compute(value)\n'.repeat(20_000))
    const worth = new Float32Array(20_000).fill(1)
    const counts = [100, 1_000, 100_000].map((budget) => promisingLines(source, worth, budget).length)
    expect(counts).toEqual(counts.toSorted((one, other) => one - other))
    expect(counts.at(-1)).toBe(20_000)
  })
})

import { expect, test } from 'vitest'
import { forgedReferences } from './forged-references.ts'
import { seededRandom } from './sample.ts'

const own = ['own_0_abcdefghijklmnopqrst', 'own_1_bcdefghijklmnopqrstu']
const others = ['other_0_cdefghijklmnopqrstuv', 'tenant-2']

function take(seed: number, count: number): string[] {
  const forged: string[] = []
  for (const reference of forgedReferences(seededRandom(seed), own, others)) {
    forged.push(reference)
    if (forged.length === count) break
  }
  return forged
}

test('10,000 forged references include no valid reference, and most of them differ', () => {
  const forged = take(1, 10_000)
  expect(forged.filter((reference) => own.includes(reference))).toEqual([])
  expect(new Set(forged).size).toBeGreaterThan(8_000)
})

test('the first 300 forged references include references of other storages, paths, NUL, encoded dots, other cases and compatible letters', () => {
  const forged = take(1, 300)
  expect(forged).toEqual(expect.arrayContaining(others))
  const has = (pattern: RegExp): boolean => forged.some((reference) => pattern.test(reference))
  for (const pattern of [
    /^\.\.\//,
    /^\//,
    /\u0000/,
    /%2e%2e%2f/i,
    /^OWN_/,
    /^[\uff00-\uffef]+$/,
    /^own_[01]_[b-u]{20}$/,
  ])
    expect(has(pattern) ? 'has' : 'has not', String(pattern)).toBe('has')
})

test('forged references are equal for equal seeds', () => {
  expect(take(3, 500)).toEqual(take(3, 500))
  expect(take(3, 500)).not.toEqual(take(4, 500))
})

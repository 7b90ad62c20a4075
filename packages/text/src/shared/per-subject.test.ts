import { expect, test } from 'vitest'
import { perSubject } from './per-subject.ts'

test('perSubject computes each subject once, even if the result is undefined', () => {
  const seen: string[] = []
  const firstLetter = perSubject(({ start }: { readonly start: string }) => {
    seen.push(start)
    return /[a-z]/.exec(start)?.[0]
  })
  const [letters, digits] = [{ start: 'abc' }, { start: '123' }]
  expect([letters, digits, letters, digits].map(firstLetter)).toEqual(['a', undefined, 'a', undefined])
  expect(seen).toEqual(['abc', '123'])
})

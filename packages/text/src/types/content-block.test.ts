import { codePoint } from '@spillway-internal/test-run/code-point'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { safeName } from './content-block.ts'

it('a block name does not change if it is short and plain', () => {
  expect(safeName('report (1), final "draft".pdf')).toBe('report (1), final "draft".pdf')
})

it('a block name keeps the end of a long URI, because files of one folder differ there', () => {
  const folder = `repo://owner/project/refs/heads/main/contents/${'packages/'.repeat(20)}`
  const names = ['a.ts', 'b.ts'].map((file) => safeName(`${folder}${file}`))
  expect(names[0]).toMatch(/^repo:\/\/owner\/.*….*a\.ts$/)
  expect(new Set(names).size).toBe(2)
})

it('a block name is at most one line without brackets', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 300 }), (name) => {
      const safe = safeName(name)
      expect(safe.length).toBeLessThanOrEqual(80)
      expect(safe).not.toMatch(/[\p{C}\u2028\u2029[\]]/u)
      expect(safeName(safe)).toBe(safe)
    }),
  )
})

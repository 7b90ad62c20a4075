import fc from 'fast-check'
import { expect, it } from 'vitest'
import { responseTextField } from './content-list.ts'

const LONG = 'a line of a log\n'.repeat(1_000)

const REFERENCE =
  '[Offloaded: 1 block, ~4000 tokens]\nreference: call_1_0123456789abcdef0123456789abcdef\nIt can be read with the tool.'

it('a response has its text in the same field after a reference has replaced the text', () => {
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom(LONG, 'short', 'x'.repeat(100)))
  const response = fc.dictionary(fc.constantFrom('output', 'stdout', 'stderr', 'code', '__proto__'), value, {
    noNullPrototype: true,
  })
  fc.assert(
    fc.property(response, (before) => {
      const field = responseTextField(before)
      fc.pre(field !== undefined)
      expect(responseTextField({ ...before, [field]: REFERENCE })).toBe(field)
    }),
  )
})

it.each([
  [{ output: '' }, 'output'],
  [{ answer: 'short' }, undefined],
  [{ answer: LONG }, 'answer'],
  [{ stdout: LONG, stderr: '', code: 0 }, 'stdout'],
  [{ stdout: LONG, stderr: LONG }, undefined],
  [{ log: LONG, rows: Array.from({ length: 1_000 }, () => 1) }, undefined],
  [{ log: LONG, deep: [[[[[[[[[[1]]]]]]]]]] }, undefined],
  [{}, undefined],
])('the field name of %o is %s', (response, field) => {
  expect(responseTextField(response)).toBe(field)
})

it('a large or cyclic response has no text field', () => {
  const cycle: Record<string, unknown> = { log: LONG }
  cycle['self'] = cycle
  expect(responseTextField(cycle)).toBeUndefined()
})

import { expect, it } from 'vitest'
import { defaultModelOutput } from './offload-shown.ts'

it('a string is shown as text, and null as empty text', () => {
  expect(defaultModelOutput('')).toEqual({ type: 'text', value: '' })
  for (const nothing of [undefined, null]) expect(defaultModelOutput(nothing)).toEqual({ type: 'json', value: null })
})

it.each([[0], [false], [{ users: 2 }], [['a']]])('the value %o is shown as JSON', (output) => {
  const { type, value } = defaultModelOutput(output)
  expect(type).toBe('json')
  expect(value).toBe(output)
})

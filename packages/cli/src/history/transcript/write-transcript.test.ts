import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonStyleOf } from './json-spans.ts'
import { changedJson } from './write-transcript.ts'

const change = (text: string, edit: (value: Record<string, unknown>) => unknown): string => {
  const before = JSON.parse(text) as Record<string, unknown>
  return changedJson(Buffer.from(text), before, edit(before), jsonStyleOf(text))
}

test.each([
  '{"id":12345678901234567890,"cost":1.0,"big":1e400,"content":"CONTENT"}',
  '{"a":"\\u0041\\/","content":"first", "content" : "CONTENT","__proto__":{"n":1.50}}',
  '{\n  "nested": {"id": 12345678901234567890},\n  "content": "CONTENT"\n}',
])('copies all that has not changed: %s', (text) => {
  expect(change(text, (value) => ({ ...value, content: 'new "one"' }))).toBe(text.replace('CONTENT', 'new \\"one\\"'))
})

test('goes into objects and lists, and writes what has another shape', () => {
  const text = '{"content":[{"n":1.0,"text":"a"},{"n":2.0,"text":"b"}],"x":[1.0]}'
  expect(
    change(text, (value) => {
      const [first, second] = value['content'] as { n: number; text: string }[]
      return { ...value, content: [first, { ...second, text: 'c' }], x: { y: 1 } }
    }),
  ).toBe('{"content":[{"n":1.0,"text":"a"},{"n":2.0,"text":"c"}],"x":{"y":1}}')
  expect(change('{"a":1.0,"b":2}', ({ a }) => ({ a }))).toBe('{"a":1}')
  const indented = '{\n    "a": {\n        "b": 1\n    }\n}'
  expect(change(indented, () => ({ a: { c: 2 } }))).toBe(indented.replace('"b": 1', '"c": 2'))
})

test('reads as the changed value, whatever it was', () => {
  const indent = fc.constantFrom(undefined, 2)
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), indent, (before, after, spaces) => {
      const text = JSON.stringify({ role: 'user', a: [before, 1.5], b: before }, undefined, spaces)
      const written = change(text, (value) => ({ ...value, a: [after, 1.5] }))
      expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify({ ...JSON.parse(text), a: [after, 1.5] })))
    }),
  )
})

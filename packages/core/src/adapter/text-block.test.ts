import { expect, it } from 'vitest'
import { nameOfPart, textBlock } from './text-block.ts'

it('leaves out what is no text', () => {
  expect(textBlock('a', { name: 7, mediaType: null, context: undefined })).toStrictEqual({ type: 'text', text: 'a' })
  const origin = { name: 'a.md', mediaType: 'text/markdown', context: 'A note.' }
  expect(textBlock('a', origin)).toStrictEqual({ type: 'text', text: 'a', ...origin })
})

it.each<[unknown, string | undefined]>([
  [{ uri: 'file:///a', title: 'A', name: 'a.md', filename: 'b.md' }, 'b.md'],
  [{ uri: 'file:///a', title: 'A', name: '' }, 'A'],
  [{ uri: 'file:///a', title: 7 }, 'file:///a'],
  [{ text: 'a' }, undefined],
  [undefined, undefined],
])('finds the name of %j', (part, name) => {
  expect(nameOfPart(part)).toBe(name)
})

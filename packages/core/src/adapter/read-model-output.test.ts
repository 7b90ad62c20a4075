import { expect, it } from 'vitest'
import { readModelOutput } from './read-model-output.ts'
import { writeModelOutput } from './write-model-output.ts'

const TEXT = { type: 'text', text: 'two users' } as const
const IMAGE = { type: 'image', mediaType: 'image/png', data: new Uint8Array([104, 105]) } as const

it.each([
  ['a text', [TEXT], false],
  ['an error', [TEXT], true],
  ['parts', [TEXT, IMAGE], false],
] as const)('reads back %s, as the very object', (_name, blocks, isError) => {
  for (const form of ['media', 'file-data', 'file'] as const) {
    const saved: unknown = JSON.parse(JSON.stringify(writeModelOutput(blocks, { isError, form })))
    expect(readModelOutput(saved)).toBe(saved)
  }
})

it.each([
  [undefined],
  [null],
  ['text'],
  [[]],
  [{ type: 'text', value: 7 }],
  [{ type: 'json', value: 'text' }],
  [{ type: 'execution-denied', value: 'text' }],
  [{ type: 'content', value: 'text' }],
  [{ type: 'content', value: [TEXT, 'text'] }],
  [{ type: 'content', value: [{ type: 'image-data', data: 'no base64!', mediaType: 'image/png' }] }],
  [{ type: 'content', value: [{ type: 'image-url', url: 'http://10.0.0.1/a.png' }] }],
  [
    {
      type: 'content',
      value: [{ type: 'file', mediaType: 'image/png', data: { type: 'url', url: 'http://10.0.0.1' } }],
    },
  ],
])('takes %o for a value', (saved) => {
  expect(readModelOutput(saved)).toBeUndefined()
})

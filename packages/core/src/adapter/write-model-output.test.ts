import { expect, it } from 'vitest'
import { writeModelOutput } from './write-model-output.ts'

const TEXT = { type: 'text', text: 'two users' } as const
const IMAGE = { type: 'image', mediaType: 'image/png', data: new Uint8Array([104, 105]) } as const

it('writes texts as one, and marks an error', () => {
  expect(writeModelOutput([TEXT], { isError: false, form: 'file' })).toEqual({ type: 'text', value: 'two users' })
  const blocks = [TEXT, { type: 'json', value: { users: 2 } } as const]
  const value = 'two users\n{"users":2}'
  expect(writeModelOutput(blocks, { isError: true, form: 'file' })).toEqual({ type: 'error-text', value })
})

it('writes media as parts, in the form that is asked for', () => {
  expect(writeModelOutput([TEXT, IMAGE], { isError: false, form: 'file-data' })).toEqual({
    type: 'content',
    value: [TEXT, { type: 'image-data', data: 'aGk=', mediaType: 'image/png' }],
  })
  expect(writeModelOutput([IMAGE], { isError: false, form: 'file' })).toEqual({
    type: 'content',
    value: [{ type: 'file', data: { type: 'data', data: 'aGk=' }, mediaType: 'image/png' }],
  })
})

it('writes an empty text where there are no blocks', () => {
  expect(writeModelOutput([], { isError: false, form: 'file' })).toEqual({ type: 'text', value: '' })
})

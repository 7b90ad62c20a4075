import { describe, expect, test } from 'vitest'
import { toolOf } from '../../test/retrieval-fixture.ts'
import type { Storage } from '../storage/storage.ts'

const bytes = new TextEncoder().encode('a line\n')

const whole = (stored: unknown): Storage => ({ store: async () => 'x', retrieve: async () => stored }) as never

const ranges = (stored: unknown): Storage => ({ ...whole(undefined), retrieveRange: async () => stored }) as never

describe('a storage that does not return bytes with a type is reported to the model as faulty', () => {
  test.each([
    [whole('a line')],
    [whole({ content: 'a line', contentType: 'text/plain' })],
    [whole({ content: bytes })],
    [ranges({ content: 'a line', contentType: 'text/plain', size: 6 })],
    [ranges({ content: bytes, contentType: 'text/plain' })],
    [ranges({ content: bytes, contentType: 'text/plain', size: Infinity })],
  ])('%#', async (storage) => {
    for (const call of [{}, { pattern: 'line' }, { line_range: { start: 1, end: 1 } }]) {
      expect(await toolOf({}, { storage }).execute({ reference: 'x', ...call })).toMatchObject({ code: 'corrupt' })
    }
  })
})

describe('a custom storage that has nothing under a reference is not reported as unavailable', () => {
  const failing = (error: Error): Storage => ({
    ...whole(undefined),
    retrieve: async () => {
      throw error
    },
  })
  test.each([
    [whole(undefined)],
    [whole(null)],
    [ranges(undefined)],
    [failing(Object.assign(new Error("'x'"), { name: 'KeyError' }))],
    [failing(Object.assign(new Error('failed'), { code: 'not-found' }))],
    [failing(new Error('Reference not found: x'))],
  ])('%#', async (storage) => {
    for (const call of [{}, { pattern: 'line' }, { line_range: { start: 1, end: 1 } }]) {
      const answer = await toolOf({}, { storage }).execute({ reference: 'x', ...call })
      expect(answer).toMatchObject({ isError: true, code: 'not-found' })
      expect(JSON.stringify(answer.content)).toContain('Nothing is stored under')
    }
  })
})

test('a signal aborts the call even if the storage ignores the signal', async () => {
  const hangs: Storage['retrieve'] = () => new Promise(() => {})
  for (const storage of [
    { ...whole(undefined), retrieve: hangs },
    { ...whole(undefined), retrieveRange: hangs },
  ] as Storage[]) {
    const abort = new AbortController()
    const answer = toolOf({}, { storage }).execute({ reference: 'x', pattern: 'a' }, { signal: abort.signal })
    abort.abort()
    expect(await answer).toMatchObject({ isError: true, code: 'aborted' })
  }
})

import { describe, expect, test } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { bytes } from '../conformance/sample.ts'
import { ContextOffloader } from '../offload/context-offloader.ts'
import { assertNoReferences, callResolved } from './call-resolved.ts'

const storage = tinyStorage()
const offloader = new ContextOffloader({ storage, resolveReferences: { tools: { send: { text: 'text' } } } })

describe('callResolved', () => {
  test('calls the tool synchronously with the same input object if there are no references', () => {
    const input = { text: 'plain' }
    expect(callResolved(offloader, { toolName: 'send', input }, (given) => given)).toBe(input)
  })

  test('calls the tool with the content, and does not call it if a reference cannot be resolved', async () => {
    const text = `spill:${await storage.store('call_1', bytes('content'))}`
    const calls: unknown[] = []
    const call = async (input: { readonly text: string }): Promise<number> =>
      callResolved(offloader, { toolName: 'send', input }, async (given) => calls.push(given))
    expect(await call({ text })).toBe(1)
    await expect(call({ text: 'spill:missing' })).rejects.toThrow('nothing is stored')
    expect(calls).toEqual([{ text: 'content' }])
  })
})

test('assertNoReferences refuses an offloader that resolves references', () => {
  expect(() => assertNoReferences(offloader, 'offloadMiddleware(offloader)')).toThrow(TypeError)
  assertNoReferences(new ContextOffloader({ storage }), 'offloadMiddleware(offloader)')
})

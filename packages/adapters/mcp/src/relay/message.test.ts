import { describe, expect, it } from 'vitest'
import { errorOf, fieldsOf, isMessage, isRequest, isResponse, resultOf, type Message, type Request } from './message.ts'

const request = (method: string, _meta?: object): Request => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: _meta === undefined ? {} : { _meta },
})

describe('fieldsOf', () => {
  it('returns the same object, and an empty object for other values', () => {
    const fields = { a: 1 }
    expect(fieldsOf(fields)).toBe(fields)
    for (const value of [undefined, null, 1, 'text', [1]]) expect(fieldsOf(value)).toEqual({})
  })
})

describe('the kind of a message', () => {
  it.each([
    ['a request', { jsonrpc: '2.0', id: 0, method: 'ping' }, { isRequest: true, isResponse: false }],
    ['a request with an empty id', { jsonrpc: '2.0', id: '', method: 'ping' }, { isRequest: true, isResponse: false }],
    ['a notification', { jsonrpc: '2.0', method: 'a' }, { isRequest: false, isResponse: false }],
    ['a result', { jsonrpc: '2.0', id: 'a', result: {} }, { isRequest: false, isResponse: true }],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } }, { isRequest: false, isResponse: true }],
    ['an error without an id', { jsonrpc: '2.0', id: null, error: {} }, { isRequest: false, isResponse: false }],
  ])('is recognized for %s', (_name, value, expected) => {
    const message = value as unknown as Message
    expect({ isRequest: isRequest(message), isResponse: isResponse(message) }).toEqual(expected)
    expect(isMessage(value)).toBe(true)
  })

  it('is undefined for values that are not messages', () => {
    for (const value of [undefined, null, 'ping', [], {}, { jsonrpc: '1.0' }]) expect(isMessage(value)).toBe(false)
  })
})

describe('resultOf', () => {
  it('answers without a result type for revisions that have none', () => {
    expect(resultOf(request('tools/call'), { a: 1 })).toEqual({ jsonrpc: '2.0', id: 1, result: { a: 1 } })
  })

  it('names the type of the result if the request names its revision', () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
    expect(resultOf(request('tools/call', meta), { a: 1 }).result).toEqual({ resultType: 'complete', a: 1 })
    expect(resultOf(request('resources/read', meta), {}).result).toEqual({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    })
  })
})

describe('errorOf', () => {
  it('answers with a code and a message', () => {
    expect(errorOf('a', -1, 'no')).toEqual({ jsonrpc: '2.0', id: 'a', error: { code: -1, message: 'no' } })
  })
})

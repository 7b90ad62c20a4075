import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { assertMcpOptions } from './relay-options.ts'

describe('assertMcpOptions', () => {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const assertOptions = (options: unknown) => () => assertMcpOptions(offloader, options as object, 'use(offloader)')

  it('accepts every option, and no options', () => {
    for (const options of [{}, { scope: () => [], onError: () => {} }, { scope: undefined, onError: undefined }])
      expect(assertOptions(options)).not.toThrow()
  })

  it('accepts a storage without scopes, since an offloader may serve one client', () => {
    const { store, retrieve } = new InMemoryStorage()
    const unscoped = new ContextOffloader({ storage: { store, retrieve } })
    expect(() => assertMcpOptions(unscoped, {}, 'use(offloader)')).not.toThrow()
  })

  it.each([
    [null, 'options must be an object, got null: use(offloader).'],
    ['all', 'options must be an object, got the string "all": use(offloader).'],
    [{ excluded: [] }, 'Unknown option "excluded". Known: scope, onError.'],
    [{ onError: true }, 'onError must be a function, got boolean.'],
  ])('rejects %j', (options, message) => {
    expect(assertOptions(options)).toThrow(new TypeError(message))
  })
})

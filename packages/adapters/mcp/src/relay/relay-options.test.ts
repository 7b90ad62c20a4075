import { describe, expect, it } from 'vitest'
import { assertMcpOptions } from './relay-options.ts'

describe('assertMcpOptions', () => {
  it('takes every option, and none', () => {
    for (const options of [
      {},
      { exclude: [], resourceLinks: true, scope: () => [], onError: () => {} },
      { exclude: undefined, resourceLinks: undefined, scope: undefined, onError: undefined },
    ])
      expect(() => assertMcpOptions(options)).not.toThrow()
  })

  it.each([
    [null, 'options must be an object, got null.'],
    ['all', 'options must be an object, got string.'],
    [{ excluded: [] }, 'Unknown option "excluded". Known: exclude, resourceLinks, scope, onError.'],
    [{ exclude: 'read' }, 'exclude must be an array of names of tools.'],
    [{ exclude: [7] }, 'exclude must be an array of names of tools.'],
    [{ resourceLinks: 'yes' }, 'resourceLinks must be true or false, got string.'],
    [{ scope: ['tenant'] }, 'scope must be a function, got object.'],
    [{ onError: true }, 'onError must be a function, got boolean.'],
  ])('refuses %j', (options, message) => {
    expect(() => assertMcpOptions(options)).toThrow(new TypeError(message))
  })
})

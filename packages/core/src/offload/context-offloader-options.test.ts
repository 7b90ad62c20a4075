import { describe, expect, test } from 'vitest'
import type { Storage } from '../storage/storage.ts'
import { resolveOptions, type ContextOffloaderOptions } from './context-offloader-options.ts'

const storage: Storage = {
  store: async (key) => key,
  retrieve: async () => ({ content: new Uint8Array(), contentType: 'text/plain' }),
}

const located: Storage = { ...storage, locate: () => ({ address: '/a', command: "cat '/a'" }) }

describe('resolveOptions', () => {
  test('fills in the documented defaults', () => {
    expect(resolveOptions({ storage })).toMatchObject({
      maxResultTokens: 2_500,
      previewTokens: 1_000,
      maxRetrievalTokens: 2_500,
      includeRetrievalTool: true,
      showLocation: false,
    })
  })

  test('shows locations when there is no retrieval tool', () => {
    expect(resolveOptions({ storage: located, includeRetrievalTool: false }).showLocation).toBe(true)
  })

  test('shows no locations if the guide says how to read more', () => {
    const guide = { instructions: () => [], formatCall: () => '' }
    expect(resolveOptions({ storage: located, includeRetrievalTool: false, guide }).showLocation).toBe(false)
    expect(resolveOptions({ storage, includeRetrievalTool: false, guide }).guide).toBe(guide)
  })

  test('leaves room for retrieval answers by default, even if the limit of results is tiny', () => {
    expect(resolveOptions({ storage, maxResultTokens: 10 }).maxRetrievalTokens).toBe(200)
    expect(resolveOptions({ storage, maxResultTokens: 10, maxRetrievalTokens: 20 }).maxRetrievalTokens).toBe(20)
    expect(resolveOptions({ storage, maxResultTokens: 300 }).maxRetrievalTokens).toBe(300)
  })

  test('shrinks the default preview below a small limit', () => {
    expect(resolveOptions({ storage, maxResultTokens: 500 }).previewTokens).toBe(200)
  })

  test.each<[string, Partial<Record<keyof ContextOffloaderOptions | 'evictAfterCycles', unknown>>, RegExp]>([
    ['an unknown option', { evictAfterCycles: 20 }, /Unknown option "evictAfterCycles"/],
    ['a storage without store()', { storage: { retrieve: () => undefined } }, /store\(\) is missing/],
    ['a limit of 0', { maxResultTokens: 0 }, /maxResultTokens must be a positive/],
    ['a limit that is not a number', { maxResultTokens: Number.NaN }, /maxResultTokens/],
    ['a limit that is a string', { maxResultTokens: '2500' }, /got the string "2500"\.$/],
    ['a limit that is a bigint', { maxResultTokens: 5n }, /maxResultTokens must be a number.*got the bigint 5\.$/],
    ['a limit that is a symbol', { maxRetrievalTokens: Symbol('5') }, /maxRetrievalTokens must be a number/],
    [
      'a share whose least value is a text',
      { contextWindow: 9, maxResultTokens: { share: 1, min: '5' } },
      /no min above/,
    ],
    ['a limit of null', { maxResultTokens: null }, /maxResultTokens must be a number of tokens, got null/],
    ['a misspelled share', { contextWindow: 9, maxTurnTokens: { shre: 0.5 } }, /Unknown option "shre"\. Known: share/],
    ['a misspelled limit of a share', { contextWindow: 9, maxTurnTokens: { share: 0.5, Min: 4 } }, /"Min"/],
    ['settings in a list', { tools: ['read_log'] }, /tools must be an object of settings by tool name, got an array/],
    ['a negative preview', { previewTokens: -1 }, /previewTokens must be/],
    ['a preview that is not below the limit', { previewTokens: 2_500 }, /must be less than maxResultTokens/],
    ['a negative retrieval limit', { maxRetrievalTokens: -5 }, /maxRetrievalTokens/],
    ['a flag that is a text', { includeRetrievalTool: 'no' }, /includeRetrievalTool must be true or false/],
    ['a counter that is not a function', { countTokens: 4 }, /countTokens must be a function/],
    ['locations for a storage that has none', { showLocation: true }, /showLocation needs/],
    ['a location that is a text', { showLocation: '/mnt' as never }, /showLocation must be true, false, or a/],
    ['no tool for a storage without locations', { includeRetrievalTool: false }, /nothing could reach/],
    [
      'neither the tool nor locations',
      { storage: located, includeRetrievalTool: false, showLocation: false },
      /Set one of them to true/,
    ],
    [
      'a guide together with the tool',
      { guide: { instructions: () => [], formatCall: () => '' } },
      /guide replaces the/,
    ],
    [
      'a guide with only one of its functions',
      { includeRetrievalTool: false, guide: { formatCall: () => '' } },
      /instructions\(\) is missing/,
    ],
  ])('refuses %s', (_name, options, message) => {
    const all = { storage, ...options } as unknown as ContextOffloaderOptions
    expect(() => resolveOptions(all)).toThrow(TypeError)
    expect(() => resolveOptions(all)).toThrow(message)
  })

  test.each([undefined, null, 'storage', {}, storage, { storage: undefined }])(
    'refuses %o instead of options',
    (options) => {
      expect(() => resolveOptions(options as unknown as ContextOffloaderOptions)).toThrow(
        'needs options with { storage }',
      )
    },
  )
})

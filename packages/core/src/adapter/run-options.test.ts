import { expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { ContextOffloader } from '../offload/context-offloader.ts'
import { assertRunOptions, type RunOptions } from './run-options.ts'

const usage = 'plugin(offloader, options)'
const offloader = new ContextOffloader({ storage: tinyStorage() })
const unscoped = new ContextOffloader({
  storage: { store: async () => 'r', retrieve: async () => ({ content: new Uint8Array(), contentType: 'text/plain' }) },
})

it.each<[string, ContextOffloader, RunOptions<never>]>([
  ['none at all', offloader, {}],
  ['a scope and names', offloader, { scope: () => ['a'], except: ['read_file'] }],
  ['undefined', offloader, { scope: undefined, except: undefined }],
  ['a storage without scopes that all share', unscoped, { scope: () => [] }],
])('takes options: %s', (_, one, options) => {
  expect(() => assertRunOptions(one, options, { usage })).not.toThrow()
})

it('takes the other options of an adapter, and leaves them to it', () => {
  expect(() => assertRunOptions(offloader, { mode: 7 } as never, { usage, others: ['mode'] })).not.toThrow()
})

it.each<[unknown, unknown, RegExp]>([
  [{}, {}, /^offloader must be a ContextOffloader, got object: plugin\(offloader, options\)/],
  [offloader, null, /^options must be an object, got null: plugin\(/],
  [offloader, 'scope', /^options must be an object, got string/],
  [offloader, { exept: [] }, /^Unknown option "exept"\. Known: scope, except, mode\.$/],
  [offloader, { scope: 'tenant' }, /^scope must be a function of the run, got string/],
  [offloader, { except: 'read_file' }, /^except must be an array of tool names/],
  [offloader, { except: [1] }, /^except must be an array of tool names/],
  [unscoped, {}, /^This storage has no scope\(\)/],
])('refuses %o with %o', (one, options, message) => {
  expect(() => assertRunOptions(one, options as RunOptions<never>, { usage, others: ['mode'] })).toThrow(message)
})

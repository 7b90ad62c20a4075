import { expect, test } from 'vitest'
import { assertKnownOptions } from './assert-known-options.ts'

test('assertKnownOptions accepts known options, and no options', () => {
  expect(() => assertKnownOptions({ a: 1, b: undefined }, ['a', 'b'], 'Bucket')).not.toThrow()
  expect(() => assertKnownOptions({}, [], 'Bucket')).not.toThrow()
})

test.each([null, undefined, 7, 'text', [], () => undefined])('assertKnownOptions refuses %j', (options) => {
  expect(() => assertKnownOptions(options, ['a'], 'Bucket')).toThrow(/^Bucket takes an object of options, got /)
})

test('assertKnownOptions names the unknown option and the known ones', () => {
  expect(() => assertKnownOptions({ tllMs: 1 }, ['ttlMs', 'maxBytes'], 'Bucket')).toThrow(
    'Unknown storage option "tllMs". Known: ttlMs, maxBytes.',
  )
})

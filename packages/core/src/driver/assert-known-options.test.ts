import { expect, test } from 'vitest'
import { assertKnownOptions } from './assert-known-options.ts'

test('accepts known options, also none', () => {
  expect(() => assertKnownOptions({ a: 1, b: undefined }, ['a', 'b'], 'Bucket')).not.toThrow()
  expect(() => assertKnownOptions({}, [], 'Bucket')).not.toThrow()
})

test.each([null, undefined, 7, 'text', [], () => undefined])('refuses %j', (options) => {
  expect(() => assertKnownOptions(options, ['a'], 'Bucket')).toThrow(/^Bucket takes an object of options, got /)
})

test('names the option that is not known, and those that are', () => {
  expect(() => assertKnownOptions({ tllMs: 1 }, ['ttlMs', 'maxBytes'], 'Bucket')).toThrow(
    'Unknown storage option "tllMs". Known: ttlMs, maxBytes.',
  )
})

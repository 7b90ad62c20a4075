import { expect, test } from 'vitest'
import { parseAddress } from './listen-options.ts'

test.for<readonly [string, string, number]>([
  ['8003', '127.0.0.1', 8_003],
  ['0', '127.0.0.1', 0],
  ['localhost:1', 'localhost', 1],
  ['[::1]:8003', '::1', 8_003],
  ['0.0.0.0:65535', '0.0.0.0', 65_535],
])('%s is an address', ([text, host, port]) => {
  expect(parseAddress(text)).toEqual({ host, port })
})

test.for(['', 'x', '65536', '-1', ':1', 'a b:1', '::1:8003', '1:2:3', 'http://a:1'])('%s is none', (text) => {
  expect(() => parseAddress(text)).toThrow('Write a port')
})

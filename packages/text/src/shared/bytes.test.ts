import { expect, test } from 'vitest'
import { runInNewContext } from 'node:vm'
import { copyBytes, isBytes, plainBytes } from './bytes.ts'

test('bytes of another realm, and a Buffer, are bytes', () => {
  expect(isBytes(new Uint8Array(1))).toBe(true)
  expect(isBytes(Buffer.from('a'))).toBe(true)
  expect(isBytes(runInNewContext('new Uint8Array(1)'))).toBe(true)
})

test.each([
  ['text'],
  [[1, 2]],
  [new ArrayBuffer(1)],
  [new Uint8ClampedArray(1)],
  [new DataView(new ArrayBuffer(1))],
  [null],
  [undefined],
])('%o is not bytes', (value) => {
  expect(isBytes(value)).toBe(false)
})

test('a copy of a Buffer shares no memory with it', () => {
  const buffer = Buffer.from('content')
  const copy = copyBytes(buffer)
  buffer.fill('x')
  expect(new TextDecoder().decode(copy)).toBe('content')
  expect(copy.constructor).toBe(Uint8Array)
})

test('a plain view of a Buffer has its bytes, but the methods of Uint8Array', () => {
  const buffer = Buffer.from('content').subarray(1, 4)
  const plain = plainBytes(buffer)
  expect(plain.constructor).toBe(Uint8Array)
  expect(new TextDecoder().decode(plain)).toBe('ont')
  const bytes = new Uint8Array(2)
  expect(plainBytes(bytes)).toBe(bytes)
})

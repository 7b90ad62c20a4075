import type { EntryInfo } from '@spillway/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeSidecar, encodeSidecar, type Sidecar } from './sidecar.ts'

const info: fc.Arbitrary<EntryInfo> = fc.record(
  {
    key: fc.string({ unit: 'binary' }),
    contentType: fc.string(),
    size: fc.maxSafeNat(),
    storedAt: fc.maxSafeNat(),
    lastUsedAt: fc.maxSafeNat(),
    metadata: fc.dictionary(fc.string(), fc.string()),
    lineIndex: fc.base64String(),
  },
  { requiredKeys: ['key', 'contentType', 'size', 'storedAt', 'lastUsedAt', 'metadata'] },
)

test('what is encoded is decoded, with the last use from the time of the file', () => {
  fc.assert(
    fc.property(info, (info) => {
      const sidecar: Sidecar = { info, extension: '.txt' }
      const decoded = decodeSidecar(encodeSidecar(sidecar), info.lastUsedAt)
      expect(JSON.stringify(decoded)).toBe(JSON.stringify(JSON.parse(JSON.stringify(sidecar))))
    }),
  )
})

test('the last use may be inside instead', () => {
  fc.assert(
    fc.property(info, fc.nat(), (info, modifiedAt) => {
      const decoded = decodeSidecar(encodeSidecar({ info, extension: '.txt' }, true), modifiedAt)
      expect(decoded).toMatchObject({ holdsLastUse: true, info: { lastUsedAt: info.lastUsedAt } })
    }),
  )
})

test('no bytes make it throw, and cut ones are not taken for whole ones', () => {
  const whole = encodeSidecar({
    info: { key: 'k', contentType: 'text/plain', size: 1, storedAt: 2, lastUsedAt: 3, metadata: { tool: 't' } },
    extension: '.txt',
  })
  for (let length = 0; length < whole.length - 1; length += 1)
    expect(decodeSidecar(whole.subarray(0, length), 1)).toBeUndefined()
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((json) => new TextEncoder().encode(json)),
      ),
      (bytes) => {
        expect(decodeSidecar(bytes, 1)).toBeUndefined()
      },
    ),
  )
})

import { expect, test } from 'vitest'
import { MAX_BLOCK_BYTES } from './block-table.ts'
import { markerText, parseMarker, withMarker, type CompressionMarker } from './compression-marker.ts'

const marker: CompressionMarker = { codec: 'gzip', contentType: 'text/plain', blockBytes: MAX_BLOCK_BYTES, size: 3e9 }

test('comes back as it was', () => {
  expect(parseMarker(markerText({ metadata: withMarker({}, marker) })!)).toEqual(marker)
})

test.each([
  { ...marker, blockBytes: MAX_BLOCK_BYTES + 1 },
  { ...marker, blockBytes: 4e9 },
  { ...marker, blockBytes: '4096' },
  { ...marker, blockBytes: 0 },
  { ...marker, size: -1 },
  { ...marker, codec: 'brotli' },
  null,
])('is none where it says %j', (value) => {
  expect(parseMarker(JSON.stringify(value))).toBeUndefined()
})

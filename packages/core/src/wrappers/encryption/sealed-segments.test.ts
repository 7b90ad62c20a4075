import { expect, it } from 'vitest'
import { TAG_BYTES } from '@spillway/text/internal/engines'
import { HEADER_BYTES, layOut } from './sealed-segments.ts'

it('a number of encrypted bytes has a layout only if content of some size has this number', () => {
  for (const segmentBytes of [1, 5, 64]) {
    const layouts = new Map<number, { size: number; segments: number }>()
    for (let size = 0; size <= 200; size++) {
      const segments = Math.max(1, Math.ceil(size / segmentBytes))
      layouts.set(HEADER_BYTES + size + segments * TAG_BYTES, { size, segments })
    }
    for (let bytes = 0; bytes <= Math.max(...layouts.keys()); bytes++)
      expect([bytes, layOut(bytes, segmentBytes)]).toEqual([bytes, layouts.get(bytes)])
  }
})

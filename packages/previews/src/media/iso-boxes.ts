import type { ByteView } from '@spillway/text/internal'

/** A box of an ISO base media file (ISO/IEC 14496-12). */
export interface IsoBox {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** The index of a file comes early: first in fragmented files, or after a few boxes. */
const MAX_BOXES = 65_536

/** Ends early if the bytes or the boxes do, or after very many boxes. */
export function* boxesWithin(view: ByteView, start: number, end: number): Generator<IsoBox> {
  for (let at = start, count = 0; at + 8 <= end && count < MAX_BOXES; count++) {
    const size = view.uint32(at)
    const isLarge = size === 1
    const length = isLarge ? view.uint64(at + 8) : size === 0 ? end - at : size
    const header = isLarge ? 16 : 8
    if (!(length >= header)) return
    yield { type: view.text(at + 4, 4), start: at + header, end: Math.min(at + length, end) }
    at += length
  }
}

export function findBox(view: ByteView, type: string, start: number, end: number): IsoBox | undefined {
  for (const box of boxesWithin(view, start, end)) if (box.type === type) return box
  return undefined
}

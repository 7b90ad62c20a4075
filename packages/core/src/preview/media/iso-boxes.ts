import type { ByteView } from './byte-view.ts'

/** A box of an ISO base media file (ISO/IEC 14496-12), with where its content begins and ends. */
export interface IsoBox {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** Iterate over the boxes from `start` to `end`; ends early where the bytes or the boxes do. */
export function* boxesWithin(view: ByteView, start: number, end: number): Generator<IsoBox> {
  for (let at = start; at + 8 <= end;) {
    const size = view.uint32(at)
    const isLarge = size === 1
    const length = isLarge ? view.uint64(at + 8) : size === 0 ? end - at : size
    const header = isLarge ? 16 : 8
    if (!(length >= header)) return
    yield { type: view.text(at + 4, 4), start: at + header, end: Math.min(at + length, end) }
    at += length
  }
}

/** Find the first box of a type. */
export function findBox(view: ByteView, type: string, start: number, end: number): IsoBox | undefined {
  for (const box of boxesWithin(view, start, end)) if (box.type === type) return box
  return undefined
}

import type { ByteView } from '@spillway/text/internal'
import { boxesWithin, findBox } from './iso-boxes.ts'
import { dimensions, duration } from './media-facts.ts'

/** Length and picture of an MP4 or QuickTime file, where its index is among the bytes. */
export function mp4Facts(view: ByteView): string[] {
  const movie = findBox(view, 'moov', 0, view.length)
  if (movie === undefined) return []
  const facts: string[] = []
  const header = findBox(view, 'mvhd', movie.start, movie.end)
  if (header !== undefined) {
    const isLong = view.uint8(header.start) === 1
    const timescale = view.uint32(header.start + (isLong ? 20 : 12))
    const units = isLong ? view.uint64(header.start + 24) : view.uint32(header.start + 16)
    facts.push(...duration(units / timescale))
  }
  let width = 0
  let height = 0
  for (const track of boxesWithin(view, movie.start, movie.end)) {
    const box = track.type === 'trak' ? findBox(view, 'tkhd', track.start, track.end) : undefined
    if (box === undefined) continue
    // The last two fields of a track's header, fixed-point numbers of 16 + 16 bits; 0 for sound.
    const at = box.start + (view.uint8(box.start) === 1 ? 88 : 76)
    const [wide, high] = [view.uint16(at), view.uint16(at + 4)]
    if (!(wide * high > width * height)) continue
    width = wide
    height = high
  }
  return [...dimensions(width, height), ...facts]
}

/** The main header of an AVI file, `avih`, comes first. */
export function aviFacts(view: ByteView): string[] {
  if (!view.has(24, 'avih')) return []
  const length = duration((view.uint32(32, true) * view.uint32(48, true)) / 1_000_000)
  return [...dimensions(view.uint32(64, true), view.uint32(68, true)), ...length]
}

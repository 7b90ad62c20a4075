import type { ByteView } from '@spillway/text/internal'
import { duration, sampleRate } from './media-facts.ts'

/** A page of Ogg has at most 65,307 bytes, so the last one begins no further from the end. */
const LAST_PAGE = 65_307

/** Sampling rate and length of a RIFF WAVE file: chunks `fmt ` and `data`. */
export function wavFacts(view: ByteView): string[] {
  let hertz = Number.NaN
  let bytesPerSecond = Number.NaN
  for (let at = 12; at + 8 <= view.length;) {
    const size = view.uint32(at + 4, true)
    if (view.has(at, 'fmt ')) {
      hertz = view.uint32(at + 12, true)
      bytesPerSecond = view.uint32(at + 16, true)
    }
    // A size of 0 or 2^32 - 1 is left by recorders that could not seek back.
    if (view.has(at, 'data'))
      return [...(size < 0xffff_ffff ? duration(size / bytesPerSecond) : []), ...sampleRate(hertz)]
    at += 8 + size + (size % 2)
  }
  return sampleRate(hertz)
}

/** Sampling rate and samples stand in STREAMINFO, which comes first (RFC 9639, section 8.2). */
export function flacFacts(view: ByteView): string[] {
  if ((view.uint8(4) & 0x7f) !== 0) return []
  const bits = view.uint32(18)
  const hertz = bits >>> 12
  const samples = (view.uint8(21) & 0x0f) * 2 ** 32 + view.uint32(22)
  return [...duration(samples / hertz), ...sampleRate(hertz)]
}

/** The granule of the last page counts the samples (RFC 3533, RFC 7845, Vorbis I); it needs the end of the file. */
export function oggFacts(view: ByteView, size: number): string[] {
  const isOpus = view.has(28, 'OpusHead')
  if (!isOpus && !view.has(28, '\x01vorbis')) return []
  const hertz = isOpus ? 48_000 : view.uint32(40, true)
  const skipped = isOpus ? view.uint16(38, true) : 0
  const last = view.length === size ? view.lastIndexOf('OggS', size, size - LAST_PAGE) : -1
  return [...duration((view.uint64(last + 6, true) - skipped) / hertz), ...sampleRate(hertz)]
}

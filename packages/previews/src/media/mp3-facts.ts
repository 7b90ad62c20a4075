import type { ByteView } from '@spillway/text/internal'
import { duration, sampleRate } from './media-facts.ts'

/** Kilobits per second of MPEG audio, layer III: of MPEG-1, and of MPEG-2 and 2.5 (ISO/IEC 11172-3, 13818-3). */
const BITRATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const BITRATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
/** Samples per second of MPEG-1; those of MPEG-2 are half, of 2.5 a quarter. */
const SAMPLE_RATES = [44_100, 48_000, 32_000]

/** What the header of a frame of MPEG audio, layer III, tells. */
export interface Mp3Frame {
  readonly bitsPerSecond: number
  readonly hertz: number
  readonly samples: number
  readonly bytes: number
  /** Where the count of frames would stand, which encoders put into the first frame. */
  readonly countAt: number
}

/** Read the header of a frame, or nothing where there is none. */
function mp3Frame(view: ByteView, at: number): Mp3Frame | undefined {
  const header = view.uint32(at)
  const version = (header >>> 19) & 3
  // Eleven bits of sync, a version that is not reserved, layer III.
  if (!(header >>> 21 === 0x7ff) || version === 1 || ((header >>> 17) & 3) !== 1) return undefined
  const isMpeg1 = version === 3
  const kilobits = (isMpeg1 ? BITRATES_1 : BITRATES_2)[(header >>> 12) & 15]
  const rate = SAMPLE_RATES[(header >>> 10) & 3]
  if (kilobits === undefined || kilobits === 0 || rate === undefined) return undefined
  const hertz = rate / (isMpeg1 ? 1 : version === 2 ? 2 : 4)
  const samples = isMpeg1 ? 1_152 : 576
  const isMono = ((header >>> 6) & 3) === 3
  const sideInformation = isMpeg1 ? (isMono ? 17 : 32) : isMono ? 9 : 17
  const bytes = Math.floor((samples / 8) * ((kilobits * 1_000) / hertz)) + ((header >>> 9) & 1)
  return { bitsPerSecond: kilobits * 1_000, hertz, samples, bytes, countAt: at + 4 + sideInformation }
}

/** Where the frames begin: after an ID3v2 tag, whose size has seven bits in each byte. */
function mp3Start(view: ByteView): number {
  if (!view.has(0, 'ID3')) return 0
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (view.uint8(at) & 0x7f), 0)
  return 10 + size
}

/** The length is exact where the encoder left its count of frames, else estimated from the first frame. */
export function mp3Facts(view: ByteView, size: number): string[] {
  const start = mp3Start(view)
  const frame = mp3Frame(view, start)
  if (frame === undefined) return []
  const { hertz, samples, bitsPerSecond, countAt } = frame
  const isCounted = (view.has(countAt, 'Xing') || view.has(countAt, 'Info')) && (view.uint32(countAt + 4) & 1) === 1
  const length = isCounted
    ? duration((view.uint32(countAt + 8) * samples) / hertz)
    : duration(((size - start) * 8) / bitsPerSecond, { isEstimate: true })
  return [...length, ...sampleRate(hertz)]
}

import { formatCount } from '@spillway/text/internal'
import type { StoredInfo } from '../storage/storage.ts'
import { abridge, oneLine } from './plain-text.ts'

const UNITS = [
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

/** Write how an entry is headed where several are shown, without the end: `== call_1_0_… (read_log, text/plain, 20 bytes, 3 min ago)`. */
export function entryHeading(info: StoredInfo, now: number = Date.now()): string {
  return `== ${oneLine(info.reference)} (${describeEntry(info, now)})`
}

/** Say what an entry is: its tool and its age where they are known, its type and its size. */
function describeEntry({ contentType, size, storedAt, metadata }: StoredInfo, now: number = Date.now()): string {
  const tool = (metadata as StoredInfo['metadata'] | undefined)?.['tool']
  const facts = [abridge(contentType, 40), `${formatCount(size)} bytes`, ...ageOf(now - storedAt)]
  return (typeof tool === 'string' && tool !== '' ? [abridge(tool, 40), ...facts] : facts).join(', ')
}

/** From a minute on. */
function ageOf(milliseconds: number): string[] {
  const unit = UNITS.find(([, length]) => milliseconds >= length)
  return unit === undefined ? [] : [`${formatCount(Math.floor(milliseconds / unit[1]))} ${unit[0]} ago`]
}

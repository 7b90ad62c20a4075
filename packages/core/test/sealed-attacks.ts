import { createAes256Gcm, hkdfSha256, hmacSha256 } from '@spillway/text/internal/engines'
import { KeyRing, type Primitives } from '../src/wrappers/encryption/key-ring.ts'
import { encryptedDriver } from '../src/wrappers/encryption/encrypted.ts'
import { segmentStart } from '../src/wrappers/encryption/sealed-segments.ts'
import { createStorage, StorageError, type ManagedStorage } from '../src/index.ts'
import { completeDriver } from '../src/storage/managed-storage.ts'
import { recordedDriver, type RecordedDriver } from './recorded-driver.ts'
import type { TinyRecord } from './tiny-driver.ts'

/** Size of a segment. It is small, so that a short text has several segments. */
export const SEGMENT_BYTES = 16
export const REAL: Primitives = { createAes256Gcm, hkdfSha256, hmacSha256 }
const SECRET = new Uint8Array(32).fill(1)
const start = (segment: number): number => segmentStart(segment, SEGMENT_BYTES)

/** An encrypted storage with small segments. */
export interface SealedFixture extends RecordedDriver {
  readonly storage: ManagedStorage
}

/** Make an encrypted storage over a tiny disk. */
export function sealedFixture(
  primitives: Primitives = REAL,
  recorded: RecordedDriver = recordedDriver(),
): SealedFixture {
  const keys = new KeyRing(
    { current: { secret: SECRET }, previous: [], nameSecret: SECRET, segmentBytes: SEGMENT_BYTES },
    primitives,
  )
  return { ...recorded, storage: createStorage(encryptedDriver(completeDriver(recorded.driver), keys)) }
}

/** A change by an attacker with access to the backend. */
export interface Attack {
  readonly name: string
  /** Change the first of three entries; the third is in another scope. */
  change(records: readonly [TinyRecord, TinyRecord, TinyRecord]): void
}

const changed =
  (change: (content: Uint8Array, records: readonly [TinyRecord, TinyRecord, TinyRecord]) => Uint8Array) =>
  (records: readonly [TinyRecord, TinyRecord, TinyRecord]): void => {
    const [record] = records
    record.content = change(record.content, records)
    record.info = { ...record.info, size: record.content.byteLength }
  }

const segment = (content: Uint8Array, index: number): Uint8Array => content.subarray(start(index), start(index + 1))
const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

export const ATTACKS: readonly Attack[] = [
  { name: 'cuts content after a segment', change: changed((content) => content.slice(0, start(2))) },
  { name: 'cuts content within a segment', change: changed((content) => content.slice(0, -1)) },
  { name: 'leaves nothing of content', change: changed(() => new Uint8Array(0)) },
  { name: 'continues content', change: changed((content) => joined(content, segment(content, 1))) },
  {
    name: 'swaps segments',
    change: changed((content) =>
      joined(content.subarray(0, start(1)), segment(content, 2), segment(content, 1), content.subarray(start(3))),
    ),
  },
  {
    name: 'repeats a segment',
    change: changed((content) =>
      joined(content.subarray(0, start(2)), segment(content, 1), content.subarray(start(3))),
    ),
  },
  {
    name: 'changes a bit of a segment',
    change: changed((content) => content.map((byte, at) => (at === start(1) + 3 ? byte ^ 1 : byte))),
  },
  { name: 'puts the content of another entry in its place', change: changed((_content, [, other]) => other.content) },
  { name: 'puts the content of another scope in its place', change: changed((_content, [, , other]) => other.content) },
  {
    name: 'puts another entry in its place',
    change: ([record, other]) => Object.assign(record, { content: other.content, info: other.info }),
  },
  {
    name: 'puts the description of another entry beside it',
    change: ([record, other]) => void (record.info = { ...record.info, key: other.info.key }),
  },
]

/** Whether an attack is detected: reading the entry, as a whole and in parts, rejects with `corrupt`. */
export async function isDetected(attack: Attack, primitives: Primitives = REAL): Promise<boolean> {
  const { storage, disk } = sealedFixture(primitives)
  const content = (text: string): Uint8Array => new TextEncoder().encode(text.repeat(20))
  const reference = await storage.store('first', content('first'))
  await storage.store('second', content('other'))
  await storage.scope('elsewhere').store('third', content('third'))
  const [first, second, third] = disk.records.values()
  if (first === undefined || second === undefined || third === undefined) throw new Error('an entry is missing')
  attack.change([first, second, third])
  const answers = [storage.retrieve(reference), storage.retrieveRange(reference, { offset: 0, length: 1_000 })]
  for (const answer of await Promise.allSettled(answers)) {
    if (answer.status === 'fulfilled') return false
    if (!StorageError.isInstance(answer.reason) || answer.reason.code !== 'corrupt') return false
  }
  return true
}

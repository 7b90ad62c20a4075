import { concatBytes, copyBytes } from '@spillway/text/internal'
import { countLineEnds, LineIndex, LineIndexRecorder } from '@spillway/text/internal/lines'
import {
  BEAT_MS,
  endMetadata,
  entryId,
  headId,
  openEntryOf,
  readMetadata,
  segmentsPrefix,
  splitId,
  type EntryId,
} from './entry-names.ts'
import { assertContent, onlyChunk } from './storage-input.ts'
import type { CompleteDriver, EntryInfo, OpenEntry } from './storage-driver.ts'
import { guard, missingError, StorageError, unlessFailed } from './storage-error.ts'
import type { CloseEntryOptions, EntryWriter, Metadata, OmittedPart, StoredInfo } from './storage.ts'

const SEGMENT_BYTES = 1_048_576
const SEGMENT_MS = 2_000
const LINE_FEED = 10
const MAX_WAITING_BYTES = 8 * SEGMENT_BYTES
/** Number of short segments to join into one, so that slow output does not leave thousands of segments. */
const MAX_SHORT_SEGMENTS = 32
const MIN_JOINED_SEGMENTS = 8

export interface OpenEntryTarget {
  readonly driver: CompleteDriver
  readonly path: string
  readonly reference: string
  readonly key: string
  readonly contentType: string
  readonly metadata: Metadata
  readonly maxBytes: number
  readonly now: () => number
  readonly ended: (info: EntryInfo) => Promise<StoredInfo>
}

const MIN_MAX_BYTES = 262_144

export function assertOpenMaxBytes(maxBytes: number): void {
  if (typeof maxBytes !== 'number' || !(maxBytes >= MIN_MAX_BYTES))
    throw new TypeError(`maxBytes must be at least ${MIN_MAX_BYTES} bytes, or left out; got ${maxBytes}.`)
}

/** A segment to write, whose bytes never change, so that the write can be repeated. */
interface CutSegment extends Segment {
  readonly bytes: Uint8Array
}

export class OpenEntryWriter implements EntryWriter {
  readonly reference: string
  readonly #target: OpenEntryTarget
  readonly #storedAt: number
  /** Number of bytes that are always kept at the start: about half of the limit, up to a line end. */
  #keptAtStart: number
  #chunks: Uint8Array[] = []
  #waitingBytes = 0
  #isUnendedOld = false
  #cut: CutSegment[] = []
  #offset = 0
  #lineEnds = 0
  #segments: Segment[] = []
  #short: CutSegment[] = []
  #covered: EntryId[] = []
  #lastBeat: number
  #commits: Promise<void> = Promise.resolve()
  #timer: ReturnType<typeof setInterval> | undefined
  #closing: Promise<StoredInfo> | undefined

  constructor(target: OpenEntryTarget) {
    this.reference = target.reference
    this.#target = target
    this.#storedAt = this.#lastBeat = target.now()
    this.#keptAtStart = Math.floor(target.maxBytes / 2)
  }

  async start(): Promise<void> {
    const { path, reference } = this.#target
    await this.#write(headId(path, reference), new Uint8Array(0), this.#target.metadata)
    this.#timer = setInterval(() => void this.#tick(), SEGMENT_MS)
    if (typeof this.#timer === 'object') this.#timer.unref()
  }

  async write(chunk: Uint8Array): Promise<void> {
    assertContent(chunk)
    if (this.#closing !== undefined)
      throw new TypeError(`${this.reference} was closed. Open another entry for more output.`)
    if (this.#waitingBytes >= MAX_WAITING_BYTES) await this.#commit()
    this.#chunks.push(copyBytes(chunk))
    this.#waitingBytes += chunk.byteLength
    if (this.#waitingBytes >= SEGMENT_BYTES) await unlessFailed(this.#commit(), 'unavailable')
  }

  async close(options: CloseEntryOptions = {}): Promise<StoredInfo> {
    this.#closing ??= this.#end(options)
    try {
      return await this.#closing
    } catch (error) {
      this.#closing = undefined
      throw error
    }
  }

  async #tick(): Promise<void> {
    try {
      if (this.#waitingBytes > 0) await this.#commit(this.#isUnendedOld)
      if (this.#target.now() - this.#lastBeat >= BEAT_MS) await this.#beat()
    } catch (error) {
      // The next commit tries again, and the next call reports a permanent failure.
      if (!StorageError.isInstance(error)) throw error
    }
  }

  /** Commits segments, one commit at a time. A segment whose write failed is written again first. */
  #commit(isAll = false): Promise<void> {
    const commit = async (): Promise<void> => {
      this.#cutChunks(isAll)
      for (let segment = this.#cut[0]; segment !== undefined; segment = this.#cut[0]) {
        await this.#write(segment.id, segment.bytes, segmentMetadata(segment))
        this.#cut.shift()
        this.#waitingBytes -= segment.size
        await this.#committed(segment)
      }
    }
    this.#commits = this.#commits.then(commit, commit)
    return this.#commits
  }

  #cutChunks(isAll: boolean): void {
    const bytes = concatBytes(this.#chunks)
    let at = 0
    while (at < bytes.length) {
      const toBoundary = this.#keptAtStart - this.#offset
      const most = toBoundary > 0 ? Math.min(SEGMENT_BYTES, toBoundary) : SEGMENT_BYTES
      const part = bytes.subarray(at, at + most)
      const lineEnd = part.lastIndexOf(LINE_FEED) + 1
      const isFull = part.length === most
      if (lineEnd === 0 && !isFull && !isAll) break
      const size = lineEnd > 0 && (isFull || !isAll) ? lineEnd : part.length
      if (part.length === toBoundary) this.#keptAtStart = this.#offset + size
      this.#pushSegment(part.subarray(0, size))
      at += size
    }
    this.#chunks = at < bytes.length ? [bytes.subarray(at)] : []
    this.#isUnendedOld = at < bytes.length
  }

  #pushSegment(bytes: Uint8Array): void {
    const { path, reference } = this.#target
    const lineEnds = countLineEnds(bytes)
    const place = { offset: this.#offset, size: bytes.length, lineEnds, linesBefore: this.#lineEnds }
    this.#cut.push({ id: segmentId(path, reference, this.#offset), ...place, bytes })
    this.#offset += bytes.length
    this.#lineEnds += lineEnds
  }

  async #committed(segment: CutSegment): Promise<void> {
    const { bytes: _, ...place } = segment
    this.#segments.push(place)
    this.#short.push(segment)
    const isAtBoundary = segment.offset + segment.size === this.#keptAtStart
    const shortBytes = this.#short.reduce((sum, { size }) => sum + size, 0)
    if (isAtBoundary || shortBytes >= SEGMENT_BYTES || this.#short.length >= MAX_SHORT_SEGMENTS) await this.#join()
    await this.#dropMiddle()
  }

  /** Joins short segments. These short segments are removed at the next join, because a reader may still use them. */
  async #join(): Promise<void> {
    const { driver, path, reference } = this.#target
    const short = this.#short
    this.#short = []
    const [first] = short
    if (first === undefined || short.length < MIN_JOINED_SEGMENTS) return
    const joined: Segment = {
      id: segmentId(path, reference, first.offset, true),
      offset: first.offset,
      size: short.reduce((sum, { size }) => sum + size, 0),
      lineEnds: short.reduce((sum, { lineEnds }) => sum + lineEnds, 0),
      linesBefore: first.linesBefore,
    }
    await this.#write(joined.id, concatBytes(short.map(({ bytes }) => bytes)), segmentMetadata(joined))
    this.#segments.splice(-short.length, short.length, joined)
    const covered = this.#covered
    this.#covered = short.map(({ id }) => id)
    for (const id of covered) await guard({ action: 'delete', reference }, () => driver.remove(id))
  }

  async #dropMiddle(): Promise<void> {
    const { driver, maxBytes, reference } = this.#target
    const keptAtEnd = maxBytes - this.#keptAtStart
    for (;;) {
      const index = this.#segments.findIndex(({ offset }) => offset >= this.#keptAtStart)
      const segment = this.#segments[index]
      const last = this.#segments.at(-1)
      if (segment === undefined || last === undefined) return
      const next = segment.offset + segment.size
      if (last.offset + last.size - next < keptAtEnd) return
      await guard({ action: 'delete', reference }, () => driver.remove(segment.id))
      this.#segments.splice(index, 1)
      // A removed segment must not become a part of the next joined segment.
      this.#short = this.#short.filter(({ id }) => id !== segment.id)
    }
  }

  async #end({ state = 'complete', metadata = {} }: CloseEntryOptions): Promise<StoredInfo> {
    const { driver, path, reference, key, contentType } = this.#target
    await this.#commit(true)
    await this.#beat()
    clearInterval(this.#timer)
    const { size, omitted } = inOrder(this.#segments)
    const described = { ...this.#target.metadata, ...metadata, ...endMetadata(state, omitted) }
    const now = this.#target.now()
    const info = { key, contentType, storedAt: this.#storedAt, lastUsedAt: now, metadata: described }
    const lines = new LineIndexRecorder()
    await guard({ action: 'store', key }, () =>
      driver.write(entryId(path, reference), this.#contents(lines), info, () => lines.encoded()),
    )
    await removeOpenEntry(driver, path, reference)
    return await this.#target.ended({ ...info, size })
  }

  async *#contents(lines: LineIndexRecorder): AsyncGenerator<Uint8Array> {
    const { driver, reference } = this.#target
    for (const { id } of this.#segments) {
      const read = await driver.read(id)
      if (read === undefined) throw missingError(reference, undefined)
      lines.add(read.content)
      yield read.content
    }
  }

  async #beat(): Promise<void> {
    const { driver, path, reference } = this.#target
    const id = headId(path, reference)
    const now = this.#target.now()
    const touched = await guard({ action: 'refresh', reference }, () => driver.touch(id, now))
    const present =
      touched ?? (touched === null ? await guard({ action: 'refresh', reference }, () => driver.stat(id)) : undefined)
    if (present === undefined) {
      clearInterval(this.#timer)
      await guard({ action: 'delete', reference }, () => removeOpenEntry(driver, path, reference))
      throw missingError(reference, undefined)
    }
    if (touched === null) await this.#write(id, new Uint8Array(0), this.#target.metadata)
    this.#lastBeat = now
  }

  async #write(id: EntryId, bytes: Uint8Array, metadata: Metadata): Promise<void> {
    const { driver, key, contentType } = this.#target
    const info = { key, contentType, storedAt: this.#storedAt, lastUsedAt: this.#target.now(), metadata }
    await guard({ action: 'store', key }, () => driver.write(id, onlyChunk(bytes), info))
  }
}

const OFFSET_DIGITS = 16
/** Metadata names that core adds to segments. Callers cannot use these names. */
const LINE_ENDS = 'spillway-line-ends'
const LINES_BEFORE = 'spillway-lines-before'
interface Segment {
  readonly id: EntryId
  /** Offset in all written bytes, including omitted parts. */
  readonly offset: number
  readonly size: number
  readonly lineEnds: number
  readonly linesBefore: number
}

const segmentId = (path: string, reference: string, offset: number, isJoined = false): EntryId =>
  `${segmentsPrefix(path, reference)}${String(offset).padStart(OFFSET_DIGITS, '0')}${isJoined ? 'j' : ''}`

const segmentMetadata = ({ lineEnds, linesBefore }: Pick<Segment, 'lineEnds' | 'linesBefore'>): Metadata => ({
  [LINE_ENDS]: String(lineEnds),
  [LINES_BEFORE]: String(linesBefore),
})

export interface OpenParts {
  readonly head: EntryInfo
  readonly segments: readonly Segment[]
  readonly size: number
  readonly omitted?: OmittedPart
}

export async function readOpenParts(
  driver: CompleteDriver,
  path: string,
  reference: string,
): Promise<OpenParts | undefined> {
  const head = await driver.stat(headId(path, reference))
  if (head === undefined) return undefined
  const segments: Segment[] = []
  for await (const { id, info } of driver.list(segmentsPrefix(path, reference))) {
    const segment = asSegment(id, info)
    if (segment !== undefined) segments.push(segment)
  }
  return { head, ...inOrder(segments) }
}

function asSegment(id: EntryId, { size, metadata }: Pick<EntryInfo, 'size' | 'metadata'>): Segment | undefined {
  const offset = Number.parseInt(splitId(id).reference, 10)
  if (Number.isNaN(offset)) return undefined
  return { id, offset, size, lineEnds: Number(metadata[LINE_ENDS]), linesBefore: Number(metadata[LINES_BEFORE]) }
}

/** Sorts segments, and leaves out short segments that a joined segment contains. */
function inOrder(found: readonly Segment[]): Omit<OpenParts, 'head'> {
  const segments: Segment[] = []
  let size = 0
  let end = 0
  let omitted: OmittedPart | undefined
  for (const segment of found.toSorted((a, b) => a.offset - b.offset || b.size - a.size)) {
    if (segment.offset < end) continue
    if (segment.offset > end) omitted = omittedBefore(segment, segments.at(-1), size)
    segments.push(segment)
    size += segment.size
    end = segment.offset + segment.size
  }
  return { segments, size, ...(omitted && { omitted }) }
}

/** Describes the omitted part before a segment. `offset` is its position in the kept content, in bytes. */
function omittedBefore(next: Segment, last: Segment | undefined, offset: number): OmittedPart {
  const linesBefore = last === undefined ? 0 : last.linesBefore + last.lineEnds
  const bytes = next.offset - (last === undefined ? 0 : last.offset + last.size)
  return { bytes, lines: next.linesBefore - linesBefore, afterLine: linesBefore, offset }
}

export interface OpenSegments extends OpenEntry {
  readonly state: 'open' | 'lost'
  readonly omitted?: OmittedPart
  lineIndex(): Promise<LineIndex>
}

interface UnendedEntry {
  readonly path: string
  readonly reference: string
  head?: EntryInfo
  readonly segments: Segment[]
}

export class UnendedEntries {
  readonly #found = new Map<EntryId, UnendedEntry>()

  take(id: EntryId, info: EntryInfo): boolean {
    const open = openEntryOf(id)
    if (open === undefined) return false
    const name = entryId(open.path, open.reference)
    const entry = this.#found.get(name) ?? { path: open.path, reference: open.reference, segments: [] }
    this.#found.set(name, entry)
    const segment = asSegment(id, info)
    if (open.isHead) entry.head = info
    else if (segment !== undefined) entry.segments.push(segment)
    return true
  }

  *all(): Generator<{ readonly path: string; readonly reference: string; readonly parts: OpenParts }> {
    for (const { path, reference, head, segments } of this.#found.values())
      if (head !== undefined) yield { path, reference, parts: { head, ...inOrder(segments) } }
  }
}

/** Opens the content written so far. If the entry is closed meanwhile, reading continues in the closed entry. */
export function openSegments(
  driver: CompleteDriver,
  path: string,
  reference: string,
  { head, segments, size }: OpenParts,
): Pick<OpenSegments, keyof OpenEntry | 'lineIndex'> {
  const starts: number[] = []
  let total = 0
  for (const segment of segments) {
    starts.push(total)
    total += segment.size
  }
  const entry: OpenEntry = {
    info: { ...head, size },
    async read({ offset, length }) {
      const end = Math.min(size, offset + length)
      const bytes = new Uint8Array(Math.max(0, end - offset))
      let index = starts.findLastIndex((start) => start <= offset)
      for (let at = offset; at < end; index++) {
        const segment = segments[index]!
        const inner = at - starts[index]!
        const taken = Math.min(segment.size - inner, end - at)
        const read = await driver.read(segment.id, { offset: inner, length: taken })
        if (read === undefined)
          return copyBytes(await readEnded(driver, path, reference, { offset, length: end - offset }))
        bytes.set(read.content, at - offset)
        at += taken
      }
      return bytes
    },
    close: async () => undefined,
  }
  return {
    ...entry,
    async lineIndex() {
      const last = size === 0 ? undefined : (await entry.read({ offset: size - 1, length: 1 }))[0]
      const counts = segments.map(({ lineEnds }) => lineEnds)
      return new LineIndex(size, counts, last === LINE_FEED, { starts })
    },
  }
}

async function readEnded(
  driver: CompleteDriver,
  path: string,
  reference: string,
  range: { readonly offset: number; readonly length: number },
): Promise<Uint8Array> {
  const ended = await driver.read(entryId(path, reference), range)
  if (ended !== undefined && readMetadata(ended.info.metadata).omitted === undefined) return ended.content
  const why = ended === undefined ? 'was removed or cut' : 'was cut'
  throw new StorageError('unavailable', `${reference} ${why} while it was read. Read it again.`, { reference })
}

/** Removes an open entry, and returns the bytes of its segments. The head is removed first, to stop a live writer. */
export async function removeOpenEntry(
  driver: CompleteDriver,
  path: string,
  reference: string,
): Promise<number | undefined> {
  const existed = await driver.remove(headId(path, reference))
  const ids: EntryId[] = []
  let bytes = 0
  for await (const { id, info } of driver.list(segmentsPrefix(path, reference))) {
    ids.push(id)
    bytes += info.size
  }
  for (const id of ids) await driver.remove(id)
  return existed || ids.length > 0 ? bytes : undefined
}

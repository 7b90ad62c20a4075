import type { EntryWriter, OpenContent, Storage } from '../../storage/storage.ts'
import type { ConformanceCase } from '../harness.ts'
import { attempt, check, checkBytes, checkEqual, rejectionCode, unlessRejected } from '../conformance-failure.ts'
import { checkContent, opened } from './combined/methods.ts'
import { bytes, collect, pattern, randomBelow, referencesIn, stream } from '../sample.ts'

const TYPE = 'Text/CSV; header=present'
/** Size of content that no backend reads at once. */
const LARGE = 17_000_003

async function checkRead(open: OpenContent, content: Uint8Array, offset: number, length: number): Promise<void> {
  const what = `${length} bytes from ${offset} of ${content.length}`
  checkBytes(await attempt(what, () => open.read(offset, length)), content.subarray(offset, offset + length), what)
}

/** Make lines of the given length. One more byte follows, so that the last line has no line end. */
function lines(count: number, length: number): Uint8Array {
  const content = new Uint8Array(count * length + 1).fill(0x61)
  for (let line = 1; line <= count; line += 1) content[line * length - 1] = 0x0a
  return content
}

export const openCases: readonly ConformanceCase[] = [
  {
    id: 'open/equals-slice',
    title: 'Opened content has the type and size, and any range of it equals the same slice of the content',
    requires: ['open'],
    async run({ storage, random, thorough }) {
      for (const size of [0, 1, 1_000, 65_536, 200_000]) {
        const content = pattern(size, 23)
        const reference = await storage.store(`of_${size}`, content, TYPE)
        await opened(storage, reference, async (open) => {
          checkEqual([open.contentType, open.size], [TYPE, size], 'content type and size')
          for (let round = 0; round < (thorough ? 200 : 20); round += 1)
            await checkRead(open, content, randomBelow(random, size + 10), randomBelow(random, size + 20))
          await checkRead(open, content, 0, size)
          await checkRead(open, content, size, 1)
        })
      }
    },
  },
  {
    id: 'open/of-large-content',
    title: 'Parts of 17 MB are correct, whether small or large, read again, or read by several callers at once',
    requires: ['open'],
    async run({ storage }) {
      const content = pattern(LARGE, 29)
      const reference = await storage.store('large', content, TYPE)
      await opened(storage, reference, async (open) => {
        const parts: Promise<void>[] = []
        for (const boundary of [65_536, 131_072, 1_048_576, 8_388_608, LARGE - 65_536])
          for (const length of [4, 65_536, 140_000, 2_000_000])
            for (let time = 0; time < 2; time += 1) parts.push(checkRead(open, content, boundary - 2, length))
        await Promise.all(parts)
        await checkRead(open, content, LARGE - 3, 10)
      })
    },
  },
  {
    id: 'open/line-index',
    title: 'The line index matches the content after any kind of store',
    requires: ['open'],
    async run({ storage }) {
      // The contents have the same size, so that each needs its own line index.
      const counts = [30_000, 300_000, 30_000]
      const contents = [lines(30_000, 100), lines(300_000, 10)]
      const references: string[] = []
      for (const [position, content] of contents.entries())
        references.push(await storage.store(`lines_${position}`, content))
      const streamed = contents[0] as Uint8Array
      if (typeof storage.storeStream === 'function') {
        const parts = [streamed.subarray(0, 1), streamed.subarray(1, 100_000), streamed.subarray(100_000)]
        references.push(await storage.storeStream('lines', stream(...parts)))
        contents.push(streamed)
      }
      for (const [position, reference] of references.entries()) {
        await opened(storage, reference, async (open) => {
          const index = await open.lineIndex?.()
          if (index !== undefined) checkEqual(index.lines, (counts[position] as number) + 1, 'lines')
        })
      }
    },
  },
  {
    id: 'open/removed',
    title: 'A removed entry can no longer be opened, even if it was read before',
    requires: ['open', 'delete', 'clear'],
    async run({ storage }) {
      const remove: readonly ((reference: string) => Promise<unknown>)[] = [
        (reference) => storage.delete(reference),
        () => storage.clear(),
      ]
      for (const [turn, removed] of remove.entries()) {
        const reference = await storage.store(`call_${turn}`, bytes('content'))
        await opened(storage, reference, (open) => checkRead(open, bytes('content'), 0, 7))
        await removed(reference)
        await rejectionCode('not-found', 'opening the removed entry', () => storage.open(reference))
      }
    },
  },
  {
    id: 'open/removed-while-open',
    title: 'Content removed while it is open returns its own bytes or rejects because the entry is missing',
    requires: ['open', 'delete'],
    async run({ storage }) {
      const content = pattern(LARGE, 37)
      const reference = await storage.store('large', content, TYPE)
      await opened(storage, reference, async (open) => {
        await checkRead(open, content, 0, 10)
        await storage.delete(reference)
        for (const [offset, length] of [
          [0, 10],
          [9_000_000, 65_536],
          [LARGE - 2_000_000, 2_000_000],
        ] as const) {
          const codes = ['not-found', 'evicted', 'corrupt']
          const found = await unlessRejected(codes, 'reading removed content', () => open.read(offset, length))
          if (found !== undefined) checkBytes(found, content.subarray(offset, offset + length), 'bytes')
        }
      })
    },
  },
]

const MB = 1_048_576

/** Write content in chunks of an odd length, so that segments can begin at any position within a chunk. */
async function writeAll(writer: EntryWriter, content: Uint8Array): Promise<void> {
  for (let start = 0; start < content.length; start += 99_991)
    await writer.write(content.subarray(start, start + 99_991))
}

const openEntry = (storage: Required<Storage>, ...options: Parameters<Storage['openEntry'] & object>) =>
  attempt('opening an entry', () => storage.openEntry(...options))

function numberedLines(count: number): Uint8Array {
  const lines = Array.from({ length: count }, (_, index) => `line ${index + 1} `.padEnd(99, '.'))
  return bytes(`${lines.join('\n')}\n`)
}

export const openEntryCases: readonly ConformanceCase[] = [
  {
    id: 'open-entry/grows',
    title: 'An entry that is still being written can be read up to its last megabyte, and is described as open',
    requires: ['openEntry', 'stat', 'retrieveRange', 'open'],
    async run({ storage }) {
      const writer = await openEntry(storage, 'call_1', 'text/x-log', { metadata: { tool: 'bash' } })
      const content = numberedLines(35_000)
      await writeAll(writer, content)
      const { state, size, key, contentType, metadata } = await storage.stat(writer.reference)
      checkEqual([state, key, contentType, metadata], ['open', 'call_1', 'text/x-log', { tool: 'bash' }], 'description')
      check(size >= content.length - 1.2 * MB, `of ${content.length} bytes only ${size} can be read`)
      await checkContent(storage, writer.reference, content.slice(0, size), 'the open entry')
      const range = await storage.retrieveRange(writer.reference, { offset: MB - 10, length: 20 })
      checkBytes(range.content, content.slice(MB - 10, MB + 10), 'range')
      const opened = await storage.open(writer.reference)
      checkBytes(await opened.read(2 * MB - 5, 10), content.slice(2 * MB - 5, 2 * MB + 5), 'bytes')
      await writeAll(writer, content)
      await writer.close()
      checkBytes(await opened.read(0, 100), content.slice(0, 100), 'bytes after the end')
      await opened.close()
    },
  },
  {
    id: 'open-entry/leaves-nothing',
    title: 'Deleting an entry of openEntry leaves no more records than deleting a stored entry',
    requires: ['openEntry', 'delete', 'residue'],
    async run({ storage, powers }) {
      await storage.delete(await storage.store('call_1', bytes('content')))
      const before = await powers.residue()
      for (const close of [true, false]) {
        const writer = await openEntry(storage, 'call_1')
        await writeAll(writer, numberedLines(25_000))
        if (close) await writer.close()
        await storage.delete(writer.reference)
        await rejectionCode('not-found', 'retrieving it', () => storage.retrieve(writer.reference))
        if (!close) await rejectionCode('not-found', 'closing a deleted entry', () => writer.close())
      }
      checkEqual(await powers.residue(), before, 'records')
    },
  },
  {
    id: 'open-entry/scope',
    title: 'An open entry is listed once, cleared with its scope, and not found in other scopes',
    requires: ['openEntry', 'scope', 'list', 'clear'],
    async run({ storage }) {
      const [scope, sibling] = [storage.scope('a', 'open') as Required<Storage>, storage.scope('a', '_open')]
      const writer = await openEntry(scope, 'call_1')
      await writeAll(writer, numberedLines(25_000))
      for (const options of [{}, { below: false }])
        checkEqual(
          (await collect(scope.list(options))).map(({ reference, state }) => [reference, state]),
          [[writer.reference, 'open']],
          'entries',
        )
      checkEqual((await collect(storage.list())).length, 1, 'entries of all scopes')
      checkEqual((await collect(storage.list({ below: false }))).length, 0, 'entries above the scope')
      for (const other of [sibling, storage, storage.scope('a'), storage.scope('_open')])
        await rejectionCode('not-found', 'retrieving it elsewhere', () => other.retrieve(writer.reference))
      checkEqual(await scope.clear(), 1, 'cleared entries')
      await rejectionCode('not-found', 'closing a cleared entry', () => writer.close())
      checkEqual(await collect(storage.list()), [], 'entries after that')
    },
  },
  {
    id: 'open-entry/limit',
    title: 'An entry over its limit keeps its start and end, and states the missing range',
    requires: ['openEntry', 'stat'],
    async run({ storage }) {
      const content = numberedLines(60_000)
      const writer = await openEntry(storage, 'call_1', 'text/plain', { maxBytes: MB })
      await writeAll(writer, content)
      const { state, size, omitted } = await writer.close()
      checkEqual(await storage.stat(writer.reference), await writer.close(), 'description')
      if (omitted === undefined) throw new TypeError('the answer states no missing range')
      checkEqual([state, size + omitted.bytes, omitted.bytes % 100], ['cut', content.length, 0], 'state and sizes')
      checkEqual([omitted.lines * 100, omitted.afterLine * 100], [omitted.bytes, omitted.offset], 'missing lines')
      check(size >= 0.9 * MB && size <= 2.1 * MB, `${size} bytes were kept of ${MB}`)
      const kept = (await storage.retrieve(writer.reference)).content
      checkBytes(kept.slice(0, omitted.offset), content.slice(0, omitted.offset), 'beginning')
      checkBytes(kept.slice(omitted.offset), content.slice(omitted.offset + omitted.bytes), 'end')
    },
  },
  {
    id: 'open-entry/ends',
    title: 'An entry closed by its writer behaves like any other, even in another instance, and has its final state',
    requires: ['openEntry', 'stat', 'list'],
    async run({ storage, powers }) {
      const { reopen = async () => storage } = powers as Partial<typeof powers>
      const other = (await reopen()) as Required<typeof storage>
      const content = pattern(3 * MB + 17, 31)
      for (const state of ['complete', 'aborted'] as const) {
        const writer = await openEntry(storage, `call ${state}`, 'application/octet-stream')
        await writeAll(writer, content)
        checkEqual((await other.stat(writer.reference)).state, 'open', 'state')
        const closed = await writer.close({ state, metadata: { 'exit-code': '0' } })
        checkEqual([closed.state, closed.metadata], [state, { 'exit-code': '0' }], 'state and metadata')
        checkEqual(await writer.close(), closed, 'closing again')
        checkEqual(await other.stat(writer.reference), closed, 'description')
        const listed = (await collect(other.list())).filter(({ reference }) => reference === writer.reference)
        checkEqual(listed, [closed], 'entries')
        await checkContent(other, writer.reference, content)
      }
    },
  },
  {
    id: 'open-entry/lost',
    title: 'An entry of a silent writer becomes lost but keeps its content, and a slow writer can still close it',
    requires: ['openEntry', 'stat', 'clock'],
    async run({ storage, powers: { clock } }) {
      const content = numberedLines(15_000)
      const writer = await openEntry(storage, 'call_1')
      await writeAll(writer, content)
      clock.advance(31_000)
      const { state, size } = await storage.stat(writer.reference)
      checkEqual(state, 'lost', 'state')
      await checkContent(storage, writer.reference, content.slice(0, size), 'the lost entry')
      checkEqual((await writer.close()).state, 'complete', 'state in the end')
      await checkContent(storage, writer.reference, content, 'the closed entry')
    },
  },
  {
    id: 'open-entry/age',
    title: 'Leftovers of a lost entry are removed when it expires',
    requires: ['openEntry', 'gc', 'clock'],
    settings: { ttlMs: 60_000 },
    async run({ storage, powers: { clock } }) {
      const writer = await openEntry(storage, 'call_1')
      await writeAll(writer, numberedLines(15_000))
      clock.advance(100_000)
      checkEqual((await storage.gc()).expired, 1, 'expired entries')
      await rejectionCode('not-found', 'closing it', () => writer.close())
    },
  },
  {
    id: 'open-entry/kill',
    title: 'An open entry of a killed writer is listed with all but its last megabyte, and can be removed',
    requires: ['openEntry', 'kill', 'list', 'delete', 'stat', 'residue'],
    async run({ storage, powers }) {
      await storage.delete(await storage.store('warm-up', bytes('content')))
      const before = await powers.residue()
      const content = numberedLines(60_000)
      const unfinished = { key: 'unfinished', contentType: 'text/plain', content, isOpen: true }
      const [reference = ''] = await powers.kill({ acknowledged: [], unfinished })
      checkEqual(await referencesIn(storage), [reference], 'entries')
      const { state, size } = await storage.stat(reference)
      check(state === 'open' || state === 'lost', `its state is ${state}`)
      check(size >= content.length / 2 - MB - 100, `of ${content.length / 2} bytes only ${size} were kept`)
      await checkContent(storage, reference, content.slice(0, size), 'the entry of the killed writer')
      await storage.delete(reference)
      check((await powers.residue()) <= before, 'records of the entry are left')
    },
  },
  {
    id: 'open-entry/outage',
    title: 'An open entry survives an outage, and uncommitted content is committed later',
    requires: ['openEntry', 'outage'],
    async run({ storage, powers }) {
      const content = numberedLines(30_000)
      const writer = await openEntry(storage, 'call_1')
      await writeAll(writer, content.subarray(0, 2 * MB))
      const end = await powers.outage()
      await writer.write(content.subarray(2 * MB))
      await rejectionCode('unavailable', 'closing it during an outage', () => writer.close())
      await end()
      await attempt('closing it after the outage', () => writer.close())
      await checkContent(storage, writer.reference, content)
    },
  },
]

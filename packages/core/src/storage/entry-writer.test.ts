import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { TinyDisk, TinyDriver } from '../../test/tiny-driver.ts'
import { createStorage, type ManagedStorage } from './managed-storage.ts'
import type { EntryWriter, StoredInfo } from './storage.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

let disk: TinyDisk
let storage: ManagedStorage

/** Open the disk again, as another process would. */
const reopen = (options = {}): ManagedStorage => createStorage(new TinyDriver(disk), { now: Date.now, ...options })

async function listed(of: ManagedStorage, options = {}): Promise<StoredInfo[]> {
  const found: StoredInfo[] = []
  for await (const info of of.list(options)) found.push(info)
  return found
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

async function writeLines(writer: EntryWriter, first: number, count: number): Promise<void> {
  for (let line = first; line < first + count; line++) await writer.write(encode(`line ${line} ${'x'.repeat(90)}\n`))
}

beforeEach(() => {
  vi.useFakeTimers()
  disk = new TinyDisk(Date.now)
  storage = reopen()
})

afterEach(() => {
  vi.useRealTimers()
})

describe('an entry that is being written', () => {
  test('can be read by another process 2 seconds after a write, before it is closed', async () => {
    const writer = await storage.openEntry('call_1')
    await writer.write(encode('first\n'))
    await pass(2_000)
    const other = reopen()
    expect(decode((await other.retrieve(writer.reference)).content)).toBe('first\n')
    expect(await other.stat(writer.reference)).toMatchObject({ state: 'open', size: 6, key: 'call_1' })
    await writer.close()
  })

  test('shows only whole lines, but shows an unfinished line after 4 seconds', async () => {
    const writer = await storage.openEntry('call_1')
    const shown = async (): Promise<string> => decode((await storage.retrieve(writer.reference)).content)
    await writer.write(encode('one\ntwo'))
    await pass(2_000)
    expect(await shown()).toBe('one\n')
    await pass(2_000)
    expect(await shown()).toBe('one\ntwo')
    await writer.close()
  })

  test('is listed once in its scope and in all scopes, and is not a scope itself', async () => {
    const scope = storage.scope('tenant')
    const writer = await scope.openEntry('call_1', 'text/plain', { metadata: { tool: 'bash' } })
    await writer.write(encode('a\n'))
    await pass(2_000)
    for (const options of [{}, { below: false }]) {
      const found: StoredInfo[] = []
      for await (const info of scope.list(options)) found.push(info)
      expect(found).toMatchObject([{ reference: writer.reference, state: 'open', metadata: { tool: 'bash' } }])
    }
    expect(await listed(storage)).toHaveLength(1)
    expect(await listed(storage, { below: false })).toHaveLength(0)
    await writer.close()
  })

  test('becomes an ordinary entry if it is closed, without any remaining segments', async () => {
    const writer = await storage.openEntry('call_1')
    await writeLines(writer, 1, 20_000)
    const info = await writer.close({ metadata: { 'exit-code': '0' } })
    expect(info).toMatchObject({ state: 'complete', metadata: { 'exit-code': '0' } })
    expect([...disk.records.keys()]).toEqual([writer.reference])
    expect(disk.records.get(writer.reference)?.info.lineIndex).toBeDefined()
    expect(await storage.stat(writer.reference)).toEqual(info)
  })

  test('is lost 30 seconds after its writer died, with its committed content', async () => {
    const writer = await storage.openEntry('call_1')
    await writer.write(encode('committed\n'))
    await pass(2_000)
    const kept = new Map(disk.records)
    await writer.write(encode('not committed\n'))
    await writer.close()
    // The records that a killed writer leaves.
    disk.records = kept
    expect((await reopen().stat(writer.reference)).state).toBe('open')
    await pass(31_000)
    const other = reopen()
    expect((await other.stat(writer.reference)).state).toBe('lost')
    expect(decode((await other.retrieve(writer.reference)).content)).toBe('committed\n')
  })

  test('stays open while its writer lives, even without output', async () => {
    const writer = await storage.openEntry('call_1')
    await pass(600_000)
    expect((await reopen().stat(writer.reference)).state).toBe('open')
    await writer.close()
  })

  test('expires if its writer has ended, but not while its writer runs', async () => {
    const aging = { ttlMs: 60_000 }
    const writer = await reopen(aging).openEntry('call_1')
    await writer.write(encode('text\n'))
    await pass(120_000)
    expect((await reopen(aging).gc()).expired).toBe(0)
    const kept = new Map(disk.records)
    await writer.close()
    disk.records = kept
    await pass(120_000)
    expect(await reopen(aging).gc()).toMatchObject({ expired: 1, bytes: 5 })
    expect(disk.records.size).toBe(0)
  })

  test('stops its writer if the entry is deleted, and does not appear again', async () => {
    const writer = await storage.openEntry('call_1')
    await writer.write(encode('text\n'))
    await pass(2_000)
    await storage.delete(writer.reference)
    await writer.write(encode('more\n'))
    await expect(writer.close()).rejects.toMatchObject({ code: 'not-found' })
    expect(disk.records.size).toBe(0)
  })

  test('counts as one entry if its scope is cleared', async () => {
    const writer = await storage.openEntry('call_1')
    await writeLines(writer, 1, 30_000)
    expect(await storage.clear()).toBe(1)
    await expect(writer.close()).rejects.toMatchObject({ code: 'not-found' })
  })

  test('loses nothing in a temporary outage', async () => {
    const writer = await storage.openEntry('call_1')
    await writer.write(encode('before\n'))
    disk.isDown = true
    await pass(10_000)
    await writer.write(encode('during\n'))
    await expect(writer.close()).rejects.toMatchObject({ code: 'unavailable' })
    disk.isDown = false
    await writer.close()
    expect(decode((await storage.retrieve(writer.reference)).content)).toBe('before\nduring\n')
  })

  test('refuses more than 8 MiB during an outage, and accepts more afterwards', async () => {
    const writer = await storage.openEntry('call_1')
    disk.isDown = true
    for (let megabyte = 0; megabyte < 8; megabyte++) await writer.write(new Uint8Array(1_048_576))
    await expect(writer.write(new Uint8Array(10))).rejects.toMatchObject({ code: 'unavailable' })
    disk.isDown = false
    await writer.write(new Uint8Array(10))
    expect((await writer.close()).size).toBe(8 * 1_048_576 + 10)
  })

  test('copies each written buffer, so that the buffer can be reused', async () => {
    const writer = await storage.openEntry('call_1')
    const buffer = encode('one\n')
    await writer.write(buffer)
    buffer.set(encode('two\n'))
    await writer.write(buffer)
    await writer.close()
    expect(decode((await storage.retrieve(writer.reference)).content)).toBe('one\ntwo\n')
  })

  test('has few segments if its command writes little', async () => {
    const writer = await storage.openEntry('call_1')
    for (let line = 1; line <= 1_000; line++) {
      await writer.write(encode(`line ${line}\n`))
      await pass(2_000)
    }
    expect(disk.records.size).toBeLessThan(150)
    const expected = Array.from({ length: 1_000 }, (_, index) => `line ${index + 1}\n`).join('')
    expect(decode((await reopen().retrieve(writer.reference)).content)).toBe(expected)
    await writer.close()
    expect(decode((await reopen().retrieve(writer.reference)).content)).toBe(expected)
  })
})

describe('an entry beyond its limit', () => {
  const LIMIT = 1_048_576

  test('keeps its start and its end, and states the missing range', async () => {
    const writer = await storage.openEntry('call_1', 'text/plain', { maxBytes: LIMIT })
    const lines = 100_000
    const text = Array.from({ length: lines }, (_, index) => `line ${index + 1} ${'x'.repeat(90)}\n`).join('')
    const bytes = encode(text)
    for (let at = 0; at < bytes.length; at += 10_000) await writer.write(bytes.subarray(at, at + 10_000))
    const before = await storage.stat(writer.reference)
    expect(before.size).toBeLessThan(2.1 * LIMIT)
    const info = await writer.close()
    expect(info.state).toBe('cut')
    const { omitted } = info
    const { content } = await storage.retrieve(writer.reference)
    const offset = omitted?.offset ?? 0
    expect(offset).toBeGreaterThan(LIMIT / 2 - 200)
    expect(content.length).toBe(info.size)
    expect(content.length + (omitted?.bytes ?? 0)).toBe(bytes.length)
    const kept = decode(content)
    expect(kept.slice(0, offset)).toBe(text.slice(0, offset))
    expect(text.endsWith(`\n${kept.slice(offset)}`)).toBe(true)
    const ends = (part: string): number => part.split('\n').length - 1
    expect(omitted?.afterLine).toBe(ends(kept.slice(0, offset)))
    expect((omitted?.lines ?? 0) + ends(kept)).toBe(lines)
  })

  test('keeps its start even if short segments are evicted before they are joined', async () => {
    const writer = await storage.openEntry('call_1', 'text/plain', { maxBytes: 262_144 })
    const lines = Array.from({ length: 12_000 }, (_, index) => `line ${index + 1} `.padEnd(99, '.') + '\n')
    for (let at = 0; at < lines.length; at += 100) {
      await writer.write(encode(lines.slice(at, at + 100).join('')))
      await pass(2_000)
    }
    const { omitted, size } = await writer.close()
    const { afterLine, lines: missing } = omitted!
    const kept = [...lines.slice(0, afterLine), ...lines.slice(afterLine + missing)].join('')
    expect(afterLine).toBeGreaterThan(1_200)
    expect(size + omitted!.bytes).toBe(1_200_000)
    expect(decode((await storage.retrieve(writer.reference)).content) === kept).toBe(true)
  })

  test('is complete if it has fewer bytes than its limit', async () => {
    const writer = await storage.openEntry('call_1', 'text/plain', { maxBytes: LIMIT })
    await writer.write(new Uint8Array(LIMIT))
    expect(await writer.close()).toMatchObject({ state: 'complete', size: LIMIT })
  })

  test('needs space for a start and an end', async () => {
    await expect(storage.openEntry('call_1', 'text/plain', { maxBytes: 1_000 })).rejects.toThrow(TypeError)
  })
})

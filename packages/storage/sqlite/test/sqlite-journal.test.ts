import type { JournalEvent } from '@spillway/core'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { SqliteJournal } from '../src/index.ts'
import { opened } from './support/opened.ts'
import { temporaryPath } from './support/temporary-path.ts'
import { bytes } from './support/text.ts'

const event = (time: number): JournalEvent => ({ type: 'retrieval', time, scope: 'a', mode: 'lines', tokens: 10 })

async function times(journal: SqliteJournal, since?: number): Promise<number[]> {
  const found: number[] = []
  for await (const { time } of journal.read(since)) found.push(time)
  return found
}

describe('SqliteJournal', () => {
  it.each([undefined, null, 5, '', {}, 'file:a.db', ':memory:'])(
    'refuses %o instead of a path or a database',
    (source) => {
      expect(() => new SqliteJournal(source as never)).toThrow(TypeError)
    },
  )

  it.each([0, '100', 5n, null])('refuses %o as its number of events', (maxEvents) => {
    expect(() => new SqliteJournal('a.db', { maxEvents } as never)).toThrow('maxEvents must be a whole number')
  })

  it('yields appended events in order, even in later instances, and only since a given time', async () => {
    const path = await temporaryPath()
    const journal = new SqliteJournal(path)
    expect(await times(journal)).toEqual([])
    await Promise.all(Array.from({ length: 1_200 }, (_, time) => journal.append(event(time))))
    void journal.append(event(1_200))
    expect(await times(journal)).toEqual(Array.from({ length: 1_201 }, (_, time) => time))
    await journal.close()
    expect(await times(new SqliteJournal(path), 1_199)).toEqual([1_199, 1_200])
  })

  it('shares the database of a storage and of other connections', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    const [one, two] = [new SqliteJournal(path), new SqliteJournal(new Database(path))]
    const reference = await storage.store('first', bytes('first'))
    await Promise.all([one.append(event(1)), storage.store('second', bytes('second')), two.append(event(2))])
    expect(new Set(await times(one))).toEqual(new Set([1, 2]))
    await one.close()
    expect(await storage.retrieve(reference)).toBeDefined()
    expect((await times(two)).length).toBe(2)
  })

  it('keeps the latest events, and skips events of a later version', async () => {
    const path = await temporaryPath()
    const journal = new SqliteJournal(path, { maxEvents: 3 })
    for (let time = 0; time < 10; time += 1) await journal.append(event(time))
    const database = new Database(path)
    database.prepare(`UPDATE spillway_event SET event = '{"type":"later","time":8}' WHERE number = 9`).run()
    expect(await times(journal)).toEqual([7, 9])
    database.close()
    await journal.close()
  })

  it('rejects if the database cannot be written, and if its options are invalid', async () => {
    const journal = new SqliteJournal('/dev/null/spill.db')
    await expect(journal.append(event(1))).rejects.toMatchObject({ code: 'unavailable' })
    await journal.close()
    expect(() => new SqliteJournal('x', { maxEvent: 0 } as object)).toThrow('maxEvent')
  })
})

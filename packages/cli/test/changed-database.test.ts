import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { checkStorage } from '@spillway/core'
import { SqliteStorage } from '@spillway/sqlite'
import { expect, it, onTestFinished } from 'vitest'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

it('a check finds changed rows, removed rows, and a wrong line index of SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-check-'))
  const path = join(folder, 'spill.db')
  const storage = new SqliteStorage(path)
  onTestFinished(async () => {
    await storage.close()
    await rm(folder, { recursive: true })
  })
  const text = (word: string): Uint8Array => bytes(`${word}\n`.repeat(300_000))
  const [changed, gone, wrong, other] = [
    await storage.store('changed', bytes('content')),
    await storage.store('gone', bytes('a'.repeat(500_000))),
    await storage.store('wrong', text('four')),
    await storage.store('other', text('sixsix')),
  ]
  const database = new DatabaseSync(path)
  const contentOf = (reference: string): number =>
    (database.prepare('SELECT content FROM spillway_entry WHERE id = ?').get(reference) as { content: number }).content
  const first = (reference: string): number => contentOf(reference) * 2 ** 20
  database.prepare('UPDATE spillway_chunk SET bytes = ? WHERE number = ?').run(Buffer.from('CONTENT'), first(changed))
  database.prepare('DELETE FROM spillway_chunk WHERE number = ?').run(first(gone) + 1)
  const index = '(SELECT line_index FROM spillway_lines WHERE content = ?)'
  database
    .prepare(`UPDATE spillway_lines SET line_index = ${index} WHERE content = ?`)
    .run(contentOf(other), contentOf(wrong))
  database.close()
  const expected = [
    [changed, 'changed', false],
    [gone, 'unreadable', true],
    [wrong, 'line-index', false],
  ]
  for (const repair of [false, true]) {
    const { problems } = await checkStorage(storage, { repair })
    const found = problems.map(({ id, problem, repaired }) => [id, problem, repaired].join(' '))
    expect(new Set(found)).toEqual(
      new Set(expected.map(([name, problem, can]) => [name, problem, repair && can].join(' '))),
    )
  }
  await storage.delete(changed)
  await storage.delete(wrong)
  expect(await checkStorage(storage)).toMatchObject({ entries: 1, problems: [] })
})

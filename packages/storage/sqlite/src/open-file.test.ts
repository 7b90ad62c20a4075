import { expect, it } from 'vitest'
import { loadBetterSqlite } from './open-file.ts'

it('refuses versions of Node.js in which better-sqlite3 crashes', async () => {
  await expect(loadBetterSqlite({ ...process.versions, node: '22.13.1', napi: '9' })).rejects.toMatchObject({
    code: 'unavailable',
    retryable: false,
    message: 'SqliteStorage needs Node.js 22.14 or newer. This is 22.13.1.',
  })
})

it.each(['10', undefined])('loads better-sqlite3 if Node-API has version %s', async (napi) => {
  await expect(loadBetterSqlite({ ...process.versions, napi } as NodeJS.ProcessVersions)).resolves.toBeTypeOf(
    'function',
  )
})

import { chmod, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { SqliteStorage } from '../src/index.ts'
import { collect } from './support/collect.ts'
import { inDatabase } from './support/in-database.ts'
import { opened } from './support/opened.ts'
import { inNamespace, canBecomeNobody, canMount } from './support/in-namespace.ts'
import { temporaryPath } from './support/temporary-path.ts'
import { bytes, pattern, text } from './support/text.ts'

const node = process.execPath
const script = fileURLToPath(new URL('./scripts/read-and-store.ts', import.meta.url))

async function expectRefusal(storage: SqliteStorage, code: string, ...parts: string[]): Promise<void> {
  for (const use of [
    () => storage.store('key', bytes('content')),
    () => storage.retrieve('key_abc'),
    () => storage.gc(),
    () => collect(storage.list()),
  ]) {
    const error: unknown = await use().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'StorageError', code })
    for (const part of parts) expect(String(error)).toContain(part)
  }
}

describe('a file of another program', () => {
  test('is refused and not changed: a text', async () => {
    const path = await temporaryPath()
    await writeFile(path, 'not a database, however long it may be. '.repeat(1_000))
    const before = await readFile(path)
    await expectRefusal(opened(path), 'corrupt', path, 'not an SQLite database', 'another path')
    expect(await readFile(path)).toEqual(before)
  })

  test.each([
    ['with tables', 'CREATE TABLE notes (note TEXT)'],
    ['with an application id', 'PRAGMA application_id = 7; PRAGMA user_version = 3'],
  ])('is refused and not changed: a database of another application, %s', async (_, sql) => {
    const path = await temporaryPath()
    inDatabase(path, (database) => database.exec(sql))
    const before = await readFile(path)
    await expectRefusal(opened(path), 'unavailable', path, 'another application', 'pass the Database')
    expect(await readFile(path)).toEqual(before)
  })

  test('is refused and not changed: a directory', async () => {
    const path = await temporaryPath()
    await mkdir(path)
    await expectRefusal(opened(path), 'unavailable', path, 'is not a file')
  })

  test('cannot be the parent of a database', async () => {
    const path = await temporaryPath()
    await writeFile(path, '')
    await expectRefusal(opened(`${path}/below.db`), 'unavailable', `${path}/below.db`, 'ENOTDIR')
    await expect(opened(`${path}/below.db`).delete('key_abc')).rejects.toMatchObject({ code: 'unavailable' })
  })
})

test.runIf(canBecomeNobody)('a directory in which no file can be created is named', async () => {
  const path = await temporaryPath()
  await chmod(dirname(path), 0o555)
  const { output, failure } = inNamespace('-U', '"$1" "$2" "$3"', node, script, `${path}/below/spill.db`)
  expect(failure).toBe('')
  expect(JSON.parse(output)).toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/spill.db cannot be opened: EACCES.*another path/) as string,
  })
})

describe('a file with newer tables', () => {
  test('is refused with both versions, and unchanged', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    await storage.store('key', bytes('content'))
    await storage.close()
    inDatabase(path, (database) => database.exec('UPDATE spillway_schema SET version = 9'))
    const before = await readFile(path)
    await expectRefusal(opened(path), 'unsupported', path, 'version 9', 'up to 1', 'Update @spillway/sqlite')
    expect(await readFile(path)).toEqual(before)
  })
})

describe('a file that is moved away while it is open', () => {
  test('is reported as an outage, not as missing entries, and is found again after it is back', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    const reference = await storage.store('key', bytes('content'))
    const files = [path, `${path}-wal`, `${path}-shm`]
    for (const file of files) await rename(file, `${file}.aside`)
    await expectRefusal(storage, 'unavailable', path, 'Put it back')
    for (const file of files) await rename(`${file}.aside`, file)
    expect(text((await storage.retrieve(reference)).content)).toBe('content')
    await storage.store('other', bytes('content'))
  })

  test('is an outage even if the storage has been closed', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    const reference = await storage.store('key', bytes('content'))
    await storage.close()
    await rename(path, `${path}.aside`)
    await expectRefusal(storage, 'unavailable', path, 'Put it back')
    await rename(`${path}.aside`, path)
    expect(text((await storage.retrieve(reference)).content)).toBe('content')
  })

  test.each([
    ['a link to it', 'spill.db', ''],
    ['a link to its directory', '', '/spill.db'],
  ])('is reported as an outage to later callers, if it was reached through %s', async (_, target, below) => {
    const path = await temporaryPath()
    const [data, link] = [`${path}.data`, `${path}.link`]
    await mkdir(data)
    await writeFile(join(data, 'spill.db'), '')
    await symlink(join(data, target), link)
    const storage = opened(link + below)
    const reference = await storage.store('key', bytes('content'))
    await storage.close()
    await rename(data, `${data}.aside`)
    await expectRefusal(opened(link + below), 'unavailable', link + below, `the target of the link ${link} is missing`)
    await expect(opened(link + below).delete(reference)).rejects.toMatchObject({ code: 'unavailable' })
    await rename(`${data}.aside`, data)
    expect(text((await opened(link + below).retrieve(reference)).content)).toBe('content')
  })
})

describe('a damaged file', () => {
  test('is corrupt, and the error names the fix', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    const reference = await storage.store('key', pattern(500_000))
    await storage.close()
    const file = await readFile(path)
    await writeFile(path, file.fill(0x5a, 3 * 8_192))
    const error: unknown = await opened(path)
      .retrieve(reference)
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'corrupt', message: expect.stringContaining('backup') as string })
  })

  test('lists all entries if one description is damaged, and describes the others', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    const damaged = await storage.store('key', bytes('content'))
    const whole = await storage.store('other', bytes('content'))
    inDatabase(path, (database) =>
      database.prepare(`UPDATE spillway_entry SET description = '{' WHERE id = ?`).run(damaged),
    )
    await expect(storage.retrieve(damaged)).rejects.toMatchObject({ code: 'corrupt' })
    await expect(storage.stat(damaged)).rejects.toThrow('Delete it')
    expect(text((await storage.retrieve(whole)).content)).toBe('content')
    expect((await collect(storage.list())).map(({ key }) => key).sort()).toEqual(['', 'other'])
    await storage.delete(damaged)
    await storage.store('key', bytes('content'))
    expect(text((await storage.retrieve(damaged)).content)).toBe('content')
  })
})

describe('a read-only file', () => {
  test.runIf(canBecomeNobody)('can be read, and an error about storing names it', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    await storage.store('key 0', bytes('content'))
    await chmod(dirname(path), 0o777)
    await chmod(path, 0o444)
    const { output, failure } = inNamespace('-U', '"$1" "$2" "$3"', node, script, path)
    expect(failure).toBe('')
    const [read, refused] = output.trim().split('\n')
    expect(read).toBe('content')
    expect(JSON.parse(refused ?? '')).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`${path} cannot be written`) as string,
    })
  })

  test.runIf(canBecomeNobody)('is written by open connections after it becomes writable', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    await storage.store('key 0', bytes('content'))
    await storage.close()
    await chmod(dirname(path), 0o777)
    await chmod(path, 0o444)
    const again = fileURLToPath(new URL('./scripts/store-again.ts', import.meta.url))
    const { output, failure } = inNamespace('-U', '"$1" "$2" "$3"', node, again, path)
    expect(failure).toBe('')
    const [refused, stored] = output.trim().split('\n')
    for (const part of [`${path} cannot be written`, `${path}-wal`, `${path}-shm`]) expect(refused).toContain(part)
    expect(stored).toMatch(/^one_more_/)
  })

  test.runIf(canBecomeNobody)('can be read in a read-only directory while others have it open', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    await storage.store('key 0', bytes('content'))
    for (const file of [path, `${path}-wal`, `${path}-shm`]) await chmod(file, 0o444)
    await chmod(dirname(path), 0o555)
    const { output, failure } = inNamespace('-U', '"$1" "$2" "$3"', node, script, path)
    await chmod(dirname(path), 0o755)
    expect(failure).toBe('')
    expect(output).toMatch(/^content\n.*cannot be written/)
  })

  test.runIf(canMount)(
    'on a read-only disk causes an error that names it, and the files that SQLite needs',
    async () => {
      const path = await temporaryPath()
      const storage = opened(path)
      await storage.store('key 0', bytes('content'))
      await storage.close()
      const command =
        'mount --bind -o ro "$(dirname "$3")" "$(dirname "$3")" && mount -o remount,ro,bind "$(dirname "$3")" && "$1" "$2" "$3"'
      const { output, failure } = inNamespace('-Urm', command, node, script, path)
      expect(failure).toBe('')
      expect(output).toContain(`${path}-wal`)
      expect(output).toContain('"code":"unavailable"')
    },
  )
})

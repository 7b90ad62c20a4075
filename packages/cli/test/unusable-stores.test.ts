import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { faultProxy, findRedis, sparePort, startRedis } from '@spillway-internal/services'
import { describe, expect, onTestFinished, test } from 'vitest'
import { BIN, spillway, start, temporaryFolder, type Ended } from './spillway.ts'
import { S3, s3Store, s3Url } from './stores.ts'
import { waitFor } from './wait-for.ts'

const MARKER = 'the command was run'
const hasRedis = (await findRedis()).available
/** Whether a process can get a mount namespace, in which a mount can be read-only. */
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0

interface Failing {
  readonly url: string
  readonly env?: Readonly<Record<string, string>>
}

/** Require that commands fail with one line that has these words, and that `run` does not start its command. */
async function expectUnusable({ url, env = {} }: Failing, ...words: (string | RegExp)[]): Promise<void> {
  const cwd = temporaryFolder()
  const [listed, ran] = await Promise.all([
    spillway(['ls', '--store', url], { cwd, env }),
    spillway(['run', '--json', '--store', url, '--', 'sh', '-c', `echo '${MARKER}'; touch ran`], { cwd, env }),
  ])
  expect(listed).toMatchObject({ code: 3, stdout: '' })
  expect(listed.stderr.split('\n')).toHaveLength(2)
  expect(ran.code).toBe(3)
  const { message } = (JSON.parse(ran.stdout) as { readonly error: { readonly message: string } }).error
  expect(message).toContain('The command was not run.')
  expect(existsSync(join(cwd, 'ran'))).toBe(false)
  for (const word of words) for (const told of [listed.stderr, message]) expect(told).toMatch(word)
  for (const told of [listed.stderr, ran.stdout]) expect(told).not.toContain('hunter2')
}

describe('a PostgreSQL server', () => {
  test('is named without the password of its URL if it is down', async () => {
    const port = await sparePort()
    const url = `postgres://someone:hunter2@127.0.0.1:${port}/app`
    await expectUnusable({ url }, `127.0.0.1:${port}`, 'nothing listens')
  })
})

describe.skipIf(!hasRedis)('a Redis server', () => {
  test('is named without the password of its URL if it is down', async () => {
    const port = await sparePort()
    await expectUnusable({ url: `redis://someone:hunter2@127.0.0.1:${port}` }, `127.0.0.1:${port}`, 'nothing listens')
  })

  test('causes an error if the password is missing or wrong, which never shows the password', async () => {
    const server = await startRedis({ requirepass: 'hunter2-right' })
    onTestFinished(() => server.dispose())
    await expectUnusable({ url: `redis://127.0.0.1:${server.port}` }, /password/)
    await expectUnusable({ url: `redis://:hunter2-wrong@127.0.0.1:${server.port}` }, /password/)
    const { code } = await spillway(['ls', '--store', server.url], { cwd: temporaryFolder() })
    expect(code).toBe(0)
    const cwd = temporaryFolder()
    const ran = await spillway(['run', '--store', server.url, '--', 'seq', '1', '20000'], { cwd })
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('put the URL into SPILLWAY_STORE') })
    expect(ran.stdout).toContain('[Offloaded: ')
    for (const shown of [ran.stdout, ran.stderr]) expect(shown).not.toMatch(/hunter2|--store/)
  })

  test('does not stop a running command when the server is killed, and only unsaved output is lost', async () => {
    const server = await startRedis()
    onTestFinished(() => server.dispose())
    const proxy = await faultProxy({ host: '127.0.0.1', port: server.port })
    onTestFinished(() => proxy.close())
    const cwd = temporaryFolder()
    const script = 'seq 1 300000; touch begun; while [ ! -e dead ]; do sleep 0.05; done; seq 1 300000; exit 7'
    const store = `redis://127.0.0.1:${proxy.port}`
    const { end } = start(process.execPath, [BIN, 'run', '--store', store, '--', 'sh', '-c', script], { cwd })
    await waitFor(() => existsSync(join(cwd, 'begun')) || undefined)
    await proxy.refuse()
    writeFileSync(join(cwd, 'dead'), '')
    const ended = await end
    expect(ended.code).toBe(7)
    expect(ended.stderr).toMatch(/could not be stored: .* The unchanged output follows; none of it is lost\./)
    expect(ended.stdout.match(/^300000$/gm)).toHaveLength(2)
  })
})

describe.skipIf(!S3.available)('an S3 bucket', () => {
  test('is named if it does not exist', async () => {
    const { env } = await s3Store()
    await expectUnusable({ url: s3Url('no-such-bucket'), env }, /no bucket "no-such-bucket"/)
  })

  test('with wrong keys causes an error that names the credentials without showing them', async () => {
    const { url } = await s3Store()
    const env = { AWS_ACCESS_KEY_ID: 'hunter2', AWS_SECRET_ACCESS_KEY: 'hunter2' }
    await expectUnusable({ url, env }, /credentials/)
  })

  test('without any keys causes an error that lists the places where keys are looked up', async () => {
    const { url } = await s3Store()
    const none = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_PROFILE: 'no-such-profile', HOME: '/nowhere' }
    await expectUnusable({ url, env: { ...none, AWS_EC2_METADATA_DISABLED: 'true' } }, /credentials/)
  })

  test('is reported as an outage if its server is down', async () => {
    const { url, env } = await s3Store()
    const endpoint = encodeURIComponent(`http://127.0.0.1:${await sparePort()}`)
    await expectUnusable({ url: url.replace(/endpoint=[^&]+/, `endpoint=${endpoint}`), env }, /could not be reached/)
  })
})

describe('an SQLite file', () => {
  test('of another application, or a file that is not a database, is refused and not changed', async () => {
    const folder = temporaryFolder()
    const [text, other] = [join(folder, 'notes.txt'), join(folder, 'other.db')]
    writeFileSync(text, 'no database '.repeat(200))
    const database = new DatabaseSync(other)
    database.exec('CREATE TABLE notes (note TEXT)')
    database.close()
    await expectUnusable({ url: `sqlite:${text}` }, text, /not an SQLite database/)
    await expectUnusable({ url: `sqlite:${other}` }, other, /another application/)
  })

  test('with newer tables is refused, and the error has both versions', async () => {
    const path = join(temporaryFolder(), 'newer.db')
    expect(await spillway(['put', '--store', `sqlite:${path}`], { input: 'text' })).toMatchObject({ code: 0 })
    const database = new DatabaseSync(path)
    database.exec('UPDATE spillway_schema SET version = 9')
    database.close()
    await expectUnusable({ url: `sqlite:${path}` }, path, /version 9/, /up to \d/)
  })

  test.skipIf(!canMount)('can be read if it is read-only, but run refuses it', async () => {
    const cwd = temporaryFolder()
    const { stdout } = await spillway(['put', '--quiet', '--store', 'sqlite:./x.db'], { cwd, input: 'text' })
    const readOnly = (...args: string[]): Promise<Ended> => {
      // Root may write any file, except on a read-only mount. Only this process sees the mount.
      const mounted = 'mount --bind x.db x.db && mount -o remount,ro,bind x.db && exec "$@"'
      return start('unshare', ['--mount', 'sh', '-c', mounted, 'sh', process.execPath, BIN, ...args], { cwd }).end
    }
    expect(await readOnly('get', stdout.trim(), '--store', 'sqlite:./x.db')).toMatchObject({ code: 0, stdout: 'text' })
    const ran = await readOnly('run', '--store', 'sqlite:./x.db', '--', 'echo', MARKER)
    expect(ran).toMatchObject({ code: 3, stdout: '' })
    expect(ran.stderr).toMatch(/x\.db cannot be written: .*The command was not run\./)
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { waitUntil } from './wait-until.ts'

const OWNER = `
import { spawn } from 'node:child_process'
import { GuardedFolder } from '${join(import.meta.dirname, 'guarded-folder.ts')}'
const folder = new GuardedFolder('test')
const server = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' })
const ended = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' })
folder.guard(server.pid)
folder.guard(ended.pid)
folder.release(ended.pid)
console.log([folder.path, server.pid, ended.pid].join(' '))
if (process.argv[1] === 'exit') process.exit()
setInterval(() => {}, 1_000)
`

/** Return whether a process runs. A process that has ended but is still a zombie does not run. */
async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !(await readFile(`/proc/${pid}/stat`, 'utf8')).includes(') Z ')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ESRCH' || code === 'ENOENT') return false
    throw error
  }
}

test.each(['SIGKILL', 'SIGTERM', 'exit'] as const)('guarded processes end if their owner ends by %s', async (end) => {
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', OWNER, end], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string]
  const [path = '', guarded, released] = line.split(' ')
  if (end !== 'exit') {
    expect([existsSync(path), await isAlive(Number(guarded))]).toEqual([true, true])
    owner.kill(end)
  }
  await waitUntil('the folder to be gone', async () => !existsSync(path))
  await waitUntil('the process to be gone', async () => !(await isAlive(Number(guarded))))
  expect(await isAlive(Number(released))).toBe(true)
  process.kill(Number(released), 'SIGKILL')
})

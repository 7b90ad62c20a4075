import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { smallDisk } from './small-disk.ts'
import { waitUntil } from './wait-until.ts'

const disk = await smallDisk(1_000_000)

const OWNER = `
import { smallDisk } from ${JSON.stringify(join(import.meta.dirname, 'small-disk.ts'))}
console.log((await smallDisk(1_000_000)).path)
setInterval(() => {}, 1_000)
`

describe.skipIf(!disk.available)('a small disk', () => {
  test('becomes full, and is removed by dispose', async () => {
    if (!disk.available) return
    await writeFile(join(disk.path, 'a'), new Uint8Array(500_000))
    await expect(writeFile(join(disk.path, 'b'), new Uint8Array(600_000))).rejects.toMatchObject({ code: 'ENOSPC' })
    await disk.dispose()
    expect(existsSync(disk.path)).toBe(false)
  })

  test('is removed when the process that mounted it ends', async () => {
    const owner = spawn(process.execPath, ['--input-type=module', '--eval', OWNER], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [path] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string]
    expect(await readFile('/proc/mounts', 'utf8')).toContain(path)
    owner.kill('SIGKILL')
    await waitUntil('the disk to be gone', async () => !existsSync(path))
    expect(await readFile('/proc/mounts', 'utf8')).not.toContain(path)
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Create a directory that is removed when the test ends. Return the path of a file in it that does not exist. */
export async function temporaryPath(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'spillway-sqlite-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return join(directory, 'spill.db')
}

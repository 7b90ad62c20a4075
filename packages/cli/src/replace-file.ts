import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Replace a file atomically. If `prepare` throws, the old file stays. */
export async function replaceFile(
  path: string,
  mode: number,
  text: string,
  prepare: (unnamed: string) => Promise<void>,
): Promise<void> {
  const unnamed = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`)
  try {
    const file = await open(unnamed, 'wx', 0o600)
    try {
      await file.chmod(mode & 0o777)
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await prepare(unnamed)
    await rename(unnamed, path)
  } finally {
    await rm(unnamed, { force: true })
  }
}

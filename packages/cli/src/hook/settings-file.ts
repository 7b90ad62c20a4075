import { randomUUID } from 'node:crypto'
import { chown, lstat, mkdir, open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from '../cli-error.ts'
import { EXIT_CODE } from '../exit-code.ts'

const LOCK_WAIT_MS = 10_000
/** A lock of a process that was killed; the work itself takes milliseconds. */
const STALE_LOCK_MS = 60_000

/** A settings file while nobody else changes it by this program. */
export interface SettingsFile {
  /** Its text; empty where there is no such file. */
  readonly text: string
  /** What it was before the first change by this program; `undefined` where none is kept. */
  readonly backup: string | undefined
  /** Write it, in one step: a reader sees the old text or the new one. An empty text removes it. */
  readonly write: (text: string) => Promise<void>
  /** Keep what it is now beside it, with its permissions. */
  readonly keepBackup: () => Promise<void>
  readonly removeBackup: () => Promise<void>
}

/** The copy that is kept beside a settings file. */
export const backupPath = (path: string): string => `${path}.spillway-backup`

/**
 * Work on a settings file alone, of several processes one after the other. A link is followed, and stays a link.
 *
 * Throws a {@link CliError} for what is no file, and where another process holds it too long.
 */
export async function withSettingsFile<Result>(
  path: string,
  work: (file: SettingsFile) => Promise<Result>,
): Promise<Result> {
  const target = await targetOf(path)
  await mkdir(dirname(target), { recursive: true })
  const unlock = await lock(target)
  try {
    const text = await readText(target)
    return await work({
      text,
      backup: await readTextIfAny(backupPath(target)),
      write: (changed) => replace(target, text, changed),
      keepBackup: () => writeLike(target, backupPath(target), text),
      removeBackup: () => rm(backupPath(target), { force: true }),
    })
  } finally {
    await unlock()
  }
}

/** Read a settings file and its backup, and change nothing. */
export async function readSettingsFile(path: string): Promise<Pick<SettingsFile, 'text' | 'backup'>> {
  const target = await targetOf(path)
  return { text: await readText(target), backup: await readTextIfAny(backupPath(target)) }
}

async function targetOf(path: string): Promise<string> {
  const target = await unlessMissing(realpath(path))
  if (target !== undefined) return target
  if ((await unlessMissing(lstat(path))) !== undefined)
    throw refusal(`${path} is a link to a file that is not there. Make the file, or remove the link.`)
  // Its folder may be a link, too.
  const folder = await unlessMissing(realpath(dirname(path)))
  return folder === undefined ? path : join(folder, basename(path))
}

async function readText(path: string): Promise<string> {
  const text = await readTextIfAny(path)
  if (text?.trim() === '') throw refusal(`${path} is empty, and was left as it is. Remove it, or write {} into it.`)
  return text ?? ''
}

async function readTextIfAny(path: string): Promise<string | undefined> {
  const stats = await unlessMissing(stat(path))
  if (stats === undefined) return undefined
  if (!stats.isFile()) throw refusal(`${path} is no file.`)
  const bytes = await readFile(path)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw refusal(`${path} is no UTF-8 text, and was left as it is.`)
  }
}

async function replace(path: string, before: string, text: string): Promise<void> {
  // Claude Code writes its settings as well, and knows nothing of the lock.
  if (((await readTextIfAny(path)) ?? '') !== before)
    throw refusal(`${path} was changed by another program in the meantime, and was left as that wrote it. Try again.`)
  if (text === '') return rm(path, { force: true })
  const unnamed = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`)
  try {
    await writeLike(path, unnamed, text)
    await rename(unnamed, path)
  } finally {
    await rm(unnamed, { force: true })
  }
}

/** Write a file with the permissions and the owner of another; without that, for its owner alone. */
async function writeLike(model: string, path: string, text: string): Promise<void> {
  const stats = await unlessMissing(stat(model))
  await rm(path, { force: true })
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    if (stats !== undefined) await file.chmod(stats.mode & 0o777)
    await file.sync()
  } finally {
    await file.close()
  }
  if (stats !== undefined && process.getuid?.() === 0) await chown(path, stats.uid, stats.gid)
}

async function lock(path: string): Promise<() => Promise<void>> {
  const name = `${path}.spillway-lock`
  for (const end = Date.now() + LOCK_WAIT_MS; ; await sleep(20)) {
    try {
      await writeFile(name, String(process.pid), { flag: 'wx' })
      return () => rm(name, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw refusedByDisk(path, error)
    }
    const held = await unlessMissing(stat(name))
    if (held !== undefined && Date.now() - held.mtimeMs > STALE_LOCK_MS) await rm(name, { force: true })
    if (Date.now() > end)
      throw refusal(`${path} is being changed by another spillway. If there is none, remove ${name}.`)
  }
}

function refusedByDisk(path: string, cause: unknown): CliError {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new CliError('settings-refused', EXIT_CODE.storage, `${path} cannot be changed: ${message}.`, { cause })
}

async function unlessMissing<Value>(value: Promise<Value>): Promise<Value | undefined> {
  return value.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
}

function refusal(message: string): CliError {
  return new CliError('settings-refused', EXIT_CODE.storage, message)
}

import { chown, lstat, mkdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CliError, EXIT_CODE } from '../cli-error.ts'
import { replaceFile } from '../replace-file.ts'

export interface SettingsFile {
  /** Text of the file. Empty if the file is missing. */
  readonly text: string
  /** The text before the first change; `undefined` if no copy was saved. */
  readonly backup: string | undefined
  /** Replace the file atomically, or remove it if the text is empty. Returns `false` if another program changed it. */
  readonly write: (text: string) => Promise<boolean>
  /** Save a copy with the same permissions. */
  readonly keepBackup: () => Promise<void>
  readonly removeBackup: () => Promise<void>
}

export const backupPath = (path: string): string => `${path}.spillway-backup`

/** Read a settings file, following links. Throws a {@link CliError} if it is not a regular file. */
export async function readSettingsFile(path: string): Promise<SettingsFile> {
  const target = await targetOf(path)
  const text = await readText(target)
  return {
    text,
    backup: await readTextIfAny(backupPath(target)),
    async write(changed) {
      if (((await readTextIfAny(target)) ?? '') !== text) return false
      if (changed === '') await rm(target, { force: true })
      else await writeLike(target, target, changed)
      return true
    },
    keepBackup: () => writeLike(target, backupPath(target), text),
    removeBackup: () => rm(backupPath(target), { force: true }),
  }
}

async function targetOf(path: string): Promise<string> {
  const target = await unlessMissing(realpath(path))
  if (target !== undefined) return target
  if ((await unlessMissing(lstat(path))) !== undefined)
    throw settingsRefused(`${path} is a link to a file that does not exist. Create the file, or remove the link.`)
  // The folder may be a link too.
  const folder = await unlessMissing(realpath(dirname(path)))
  return folder === undefined ? path : join(folder, basename(path))
}

async function readText(path: string): Promise<string> {
  const text = await readTextIfAny(path)
  if (text?.trim() === '')
    throw settingsRefused(`${path} is empty, and was not changed. Remove it, or write {} into it.`)
  return text ?? ''
}

async function readTextIfAny(path: string): Promise<string | undefined> {
  const stats = await unlessMissing(stat(path))
  if (stats === undefined) return undefined
  if (!stats.isFile()) throw settingsRefused(`${path} is not a file.`)
  const bytes = await readFile(path)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw settingsRefused(`${path} is not UTF-8 text, and was not changed.`)
  }
}

async function writeLike(model: string, path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    const stats = await unlessMissing(stat(model))
    await replaceFile(path, stats?.mode ?? 0o600, text, async (unnamed) => {
      if (stats !== undefined && process.getuid?.() === 0) await chown(unnamed, stats.uid, stats.gid)
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw settingsRefused(`${path} cannot be changed: ${reason}.`, { cause: error })
  }
}

async function unlessMissing<Value>(value: Promise<Value>): Promise<Value | undefined> {
  return value.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
}

export const settingsRefused = (message: string, options?: ErrorOptions): CliError =>
  new CliError('settings-refused', EXIT_CODE.storage, message, options)

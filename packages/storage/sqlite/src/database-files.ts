import { existsSync, lstatSync, realpathSync, statSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { StorageError } from '@spillway/core/driver'

/**
 * The files of an open database. SQLite keeps using a file that was removed or renamed, and whatever it commits there is
 * lost when the process ends, so the names are compared with what was opened.
 */
export class DatabaseFiles {
  readonly #path: string
  readonly #main: Stats
  #checkedState: string | undefined
  /** The write-ahead log and its index. They lie beside the file itself if the path is a link. */
  readonly #beside: readonly { readonly path: string; readonly stats: Stats | undefined }[]

  constructor(path: string) {
    this.#path = path
    this.#main = statSync(path)
    const real = realpathSync(path)
    this.#beside = logFiles(real).map((name) => ({ path: name, stats: statusOf(name) }))
  }

  /**
   * Throw `unavailable` if the path no longer leads to the file that was opened. If the file was written to since the last
   * call, by a checkpoint or by a copy over it, `assertContent` must throw unless it is still the same database.
   */
  assertInPlace(assertContent: () => void): void {
    const found = findDatabase(this.#path)
    if (found === undefined) throw goneError(this.#path)
    if (!isSame(this.#main, found)) throw replacedError(this.#path)
    const state = `${found.ctimeMs} ${found.size}`
    if (state === this.#checkedState) return
    assertContent()
    this.#checkedState = state
  }

  /**
   * Return whether the log or its index was removed. Throws `unavailable` if there are other ones, which other
   * connections may use by now.
   */
  hasLostLog(): boolean {
    const changed = this.#beside.map(({ path, stats }) => ({ path, stats, found: statusOf(path) }))
    const replaced = changed.find(({ stats, found }) => stats && found && !isSame(stats, found))
    if (replaced !== undefined) throw replacedError(replaced.path)
    return changed.some(({ stats, found }) => (stats === undefined) !== (found === undefined))
  }
}

/** Return the paths of the write-ahead log of a database, and of the index of the log. */
export const logFiles = (path: string): [log: string, index: string] => [`${path}-wal`, `${path}-shm`]

/**
 * Return the file that a path leads to, `undefined` if there is none yet. Throws if a part of the path is not a directory,
 * or a link that leads nowhere, for example to a disk that is not mounted: stored content may be behind it.
 */
export function findDatabase(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const link = brokenLink(path)
  if (link === undefined) return undefined
  throw new StorageError(
    'unavailable',
    `${path} cannot be opened: the link ${link} leads nowhere. Put back what it leads to, or remove the link.`,
  )
}

/** The error of a file that another one has taken the place of. */
export const replacedError = (path: string): StorageError =>
  new StorageError(
    'unavailable',
    `${path} was replaced while it was in use. Put the former file back, or create another SqliteStorage to use the new one.`,
  )

const goneError = (path: string): StorageError =>
  new StorageError(
    'unavailable',
    `${path} was removed or moved while it was in use. Put it back, or begin anew with another SqliteStorage.`,
  )

const statusOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false })

const isSame = (file: Stats, other: Stats): boolean => file.ino === other.ino && file.dev === other.dev

function brokenLink(path: string): string | undefined {
  // What is found first from behind is a link that leads nowhere, or the last directory that there is.
  let last = path
  while (lstatSync(last, { throwIfNoEntry: false }) === undefined && dirname(last) !== last) last = dirname(last)
  return existsSync(last) ? undefined : last
}

import { StorageError } from '@spillway/core/driver'

/** What {@link FileSystem.stat} knows of a path. */
export interface FileStatus {
  /** Anything that is neither a plain file nor a directory, symbolic links among it, is `other`. */
  readonly kind: 'file' | 'directory' | 'other'
  /** Bytes. */
  readonly size: number
  /** Last modification, in milliseconds since the epoch. */
  readonly modifiedAt: number
}

/** One name in a directory. */
export interface DirectoryItem {
  readonly name: string
  readonly kind: FileStatus['kind']
}

/** A plain file and its bytes, or the part that was asked for. */
export interface FileContent {
  readonly content: Uint8Array
  readonly status: FileStatus
}

/** A file that is being written. */
export interface FileWriter {
  /** Append all of `bytes`. */
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** A plain file that is open for reading. */
export interface FileReader {
  /** As it was when it was opened. */
  readonly status: FileStatus
  /**
   * Return the bytes in a range, clipped to the end, in memory that nobody else uses: `buffer` if it is given, which has
   * room for them. Called concurrently.
   */
  read(range: { readonly offset: number; readonly length: number }, buffer?: Uint8Array): Promise<Uint8Array>
  close(): Promise<void>
}

/** What {@link FileSystem.runSteps} is to do, or to make sure of. */
export type FileStep =
  /** Fails where a symbolic link is anywhere in the path. */
  | { readonly step: 'isReal'; readonly path: string }
  /** Fails where there is anything. */
  | { readonly step: 'isMissing'; readonly path: string }
  /** Fails where there is anything but a plain file of that size, in bytes. */
  | { readonly step: 'isFile'; readonly path: string; readonly size: number }
  /** Create a file with this content and time of modification, close it, and fail where the name is taken. */
  | { readonly step: 'create'; readonly path: string; readonly content: Uint8Array; readonly modifiedAt?: number }
  /** Like {@link FileSystem.link}. */
  | { readonly step: 'link'; readonly from: string; readonly to: string }
  /** Remove a file. */
  | { readonly step: 'remove'; readonly path: string }

/**
 * The file operations that `FileStorage` needs: Node's by default, or those of an agent's sandbox.
 *
 * Paths are absolute and separated by `/`. Failures reject with an error whose `code` is the POSIX name: `ENOENT` where
 * something does not exist, `EEXIST` where it must not exist but does, `ENOTEMPTY`, `EACCES`, `ENOSPC` and so on. No
 * operation follows a symbolic link in the last part of a path.
 *
 * Storage is safe with many processes in one directory only where `link`, `setModifiedAt` and an atomic `rename` exist.
 *
 * @example
 * ```ts
 * import { NodeFileSystem, type FileSystem } from '@spillway/file'
 *
 * // A file system without hard links, such as that of many sandboxes.
 * const node = new NodeFileSystem()
 * const plain: FileSystem = {
 *   createFile: (path) => node.createFile(path),
 *   readFile: (path, range) => node.readFile(path, range),
 *   stat: (path) => node.stat(path),
 *   rename: (from, to) => node.rename(from, to),
 *   removeFile: (path) => node.removeFile(path),
 *   createDirectory: (path) => node.createDirectory(path),
 *   removeDirectory: (path) => node.removeDirectory(path),
 *   list: (path) => node.list(path),
 * }
 * console.assert((await plain.stat('/')).kind === 'directory' && plain.link === undefined)
 * ```
 */
export interface FileSystem {
  /** Create a file, readable by its owner only, and open it for writing. Rejects with `EEXIST` where the name is taken. */
  createFile(path: string): Promise<FileWriter>
  /**
   * Read a plain file, or the part of it in `range`, clipped to its end. Rejects with `ELOOP` for a symbolic link and
   * with `EINVAL` for anything else that is no plain file; it must not hang on a named pipe.
   */
  readFile(path: string, range?: { readonly offset: number; readonly length: number }): Promise<FileContent>
  /** Describe a path, a symbolic link as itself. */
  stat(path: string): Promise<FileStatus>
  /** Rename a file, replacing what is at `to`. */
  rename(from: string, to: string): Promise<void>
  /** Remove a file. */
  removeFile(path: string): Promise<void>
  /** Create one directory, open to its owner only; its parent exists. */
  createDirectory(path: string): Promise<void>
  /** Remove an empty directory. */
  removeDirectory(path: string): Promise<void>
  /** Name what is in a directory, in any order, without holding all names in memory. */
  list(path: string): AsyncIterable<DirectoryItem>

  /**
   * Open a plain file for many reads. Rejects like {@link FileSystem.readFile}. Should the file be removed meanwhile, reads
   * go on or reject with `ENOENT`. Without this, each read opens the file.
   */
  openFile?(path: string): Promise<FileReader>
  /** Give a file a second name that must not exist yet. Without this, files are renamed, which is safe in one process. */
  link?(from: string, to: string): Promise<void>
  /**
   * Whether a file that was written can get another name while it is still being closed. Without this, files are closed
   * first.
   */
  readonly linksOpenFiles?: boolean
  /** Set the time of the last modification. Without this, every use rewrites the entry's description. */
  setModifiedAt?(path: string, modifiedAt: number): Promise<void>
  /**
   * Take steps one after the other, and return how many were taken before the first that failed: 0 is always right. It may
   * leave a part of a file that it could not create. Without this, or where it returns less, the steps are taken by the other
   * operations; small content is stored so where each operation takes a trip of its own, to a thread or a sandbox.
   */
  runSteps?(steps: readonly FileStep[]): Promise<number>
  /** Resolve all symbolic links in a path. Without this, each directory on the way is looked at by itself. */
  realPath?(path: string): Promise<string>
  /** Bring a file, or the names in a directory, onto the medium, as `fsync` does. Without this, `fsync: true` is refused. */
  sync?(path: string): Promise<void>
}

/** How a person mends what the file system complains about. `DIRECTORY` stands for the storage's directory. */
const FIXES: Readonly<Record<string, string>> = {
  EACCES: 'Make DIRECTORY readable and writable for this user, or choose another with the option "directory".',
  EPERM: 'Make DIRECTORY readable and writable for this user, or choose another with the option "directory".',
  EROFS: 'The disk with DIRECTORY is read-only: choose another with the option "directory".',
  ENOSPC: 'The disk with DIRECTORY is full: free some space, or choose another with the option "directory".',
  EDQUOT: 'The disk quota for DIRECTORY is used up: free some space, or choose another with the option "directory".',
  EMFILE: 'Too many files are open in this process: raise the limit (ulimit -n) or store less at the same time.',
  ENFILE: 'Too many files are open on this machine: raise the limit or store less at the same time.',
  ENOTDIR: 'A file is where DIRECTORY needs a directory: move it, or choose another with the option "directory".',
  EIO: 'The disk with DIRECTORY reports errors: check it.',
  ENAMETOOLONG: 'The path of DIRECTORY is too long: choose a shorter one with the option "directory".',
}
const OTHER_FIX = 'Try again; if it persists, check DIRECTORY.'

/** The POSIX name of what went wrong, such as `ENOENT`; `undefined` where `error` did not come from a file system. */
export function fileErrorCode(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/** Run `operation`; where it fails with one of `codes`, return `undefined` instead. */
export async function unless<Result>(
  codes: string | readonly string[],
  operation: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await operation
  } catch (error) {
    const code = fileErrorCode(error)
    if (code === undefined || !(typeof codes === 'string' ? codes === code : codes.includes(code))) throw error
    return undefined
  }
}

/** Like {@link unless}, for operations without a result: tell whether it was done. */
export async function doneUnless(codes: string | readonly string[], operation: Promise<void>): Promise<boolean> {
  return (
    (await unless(
      codes,
      operation.then(() => true),
    )) ?? false
  )
}

/** Explain a failure of the file system, naming the directory and the fix; anything else comes back as it is. */
export function explainFileError(error: unknown, directory: string): unknown {
  const code = fileErrorCode(error)
  if (code === undefined || StorageError.isInstance(error)) return error
  const fix = (FIXES[code] ?? OTHER_FIX).replace('DIRECTORY', () => directory)
  return new StorageError('unavailable', `The file storage in ${directory} failed with ${code}. ${fix}`, {
    cause: error,
  })
}

/** Pauses in milliseconds while another process finishes what it is in the middle of: about a quarter of a second. */
export const PATIENCE_MS: readonly number[] = [1, 1, 2, 4, 8, 16, 32, 64, 128]

/** Wait. */
export async function wait(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** Wait for all, for those that go on after one has failed too; reject as the first of them did. */
export async function settled<const Promises extends readonly Promise<unknown>[]>(
  promises: Promises,
): Promise<{ readonly [Index in keyof Promises]: Awaited<Promises[Index]> }> {
  await Promise.allSettled(promises)
  return (await Promise.all(promises)) as { readonly [Index in keyof Promises]: Awaited<Promises[Index]> }
}

import { errorCode, StorageError } from '@spillway/core/driver'

/** Status of a path, returned by {@link FileSystem.stat}. */
export interface FileStatus {
  /** `other` is neither a plain file nor a directory, for example a symbolic link. */
  readonly kind: 'file' | 'directory' | 'other'
  /** Bytes. */
  readonly size: number
  /** Last modification, in milliseconds since the epoch. */
  readonly modifiedAt: number
}

/** A name in a directory. */
export interface DirectoryItem {
  readonly name: string
  readonly kind: FileStatus['kind']
}

/** Bytes of a plain file or of the requested range, and the file's status. */
export interface FileContent {
  readonly content: Uint8Array
  readonly status: FileStatus
}

/** A file open for writing. */
export interface FileWriter {
  /** Append all of `bytes`. */
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** An open file from which a range can be read. */
export interface FileReader {
  /** Status when the file was opened. */
  readonly status: FileStatus
  /** Read a range, clipped to the end, into `buffer` or new memory. Calls may run at the same time. */
  read(range: { readonly offset: number; readonly length: number }, buffer?: Uint8Array): Promise<Uint8Array>
  close(): Promise<void>
}

/** A step of {@link FileSystem.runSteps}: a check or a change. */
export type FileStep =
  /** Fails if the path contains a symbolic link. */
  | { readonly step: 'isReal'; readonly path: string }
  /** Fails if the path exists. */
  | { readonly step: 'isMissing'; readonly path: string }
  /** Fails unless the path is a plain file of `size` bytes. */
  | { readonly step: 'isFile'; readonly path: string; readonly size: number }
  /** Create and close a file with this content and modification time. Fails if the name exists. */
  | { readonly step: 'create'; readonly path: string; readonly content: Uint8Array; readonly modifiedAt?: number }
  /** Like {@link FileSystem.link}. */
  | { readonly step: 'link'; readonly from: string; readonly to: string }
  /** Remove a file. */
  | { readonly step: 'remove'; readonly path: string }

/**
 * File operations for `FileStorage`, by default of Node.js. An agent's sandbox can provide them too.
 *
 * Paths are absolute and normalized, with `/` as the separator. Reject with an error whose `code` is a POSIX name:
 * `ENOENT`, `EEXIST`, `ENOTEMPTY`, `EACCES`, `ENOSPC`. Never follow a symbolic link in the last part of a path. Reject
 * with `ELOOP` if a parent folder is a symbolic link, and the platform can detect the link without a race.
 *
 * Several processes can share a directory safely only with `link`, `setModifiedAt`, and an atomic `rename`.
 */
export interface FileSystem {
  /** Create a file that only its owner can read, and open it for writing. Rejects with `EEXIST` if the name exists. */
  createFile(path: string): Promise<FileWriter>
  /**
   * Read a plain file, or a range clipped to its end. Rejects with `ELOOP` for a symbolic link, and with `EINVAL` for
   * anything else that is not a plain file. The read must not wait for the writer of a named pipe.
   */
  readFile(path: string, range?: { readonly offset: number; readonly length: number }): Promise<FileContent>
  /** Describe a path. For a symbolic link, describe the link and not its target. */
  stat(path: string): Promise<FileStatus>
  /** Rename a file, replacing any file at `to`. */
  rename(from: string, to: string): Promise<void>
  /** Remove a file. */
  removeFile(path: string): Promise<void>
  /** Create one directory that only its owner can access. The parent directory exists. */
  createDirectory(path: string): Promise<void>
  /** Remove an empty directory. */
  removeDirectory(path: string): Promise<void>
  /** List a directory in any order. Implementations must not hold all names in memory. */
  list(path: string): AsyncIterable<DirectoryItem>
  /** Resolve all symbolic links in the path of a directory. A file system without links returns the path. */
  realPath(path: string): Promise<string>

  /**
   * Open a plain file for many reads. Rejects like {@link FileSystem.readFile}. If the file is removed, reads continue
   * to work or reject with `ENOENT`. If absent, each read opens the file.
   */
  openFile?(path: string): Promise<FileReader>
  /** Give a file a second, new name. If absent, files are renamed, which is safe only within one process. */
  link?(from: string, to: string): Promise<void>
  /** Whether a written file can be linked before it is closed. If absent, files are closed first. */
  readonly linksOpenFiles?: boolean
  /** Set the modification time. If absent, every use rewrites the entry's sidecar. */
  setModifiedAt?(path: string, modifiedAt: number): Promise<void>
  /**
   * Run steps in order until one fails, and return the number of completed steps. 0 is always a valid result. If a
   * `create` fails, it may leave a partial file. If absent, and for steps that were not completed, single operations
   * are used.
   */
  runSteps?(steps: readonly FileStep[]): Promise<number>
  /** Make a file, or the names in a directory, durable, like `fsync`. If absent, `fsync: true` is rejected. */
  sync?(path: string): Promise<void>
}

/** Fixes by error code. `DIRECTORY` is replaced by the storage's directory. */
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

/** Returns the POSIX code of a file system error. Returns `undefined` for other errors. */
export function fileErrorCode(error: unknown): string | undefined {
  const code = errorCode(error)
  return /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/** Returns `undefined` if `operation` fails with one of `codes`. */
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

export async function doneUnless(codes: string | readonly string[], operation: Promise<void>): Promise<boolean> {
  const done = operation.then(() => true)
  return (await unless(codes, done)) ?? false
}

export async function createWhole(fileSystem: FileSystem, path: string, content: Uint8Array): Promise<void> {
  const file = await fileSystem.createFile(path)
  try {
    await file.write(content)
  } finally {
    await file.close()
  }
}

export const folderOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')))

/** Converts a file system error to one that explains the fix. Returns other errors unchanged. */
export function explainFileError(error: unknown, directory: string): unknown {
  const code = fileErrorCode(error)
  if (code === undefined || StorageError.isInstance(error)) return error
  const fix = (FIXES[code] ?? OTHER_FIX).replace('DIRECTORY', () => directory)
  return new StorageError('unavailable', `The file storage in ${directory} failed with ${code}. ${fix}`, {
    cause: error,
  })
}

/** Pauses in milliseconds, about 250 in total, in which another process can finish its work. */
export const PATIENCE_MS: readonly number[] = [1, 1, 2, 4, 8, 16, 32, 64, 128]

export async function wait(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** Waits for all promises even if one fails, and then rejects with the first failure. */
export async function settled<const Promises extends readonly Promise<unknown>[]>(
  promises: Promises,
): Promise<{ readonly [Index in keyof Promises]: Awaited<Promises[Index]> }> {
  await Promise.allSettled(promises)
  return (await Promise.all(promises)) as { readonly [Index in keyof Promises]: Awaited<Promises[Index]> }
}

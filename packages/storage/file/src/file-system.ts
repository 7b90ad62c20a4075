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

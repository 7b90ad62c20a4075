import { extensionForContentType, type StoredInfo } from '@spillway/core'
import { filePathOf } from '@spillway/core/files'
import { pathFromWorkspace } from './virtual-path.ts'

/** Metadata of a file of the service: what its content is known by. */
export const DIGEST = 'file-digest'
/** The folder in which results appear that were offloaded, as with `StoredFiles`. */
const RESULT_FOLDER = 'results/'

/** A virtual file. */
export interface FileRecord {
  /** As `virtualPath` writes it. */
  readonly path: string
  readonly reference: string
  readonly contentType: string
  /** In bytes. */
  readonly size: number
  readonly storedAt: number
  /** SHA-256 of the content; absent for files that others wrote, and for results. */
  readonly digest: string | undefined
}

/** Say which file an entry of the storage is. */
export function fileRecordOf(info: StoredInfo): FileRecord {
  const { reference, contentType, size, storedAt, metadata } = info
  const written = filePathOf(info)
  const path = written === undefined ? undefined : pathFromWorkspace(written)
  return {
    path: path ?? `${RESULT_FOLDER}${reference}${extensionForContentType(contentType)}`,
    reference,
    contentType,
    size,
    storedAt,
    digest: path === undefined ? undefined : metadata[DIGEST],
  }
}

/** Which of two entries with one path is the file: of those of the service the first, as its text says so; else the newest. */
export function chooseRecord(a: FileRecord, b: FileRecord): FileRecord {
  const [earlier, later] =
    a.storedAt < b.storedAt || (a.storedAt === b.storedAt && a.reference < b.reference) ? [a, b] : [b, a]
  return earlier.digest !== undefined && later.digest !== undefined ? earlier : later
}

import { extensionForContentType, type StoredInfo } from '@spillway/core'
import { filePathOf } from '@spillway/core/files'
import { HttpError } from '../app/http-error.ts'

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

const MAX_LENGTH = 1_024
const CONTROL = /\p{Cc}/u
/** The folder that relative paths start from, as in the documents of ReMe: `/workspace/a` and `a` are one. */
const WORKSPACE = 'workspace'
const FROM_WORKSPACE = /^\/?(?:workspace\/)*/

/**
 * Return the one form of a virtual path: without a slash at its ends, `.` and empty parts, and the workspace at its start.
 *
 * Paths are relative to the workspace or absolute, and an absolute one is the same without its first slash. So what a
 * message says, what a key of `write_file_dict` is and what a client makes of either by putting `./` before it name the
 * same file. Nothing is decoded, and nothing of the host's file system is ever looked at.
 *
 * @throws HttpError `invalid-path` where it has `..`, a backslash or control characters, or is too long.
 */
export function virtualPath(text: string): string {
  if (text.length > MAX_LENGTH) throw refused(`A path may have at most ${MAX_LENGTH} characters.`)
  if (CONTROL.test(text) || !text.isWellFormed()) throw refused('A path may not have control characters.')
  if (text.includes('\\')) throw refused('Write the parts of a path with slashes between them, not with backslashes.')
  const parts = text.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw refused('A path may not have .. in it.')
  // As often as it is there, so that a path that was resolved leads to the same file again.
  while (parts[0] === WORKSPACE) parts.shift()
  return parts.join('/')
}

/** Return the path of a file as requests name it, of one that others wrote: without a slash or the workspace at its start. */
const pathFromWorkspace = (path: string): string => path.replace(FROM_WORKSPACE, '')

/** Return the path of a file within a folder, or `undefined` where it lies elsewhere; both as {@link virtualPath} gives them. */
export function pathWithin(path: string, folder: string): string | undefined {
  if (folder === '') return path
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined
}

/** Put a folder as a caller wrote it before the name of a file. */
export function joinAsWritten(folder: string, name: string): string {
  let end = folder.length
  while (end > 0 && folder[end - 1] === '/') end -= 1
  if (end === 0) return folder === '' ? name : `/${name}`
  return `${folder.slice(0, end)}/${name}`
}

const refused = (message: string): HttpError => new HttpError('invalid-path', message)

/** Characters of an id that stand in a name. */
const MAX_ID_LENGTH = 80
const ID_DIGITS = 12

/**
 * Write an id with `[A-Za-z0-9_.]` alone. Where that changes it, a digest of the id keeps it apart from others.
 */
export async function fileNamePart(id: string): Promise<string> {
  const safe = id.slice(0, MAX_ID_LENGTH).replaceAll(/[^A-Za-z0-9_.]/g, '_')
  if (safe === id && id !== '') return id
  return `${safe}${safe === '' ? '' : '_'}${(await sha256Hex(id)).slice(0, ID_DIGITS)}`
}

/** Return the SHA-256 of a text, or of bytes, in hexadecimal. */
export async function sha256Hex(content: string | Uint8Array): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

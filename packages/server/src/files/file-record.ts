import { extensionForContentType, type StoredInfo } from '@spillway/core'
import { filePathOf } from '@spillway/core/files'
import { HttpError } from '../app/http-error.ts'

/** The metadata key of the digest of a file's content. */
export const DIGEST = 'file-digest'
const RESULT_FOLDER = 'results/'

export interface FileRecord {
  /** The path in the form that {@link virtualPath} returns. */
  readonly path: string
  readonly reference: string
  readonly contentType: string
  /** Size in bytes. */
  readonly size: number
  readonly storedAt: number
  /** SHA-256 of the content. Absent for results, and for files that were not written by the service. */
  readonly digest: string | undefined
}

export function fileRecordOf(info: StoredInfo): FileRecord {
  const { reference, contentType, size, storedAt, metadata } = info
  const written = filePathOf(info)
  const path = written?.replace(FROM_WORKSPACE, '')
  return {
    path: path ?? `${RESULT_FOLDER}${reference}${extensionForContentType(contentType)}`,
    reference,
    contentType,
    size,
    storedAt,
    digest: path === undefined ? undefined : metadata[DIGEST],
  }
}

/** Choose between entries with the same path: the first one written by the service, otherwise the newest. */
export function chooseRecord(a: FileRecord, b: FileRecord): FileRecord {
  const [earlier, later] =
    a.storedAt < b.storedAt || (a.storedAt === b.storedAt && a.reference < b.reference) ? [a, b] : [b, a]
  return earlier.digest !== undefined && later.digest !== undefined ? earlier : later
}

const MAX_LENGTH = 1_024
const CONTROL = /\p{Cc}/u
/** The folder that ReMe may omit: `/workspace/a` and `a` are the same file. */
const WORKSPACE = 'workspace'
const FROM_WORKSPACE = /^\/?(?:workspace\/)*/

/**
 * Normalize a virtual path: it has no outer slashes, no `.`, no empty parts and no leading workspace.
 *
 * @throws HttpError `invalid-path` if it contains `..`, a backslash or control characters, or is too long.
 */
export function virtualPath(text: string): string {
  if (text.length > MAX_LENGTH) throw refused(`A path may have at most ${MAX_LENGTH} characters.`)
  if (CONTROL.test(text) || !text.isWellFormed()) throw refused('A path may not have control characters.')
  if (text.includes('\\')) throw refused('Write the parts of a path with slashes between them, not with backslashes.')
  const parts = text.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw refused('A path may not have .. in it.')
  // All leading workspaces are removed, so that normalizing twice changes nothing.
  while (parts[0] === WORKSPACE) parts.shift()
  return parts.join('/')
}

/** Return a path relative to a folder; `undefined` if the path is outside the folder. */
export function pathWithin(path: string, folder: string): string | undefined {
  if (folder === '') return path
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined
}

/** Join a folder and a file name. The folder stays as the caller wrote it. */
export function joinAsWritten(folder: string, name: string): string {
  let end = folder.length
  while (end > 0 && folder[end - 1] === '/') end -= 1
  if (end === 0) return folder === '' ? name : `/${name}`
  return `${folder.slice(0, end)}/${name}`
}

const refused = (message: string): HttpError => new HttpError('invalid-path', message)

const MAX_ID_LENGTH = 80
const ID_DIGITS = 12

/** Convert an id to `[A-Za-z0-9_.]`. If the id changes, a digest is added to keep it unique. */
export async function fileNamePart(id: string): Promise<string> {
  const safe = id.slice(0, MAX_ID_LENGTH).replaceAll(/[^A-Za-z0-9_.]/g, '_')
  if (safe === id && id !== '') return id
  return `${safe}${safe === '' ? '' : '_'}${(await sha256Hex(id)).slice(0, ID_DIGITS)}`
}

export async function sha256Hex(content: string | Uint8Array): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

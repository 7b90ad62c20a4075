import { HttpError } from '../app/http-error.ts'

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
export const pathFromWorkspace = (path: string): string => path.replace(FROM_WORKSPACE, '')

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

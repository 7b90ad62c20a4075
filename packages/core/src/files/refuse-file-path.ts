const MAX_LENGTH = 1_024
const CONTROL = /\p{Cc}/u

/**
 * Say why a text cannot be the path of a file, and what to do; `undefined` where it can.
 *
 * A path is absolute, resolved and names a file: no `.` and `..` parts, no empty ones, no control characters, at most
 * 1,024 UTF-16 units. The reason may be shown to a model.
 *
 * @example
 * ```ts
 * import { refuseFilePath } from '@spillway/core/files'
 *
 * console.assert(refuseFilePath('/notes/plan.md') === undefined)
 * console.assert(refuseFilePath('/notes/../plan.md')?.includes('Write it without . and .. parts') === true)
 * ```
 */
export function refuseFilePath(path: unknown): string | undefined {
  if (typeof path !== 'string' || path === '') return 'A path must be a text, such as /notes.md.'
  if (path.length > MAX_LENGTH)
    return `A path may have at most ${MAX_LENGTH} characters, got ${path.length}. Shorten it.`
  const shown = JSON.stringify(path)
  if (!path.startsWith('/')) return `${shown} is not absolute. Begin it with a slash, as in /notes.md.`
  if (CONTROL.test(path) || !path.isWellFormed()) return `${shown} has control characters. Leave them out.`
  const names = path.slice(1).split('/')
  if (names.includes('..') || names.includes('.')) return `${shown} is not resolved. Write it without . and .. parts.`
  if (names.includes(''))
    return `${shown} names no file. Write it without a slash at its end and without double slashes.`
  return undefined
}

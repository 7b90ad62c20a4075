import { StorageError } from '@spillway/core/driver'

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

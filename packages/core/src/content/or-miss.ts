import { missingError, StorageError } from '../storage/storage-error.ts'

/** Words in error names and codes that mean a missing entry, such as `KeyError`, `NOT_FOUND`, `NoSuchKey`. */
const MISS_NAME =
  /^(?:err)?(?:(?:key|reference|entry|content|artifact|blob|object|item|record|document|file)?notfound|nosuch(?:key|entry|object|item|record|document|file)|filenotfound|keyerror)(?:error|exception)?$/
const SAYS_MISSING = /\b(?:not found|no such|does not exist|doesn't exist|unknown|missing|nothing (?:is )?stored)\b/i
const BEGINS_WITH_MISS =
  /^(?:(?:key|reference|entry|content|artifact|blob|object|item|record|document|file) )?(?:was |is )?not found\b/i
/** Parts of a backend. If a message says that one of them is missing, the error is an outage. */
const OF_BACKEND =
  /\b(?:host|hostname|server|service|endpoint|domain|address|dns|getaddrinfo|socket|bucket|container|database|table|collection|schema|index|volume|mount|device|module|package|command|route|page|region|account|user|role|token|credentials?|api key|access key|key (?:id|vault|file))\b/i
/** System calls that look for a file. Others, for example `connect`, look for a service. */
const LOOKS_FOR_FILE = /^(?:open|stat|lstat|access|realpath)$/

/**
 * Return the result of a third-party storage. A missing result, or an error that means a missing entry, becomes
 * `not-found`.
 */
export async function orMiss<Result>(reference: string, ask: () => Promise<Result>): Promise<NonNullable<Result>> {
  let found: Result
  try {
    found = await ask()
  } catch (error) {
    throw isForeignMiss(error, reference) ? missingError(reference, undefined, error) : error
  }
  if (found === undefined || found === null) throw missingError(reference, undefined)
  return found
}

/** Whether an error means a missing entry. In doubt, the error is an outage, which can be retried. */
function isForeignMiss(error: unknown, reference: string): boolean {
  if (StorageError.isInstance(error) || typeof error !== 'object' || error === null) return false
  const { name, code, syscall, message } = error as Partial<Record<'name' | 'code' | 'syscall' | 'message', unknown>>
  if (code === 'ENOENT') return syscall === undefined || (typeof syscall === 'string' && LOOKS_FOR_FILE.test(syscall))
  if ([name, code].some((text) => MISS_NAME.test(lettersOf(text)))) return true
  if (code !== undefined || typeof message !== 'string') return false
  const said = message.replaceAll(reference, '')
  if (OF_BACKEND.test(said)) return false
  return BEGINS_WITH_MISS.test(message) || (message.includes(reference) && SAYS_MISSING.test(said))
}

const lettersOf = (text: unknown): string =>
  typeof text === 'string' ? text.replaceAll(/[^a-z]/gi, '').toLowerCase() : ''

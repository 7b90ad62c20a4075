import { sha256Hex } from './sha256-hex.ts'

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

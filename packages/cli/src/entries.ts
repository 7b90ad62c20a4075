import type { Storage, StoredInfo } from '@spillway/core'
import { CliError } from './cli-error.ts'
import { EXIT_CODE } from './exit-code.ts'
import { formatTime } from './format.ts'

/** Return a capability of a storage, bound to it, or say that it is missing. */
export function requireMethod<Name extends keyof Storage>(storage: Storage, name: Name): NonNullable<Storage[Name]> {
  const method = storage[name]
  if (method === undefined) {
    throw new CliError('unsupported', EXIT_CODE.storage, `This store cannot do that: it has no ${name}().`)
  }
  return method.bind(storage) as NonNullable<Storage[Name]>
}

/** List entries, the newest first. */
export async function listEntries(storage: Storage, below: boolean): Promise<StoredInfo[]> {
  const entries: StoredInfo[] = []
  for await (const info of requireMethod(storage, 'list')({ below })) entries.push(info)
  return entries.sort((a, b) => b.storedAt - a.storedAt || (a.reference < b.reference ? -1 : 1))
}

/** An entry as scripts get it: with times that they can read. */
export function entryJson(info: StoredInfo): Record<string, unknown> {
  const { reference, key, contentType, size, storedAt, lastUsedAt, expiresAt, metadata } = info
  return {
    reference,
    key,
    contentType,
    size,
    storedAt: formatTime(storedAt),
    lastUsedAt: formatTime(lastUsedAt),
    ...(expiresAt === undefined ? {} : { expiresAt: formatTime(expiresAt) }),
    metadata,
  }
}

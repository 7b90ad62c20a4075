import { StorageError, type Eviction, type EvictionReason } from './storage-error.ts'

const WHY: Readonly<Record<EvictionReason, string>> = {
  turns: 'it went unused for too many turns',
  age: 'it went unused for too long',
  quota: 'room was needed for newer content',
}

/** Say that an entry was never there, or what became of it and how to get its content again. */
export function missingError(reference: string, eviction: Eviction | undefined, cause?: unknown): StorageError {
  if (eviction === undefined)
    return new StorageError('not-found', `Nothing is stored under ${reference} here. Check the reference.`, {
      reference,
      cause,
    })
  const when = new Date(eviction.evictedAt).toISOString()
  const tool = eviction.metadata['tool']
  const again =
    tool === undefined ? 'Run the tool that produced it again.' : `Run the tool ${JSON.stringify(tool)} again.`
  return new StorageError('evicted', `${reference} was removed at ${when}: ${WHY[eviction.reason]}. ${again}`, {
    reference,
    eviction,
  })
}

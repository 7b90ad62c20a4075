import { StorageError } from '@spillway/core'
import type { HistoryArchive } from '@spillway/history'

/**
 * Give back only so many bytes of what an archive has: what is more is too large, and stays a reference. A few lines can name
 * the same content again and again.
 *
 * @param reserve - Told of all that is held; what it throws is passed on.
 */
export function limitedArchive(
  archive: HistoryArchive,
  maxBytes: number,
  reserve: (bytes: number) => void,
): HistoryArchive {
  let left = maxBytes
  return {
    store: (item, options) => archive.store(item, options),
    retrieve: async (name, options) => {
      if (left <= 0) throw tooLarge(name, maxBytes)
      const found = await archive.retrieve(name, options)
      left -= found.content.length
      if (left < 0) throw tooLarge(name, maxBytes)
      reserve(found.content.length)
      return found
    },
    ...(archive.has !== undefined && { has: archive.has.bind(archive) }),
    ...(archive.use !== undefined && { use: archive.use.bind(archive) }),
    writeReplacement: (replaced) => archive.writeReplacement(replaced),
    readReplacement: (text) => archive.readReplacement(text),
    writeSnapshot: (snapshot) => archive.writeSnapshot(snapshot),
    readSnapshot: (text) => archive.readSnapshot(text),
  }
}

const tooLarge = (reference: string, maxBytes: number): StorageError =>
  new StorageError('too-large', `No more than ${maxBytes} bytes are put back at once.`, { reference })

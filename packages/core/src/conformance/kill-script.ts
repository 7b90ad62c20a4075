import type { Storage } from '../storage/storage.ts'

/** An entry of a {@link KillScript}. */
export interface KillScriptEntry {
  readonly key: string
  readonly contentType: string
  readonly content: Uint8Array
}

/** The work of a writer that will be killed. */
export interface KillScript {
  /** Entries to store one after the other. Each entry must be acknowledged. */
  readonly acknowledged: readonly KillScriptEntry[]
  /** The entry during which the writer is killed: a stream, or with `isOpen` an entry of `openEntry`. */
  readonly unfinished: KillScriptEntry & { readonly isOpen?: boolean | undefined }
}

/**
 * Run a script as the writer that will be killed. Stores the first entries, writes half of the last entry, and calls
 * `halfway` with the references of the acknowledged entries and of the open entry. The promise never settles.
 */
export async function runKillScript(
  storage: Storage,
  script: KillScript,
  halfway: (acknowledged: readonly string[]) => void,
): Promise<never> {
  const acknowledged: string[] = []
  for (const { key, content, contentType } of script.acknowledged)
    acknowledged.push(await storage.store(key, content, contentType))
  const { key, content, contentType, isOpen } = script.unfinished
  if (isOpen === true) {
    const writer = await storage.openEntry!(key, contentType)
    for await (const piece of halfOf(content, () => halfway([...acknowledged, writer.reference])))
      await writer.write(piece)
  }
  if (storage.storeStream === undefined) throw new TypeError('The kill power needs a storage with storeStream().')
  await storage.storeStream(
    key,
    halfOf(content, () => halfway(acknowledged)),
    contentType,
  )
  throw new Error('The unfinished entry was stored, although its stream has not ended.')
}

const PIECES = 16
/** A promise that never settles. Waiting writers are referenced by it, so that they are not collected as garbage. */
const NEVER = new Promise<never>(() => undefined)

async function* halfOf(content: Uint8Array, reached: () => void): AsyncGenerator<Uint8Array> {
  const length = Math.ceil(content.length / PIECES)
  for (let piece = 0; piece < PIECES / 2; piece += 1) yield content.slice(piece * length, (piece + 1) * length)
  reached()
  await NEVER
}

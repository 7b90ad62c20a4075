import { pathToFileURL } from 'node:url'
import type { Store } from '../ours.ts'
import { CONTEXT_LINES, MAX_CHARS, type Place, type Subject } from './subject.ts'

const SESSION = 'bench'
const KEY = 'call_1_0'

/** Store a file with the measured module. Returns the reference. */
export async function storeForOurs(place: Place, contentType: string): Promise<string> {
  const store = await openStore('file', place)
  const reference = await store.putFile(SESSION, KEY, place.file, { contentType })
  await store.close()
  return reference
}

/** Open the content that the measured module has stored. */
export async function oursSubject(kind: 'file' | 'memory', place: Place, contentType: string): Promise<Subject> {
  const store = await openStore(kind, place)
  const reference = kind === 'file' ? place.reference : await store.putFile(SESSION, KEY, place.file, { contentType })
  return {
    search: ({ pattern, ignoreCase }) =>
      store.search(reference, { pattern, ignoreCase, context: CONTEXT_LINES, maxChars: MAX_CHARS }),
    lines: async (start, end) => (await store.lines(reference, { start, end, maxChars: MAX_CHARS })).text,
    close: () => store.close(),
    ...(store.backendUse !== undefined && { backendUse: () => store.backendUse!() }),
  }
}

/** Open a storage of the measured module. */
export async function openStore(
  kind: 'file' | 'memory',
  { ours, directory }: Pick<Place, 'ours' | 'directory'>,
): Promise<Store> {
  const module = (await import(pathToFileURL(ours).href)) as {
    open(kind: string, options: { dir: string }): Promise<Store>
  }
  return module.open(kind, { dir: directory })
}

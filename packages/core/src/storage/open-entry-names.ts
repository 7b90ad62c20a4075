import { entryId, splitId, type EntryId } from './reference.ts'
import type { Metadata, OmittedPart } from './storage.ts'

/**
 * Folder with the parts of an open entry: `<scope>/_open/<reference>/<offset>`. No scope can be called `_open`. The
 * head has no bytes. Its last use is the time of the writer's last heartbeat. A joined segment contains the short ones,
 * which are removed later.
 */
const FOLDER = '_open'
const HEAD = 'head'
export const BEAT_MS: number = 10_000
/** Milliseconds without a heartbeat after which a writer counts as killed. */
export const LEASE_MS: number = 30_000
const STATE = 'spillway-state'
const OMITTED = 'spillway-omitted'
export const headId = (path: string, reference: string): EntryId => `${entryId(path, FOLDER)}/${reference}/${HEAD}`

export const segmentsPrefix = (path: string, reference?: string): string =>
  `${entryId(path, FOLDER)}/${reference === undefined ? '' : `${reference}/`}`

export function openEntryOf(
  id: EntryId,
): { readonly path: string; readonly reference: string; readonly isHead: boolean } | undefined {
  const { path: folder, reference: name } = splitId(id)
  const { path: inside, reference } = splitId(folder)
  const { path, reference: parent } = splitId(inside)
  return parent === FOLDER ? { path, reference, isHead: name === HEAD } : undefined
}

export function endMetadata(state: 'complete' | 'aborted', omitted: OmittedPart | undefined): Metadata {
  const metadata: Record<string, string> = {}
  if (state === 'aborted') metadata[STATE] = state
  if (omitted !== undefined)
    metadata[OMITTED] = `${omitted.bytes} ${omitted.lines} ${omitted.afterLine} ${omitted.offset}`
  return metadata
}

export function readMetadata(stored: Metadata): {
  readonly metadata: Metadata
  readonly state: 'complete' | 'cut' | 'aborted'
  readonly omitted?: OmittedPart
} {
  const { [STATE]: state, [OMITTED]: text, ...metadata } = stored
  const [bytes, lines, afterLine, offset] = text?.split(' ').map(Number) ?? []
  const omitted =
    bytes === undefined || lines === undefined || afterLine === undefined || offset === undefined
      ? undefined
      : { bytes, lines, afterLine, offset }
  const ended = state === 'aborted' ? state : omitted === undefined ? 'complete' : 'cut'
  return { metadata, state: ended, ...(omitted && { omitted }) }
}

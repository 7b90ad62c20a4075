import { entryId, splitId, type EntryId } from './reference.ts'
import type { Metadata, OmittedPart } from './storage.ts'

/**
 * The parts of an entry that is still written, each an entry of the driver: `<scope>/_open/<reference>/<offset>`.
 *
 * No scope can have the name `_open`: in the name of a scope two hexadecimal digits or `_` follow `_`. The head has no
 * bytes; it describes the whole, and its last use is the last sign of life of the writer. Segments never change. Several
 * short ones are joined to a longer one, which covers them until they are removed.
 */
const FOLDER = '_open'
const HEAD = 'head'
/** How often a writer gives a sign of life. */
export const BEAT_MS: number = 10_000
/** After so long without a sign of life the writer is taken for dead. */
export const LEASE_MS: number = 30_000

/** What the description of an entry that has ended adds, when it is not complete. */
const STATE = 'spillway-state'
const OMITTED = 'spillway-omitted'

/** Return the id of the head of an open entry. */
export const headId = (path: string, reference: string): EntryId => `${entryId(path, FOLDER)}/${reference}/${HEAD}`

/** Return what the ids of the parts of an open entry start with, or of all of a scope. */
export const segmentsPrefix = (path: string, reference?: string): string =>
  `${entryId(path, FOLDER)}/${reference === undefined ? '' : `${reference}/`}`

/** Tell which open entry an entry of the driver belongs to; `undefined` for an ordinary one. */
export function openEntryOf(
  id: EntryId,
): { readonly path: string; readonly reference: string; readonly isHead: boolean } | undefined {
  const { path: folder, reference: name } = splitId(id)
  const { path: inside, reference } = splitId(folder)
  const { path, reference: parent } = splitId(inside)
  return parent === FOLDER ? { path, reference, isHead: name === HEAD } : undefined
}

/** Describe an entry that has ended otherwise than whole. */
export function endMetadata(state: 'complete' | 'aborted', omitted: OmittedPart | undefined): Metadata {
  const metadata: Record<string, string> = {}
  if (state === 'aborted') metadata[STATE] = state
  if (omitted !== undefined)
    metadata[OMITTED] = `${omitted.bytes} ${omitted.lines} ${omitted.afterLine} ${omitted.offset}`
  return metadata
}

/** Take the description apart again into what callers gave and how the entry ended. */
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

import { ContextOffloader, type Storage } from '@spillway/core'
import { reloadHistory, type HistoryReference } from '@spillway/history'
import { EXIT_CODE, isNotThere } from '../cli-error.ts'
import { formatBytes, noteLine, printJson, printTable } from '../output.ts'
import type { TranscriptOptions } from '../commands/options.ts'
import { conversationOf, lineOf, type Transcript } from './transcript/transcript.ts'

export interface ListedReference extends HistoryReference {
  readonly line: number | undefined
  /** `undefined` if the store cannot tell without reading it. */
  readonly isStored: boolean | undefined
}

/** List the references of a transcript, and whether they are stored. */
export async function listReferences(transcript: Transcript, storage: Storage): Promise<readonly ListedReference[]> {
  const options = { offloader: new ContextOffloader({ storage }), format: transcript.format.history }
  const { references } = await reloadHistory(conversationOf(transcript), options)
  const listed: ListedReference[] = []
  for (const reference of references) {
    const line = lineOf(transcript, reference.index)
    listed.push({ ...reference, line, isStored: await isStored(storage, reference.name) })
  }
  return listed
}

async function isStored(storage: Storage, name: string): Promise<boolean | undefined> {
  try {
    return storage.stat === undefined ? undefined : (await storage.stat(name)) !== undefined
  } catch (error) {
    if (isNotThere(error)) return false
    throw error
  }
}

export async function reportReferences(
  references: readonly ListedReference[],
  { json = false }: TranscriptOptions,
): Promise<number> {
  if (json) {
    await printJson(
      references.map(({ name, index, line, toolName, callId, kind, contentType, size, inside, isStored: stored }) => ({
        number: index + 1,
        line: line ?? null,
        tool: toolName ?? null,
        callId: callId ?? null,
        kind,
        contentType,
        size,
        stored: stored ?? null,
        inside: inside ?? null,
        reference: name,
      })),
    )
  } else if (process.stdout.isTTY && references.length === 0)
    await noteLine('the transcript names nothing that is stored.')
  else
    await printTable(
      HEADER,
      references.map((reference) => cellsOf(reference, formatBytes(reference.size))),
      references.map((reference) => cellsOf(reference, String(reference.size))),
    )
  return references.length > 0 && references.every(({ isStored: stored }) => stored !== false)
    ? EXIT_CODE.ok
    : EXIT_CODE.nothing
}

const HEADER = ['#', 'LINE', 'TOOL', 'KIND', 'SIZE', 'THERE', 'REFERENCE', '']

function cellsOf(
  { index, line, toolName, kind, name, inside, isStored: stored }: ListedReference,
  size: string,
): string[] {
  const there = stored === undefined ? '?' : stored ? 'yes' : 'gone'
  const where = inside === undefined ? '' : 'in the summary'
  return [String(index + 1), String(line ?? ''), toolName ?? '', kind, size, there, name, where]
}

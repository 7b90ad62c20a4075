import { StorageError } from '@spillway/core'
import type { ArchivedItem } from '../archive/history-archive.ts'
import { isMiss } from '../archive/unless-missing.ts'
import { decodeText } from '../compact/archived-content.ts'
import { readStored } from '../compact/corrupt.ts'
import { decodeConversation } from '../encode-conversation.ts'
import { findNames } from '../find-names.ts'
import type { HistoryFormat } from '../history-format.ts'
import type { HistoryMessage, HistoryPart } from '../history-message.ts'
import type { ResolvedHistoryOptions } from '../history-options.ts'
import type { HistoryReference } from './history-reference.ts'

/** Messages that name things: those of the history, or those that one of its summaries stands for. */
interface Naming {
  readonly messages: readonly HistoryMessage[]
  /** Of the summary, for messages that are in one. */
  readonly index?: number
  readonly inside?: string
}

/**
 * List what messages name, in their order, and behind it what the messages name that went into a summary. Of these, what
 * is gone or damaged is passed over. Rejects with a `StorageError` where storage cannot be asked.
 */
export async function findReferences(
  messages: readonly HistoryMessage[],
  format: HistoryFormat<unknown>,
  { archive, signal }: ResolvedHistoryOptions,
): Promise<readonly HistoryReference[]> {
  const found: HistoryReference[] = []
  const seen = new Set<string>()
  const looked = new Set<string>()
  const waiting: Naming[] = [{ messages }]
  for (let naming = waiting.shift(); naming !== undefined; naming = waiting.shift()) {
    for (const [position, message] of naming.messages.entries()) {
      const index = naming.index ?? position
      for (const reference of referencesOf(message, index, naming.inside, archive)) {
        const { name, kind, callId = '' } = reference
        const key = JSON.stringify([name, index, callId])
        if (!seen.has(key)) found.push(reference)
        seen.add(key)
        if (kind !== 'messages' || looked.has(name)) continue
        looked.add(name)
        const inside = await readGroup(name)
        if (inside !== undefined) waiting.push({ messages: inside, index, inside: name })
      }
    }
  }
  return found

  async function readGroup(name: string): Promise<readonly HistoryMessage[] | undefined> {
    try {
      const { content } = await archive.retrieve(name, { signal })
      return readStored(name, () => decodeConversation(format, decodeText(content)))
    } catch (error) {
      if (isMiss(error) || (StorageError.isInstance(error) && error.code === 'corrupt')) return undefined
      throw error
    }
  }
}

function referencesOf(
  { role, parts }: HistoryMessage,
  index: number,
  inside: string | undefined,
  archive: ResolvedHistoryOptions['archive'],
): readonly HistoryReference[] {
  return parts.flatMap((part) => {
    const items = findNames({ role, parts: [part] }, archive)
    return items.map((item): HistoryReference => ({
      ...itemOf(item),
      index,
      ...toolOf(part),
      ...(inside && { inside }),
    }))
  })
}

const itemOf = ({ name, kind, contentType, size }: ArchivedItem): ArchivedItem => ({ name, kind, contentType, size })

function toolOf(part: HistoryPart): Pick<HistoryReference, 'toolName' | 'callId'> {
  if (part.type === 'tool-call') return { toolName: part.name, callId: part.id }
  if (part.type !== 'tool-result') return {}
  return { ...(part.toolName !== '' && { toolName: part.toolName }), callId: part.callId }
}

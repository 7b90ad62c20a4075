import { ContextOffloader, StorageError, type Storage } from '@spillway/core'
import { expandHistory, type MissingContent } from '@spillway/history'
import { EXIT_CODE } from '../cli-error.ts'
import { countOf, formatCount, note, noteLine, print, printable, printJson } from '../output.ts'
import type { ExpandOptions } from '../commands/options.ts'
import { conversationOf, type Conversation, type Transcript } from './transcript/transcript.ts'

export interface Expanded {
  readonly conversation: Conversation
  readonly missing: readonly MissingContent[]
}

export async function expandTranscript(transcript: Transcript, storage: Storage): Promise<Expanded> {
  const { format } = transcript
  const options = { offloader: new ContextOffloader({ storage }), format: format.history }
  const { messages, missing } = await expandHistory(conversationOf(transcript), options)
  return { conversation: format.split(messages), missing }
}

export async function reportExpanded(
  { path, messages }: Transcript,
  { conversation, missing }: Expanded,
  { json = false, output }: ExpandOptions,
): Promise<number> {
  const before = messages.length
  const after = conversation.messages.length
  if (json) {
    const gone = missing.map(({ name, error }) => ({ reference: name, code: error.code, message: error.message }))
    await printJson({ file: path, before, after, missing: gone, output: output ?? null })
  } else {
    const count =
      before === after ? countOf(after, 'message') : `${countOf(before, 'message')} became ${formatCount(after)}`
    const where = output === undefined ? ' Nothing is written: add --output FILE.' : ` Written to ${printable(output)}.`
    const line = `${count}; ${countOf(missing.length, 'reference')} missing.${where}\n`
    await (output === '-' ? note : print)(line)
    for (const { name, error } of missing) await noteLine(`${name}: ${error.message}`)
  }
  if (missing.length === 0) return EXIT_CODE.ok
  const isOutage = missing.some(({ error }) => StorageError.isInstance(error) && error.code === 'unavailable')
  return isOutage ? EXIT_CODE.storage : EXIT_CODE.nothing
}

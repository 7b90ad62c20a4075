import { usageError } from '../cli-error.ts'
import { holdDownMemory } from '../hold-down-memory.ts'
import { conversationOf, lineOf, type Transcript } from './transcript/transcript.ts'
import { readTranscript } from './transcript/read-transcript.ts'
import { transcriptError } from './transcript/transcript-error.ts'
import type { TranscriptOptions } from './history-options.ts'

/** Read a transcript whose messages are of its format; otherwise say on which line one is not. */
export async function readChecked(path: string, { format }: TranscriptOptions): Promise<Transcript> {
  if (path === '-') throw usageError('A transcript is read from a file: write standard input to one first.')
  holdDownMemory()
  const transcript = await readTranscript(path, format)
  try {
    transcript.format.history.read(conversationOf(transcript))
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const [, index] = /^\w+\[(\d+)\]/.exec(error.message) ?? []
    const system = transcript.layout.kind === 'document' ? transcript.layout.system?.value : undefined
    const line = index === undefined ? undefined : lineOf(transcript, Number(index) + (system === undefined ? 0 : 1))
    const title = `read as ${transcript.format.title}`
    throw transcriptError(path, line, `${title}, ${error.message} Another --format may fit.`, { cause: error })
  }
  return transcript
}

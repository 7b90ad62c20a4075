import { toolCall, type ChatMessage } from '../chat/chat-message.ts'
import type { Transcript } from '../transcripts/transcript.ts'

const LINES = 300

/** Return a line of a result of {@link sampleTranscript}. */
export const sampleLine = (result: number, line: number): string =>
  `result ${result} says ${line * 7919} in line ${line}`

/** Create a session with results of about 3,800 tokens. The last message repeats a line of the first result. */
export function sampleTranscript(results: number): Transcript {
  const messages: ChatMessage[] = [
    { role: 'system', content: 'You read files.' },
    { role: 'user', content: 'Read all files.' },
  ]
  for (let index = 0; index < results; index += 1) {
    const id = `call_${index}`
    const content = Array.from({ length: LINES }, (_, line) => sampleLine(index, line)).join('\n')
    messages.push(
      { role: 'assistant', content: null, tool_calls: [toolCall(id, 'read', { path: `file ${index}` })] },
      { role: 'tool', tool_call_id: id, content },
    )
  }
  const line = sampleLine(0, LINES / 2)
  messages.push({ role: 'assistant', content: `It says: ${line}` })
  return { id: 'sample', messages, laterUses: [{ callId: 'call_0', line, usedAt: messages.length - 1 }] }
}

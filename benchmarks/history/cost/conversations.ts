import type { HistoryMessage } from '@spillway/history'
import { generateLog } from '../../adapters/generate-log.ts'

const LINES = 20
const RESULT_BYTES = 55_000

/** Write a conversation of so many small messages: questions, calls, results of a kilobyte, answers. */
export function smallConversation(messages: number): HistoryMessage[] {
  const result = (turn: number): string =>
    Array.from({ length: LINES }, (_, line) => `src/file-${turn}.ts:${line}: an export that nothing imports`).join('\n')
  return conversation(messages, result)
}

/** Write a conversation with so many results of 55 KB each, none like another. */
export function largeConversation(results: number): HistoryMessage[] {
  const log = generateLog(RESULT_BYTES)
  return conversation(1 + results * 4, (turn) => `job ${turn}\n${log}`)
}

function conversation(count: number, result: (turn: number) => string): HistoryMessage[] {
  const messages: HistoryMessage[] = [{ role: 'system', parts: [{ type: 'text', text: 'You help with a program.' }] }]
  for (let turn = 0; messages.length < count; turn++) messages.push(...turnOf(turn, result(turn)))
  return messages.slice(0, count)
}

function turnOf(turn: number, result: string): HistoryMessage[] {
  const callId = `call_${turn}`
  const path = `src/file-${turn}.ts`
  const input = JSON.stringify({ path, limit: 100 })
  return [
    { role: 'user', parts: [{ type: 'text', text: `What does ${path} export that nothing else uses?` }] },
    { role: 'assistant', parts: [{ type: 'tool-call', id: callId, name: 'check', input, inputIsText: true }] },
    {
      role: 'tool',
      parts: [{ type: 'tool-result', callId, toolName: 'check', content: [{ type: 'text', text: result }] }],
    },
    { role: 'assistant', parts: [{ type: 'text', text: `There are ${LINES} such exports in ${path}.` }] },
  ]
}

import { generateLog } from '../../report/generate-log.ts'

/** A message, call, or result in a conversation. */
export type Said =
  | { readonly role: 'system' | 'user' | 'assistant'; readonly text: string }
  | { readonly role: 'call'; readonly id: string; readonly name: string; readonly input: object }
  | { readonly role: 'result'; readonly id: string; readonly name: string; readonly text: string }

const LINES = 20
const RESULT_BYTES = 55_000

/** Create a conversation of this many small messages: questions, calls, results of one kilobyte, and answers. */
export function smallConversation(messages: number): Said[] {
  const result = (turn: number): string =>
    Array.from({ length: LINES }, (_, line) => `src/file-${turn}.ts:${line}: an export that nothing imports`).join('\n')
  return conversation(messages, result)
}

/** Create a conversation with this many different results of 55 KB. */
export function largeConversation(results: number): Said[] {
  const log = generateLog(RESULT_BYTES)
  return conversation(1 + results * 4, (turn) => `job ${turn}\n${log}`)
}

function conversation(count: number, result: (turn: number) => string): Said[] {
  const messages: Said[] = [{ role: 'system', text: 'You help with a program.' }]
  for (let turn = 0; messages.length < count; turn++) messages.push(...turnOf(turn, result(turn)))
  return messages.slice(0, count)
}

function turnOf(turn: number, result: string): Said[] {
  const callId = `call_${turn}`
  const path = `src/file-${turn}.ts`
  return [
    { role: 'user', text: `What does ${path} export that nothing else uses?` },
    { role: 'call', id: callId, name: 'check', input: { path, limit: 100 } },
    { role: 'result', id: callId, name: 'check', text: result },
    { role: 'assistant', text: `There are ${LINES} such exports in ${path}.` },
  ]
}

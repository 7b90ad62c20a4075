import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { numbered, spillway, temporaryFolder, type Ended } from '../spillway.ts'

/** The result of a tool call. */
export const LOG: string = numbered(2_000)
/** A conversation in which two logs were read, as messages of OpenAI's chat API. */
export const CHAT: readonly object[] = [
  { role: 'user', content: 'Why did it fail?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read_log', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'call_1', content: LOG },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_2', type: 'function', function: { name: 'read_log', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'call_2', content: `second\n${LOG}` },
  { role: 'assistant', content: 'It did not.' },
]

/** The same conversation for Anthropic's API. */
const ANTHROPIC = [
  { role: 'user', content: 'Why did it fail?' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read_log', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: LOG }] },
  { role: 'assistant', content: [{ type: 'text', text: 'It did not.' }] },
]

/** Write JSON values, one per line. */
export const lines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('')

/** A file of each format: title of the format, file name, and text. */
export const FILES: readonly (readonly [string, string, string])[] = [
  ['OpenAI chat messages', 'chat.json', JSON.stringify(CHAT, undefined, 2)],
  ['OpenAI chat messages', 'chat.jsonl', lines(CHAT)],
  ['OpenAI chat messages', 'request.json', JSON.stringify({ model: 'm', messages: CHAT, stream: false }, undefined, 4)],
  ['Anthropic messages', 'anthropic.json', JSON.stringify({ max_tokens: 9, system: 'Be brief.', messages: ANTHROPIC })],
  ['Anthropic messages', 'list.json', JSON.stringify(ANTHROPIC)],
  [
    'a session of Claude Code',
    'session.jsonl',
    lines([
      { type: 'summary', summary: 'About a fault', leafUuid: 'x' },
      ...ANTHROPIC.map((message, index) => ({ parentUuid: null, type: message.role, message, uuid: `u${index}` })),
    ]),
  ],
  [
    'OpenAI Responses items',
    'responses.json',
    JSON.stringify({
      input: [
        { role: 'user', content: 'Why did it fail?' },
        { type: 'function_call', call_id: 'call_1', name: 'read_log', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: LOG },
        { role: 'assistant', content: 'It did not.' },
      ],
    }),
  ],
  [
    'items of the OpenAI Agents SDK',
    'agents.jsonl',
    lines([
      { role: 'user', content: 'Why did it fail?' },
      { type: 'function_call', callId: 'call_1', name: 'read_log', arguments: '{}' },
      { type: 'function_call_result', callId: 'call_1', name: 'read_log', status: 'completed', output: LOG },
      { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'No.' }] },
    ]),
  ],
  [
    'model messages of the AI SDK',
    'ai-sdk.json',
    JSON.stringify([
      { role: 'user', content: 'Why did it fail?' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'read_log', input: {} }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'read_log', output: { type: 'text', value: LOG } }],
      },
      { role: 'assistant', content: 'It did not.' },
    ]),
  ],
  [
    'Gemini contents',
    'gemini.json',
    JSON.stringify({
      contents: [
        { role: 'user', parts: [{ text: 'Why did it fail?' }] },
        { role: 'model', parts: [{ functionCall: { name: 'read_log', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'read_log', response: { output: LOG } } }] },
        { role: 'model', parts: [{ text: 'It did not.' }] },
      ],
    }),
  ],
]

/** A session of Claude Code. */
export const SESSION: string = FILES.find(([, name]) => name === 'session.jsonl')![2]

/** A folder with a transcript, and functions that run commands in the folder. */
export interface Bench {
  readonly cwd: string
  readonly run: (...args: readonly string[]) => Promise<Ended>
  readonly text: (name: string) => string
}

/** Put a transcript into a new folder. */
export function bench(name: string, text: string): Bench {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, name), text)
  return {
    cwd,
    run: (command = '', ...args) => spillway(['history', command, ...args], { cwd }),
    text: (file) => readFileSync(join(cwd, file), 'utf8'),
  }
}

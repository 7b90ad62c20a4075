/** A message of OpenAI's Chat Completions API, with the fields that tests need. */
export interface ChatMessage {
  readonly role: string
  readonly content?: unknown
  readonly tool_call_id?: string
  readonly tool_calls?: readonly unknown[]
}

export const system = (content: string): ChatMessage => ({ role: 'system', content })
export const user = (content: string): ChatMessage => ({ role: 'user', content })
export const assistant = (content: string): ChatMessage => ({ role: 'assistant', content })

/** A message that calls one tool. */
export const call = (id: string, input: unknown = {}, name = 'read_log'): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
})

/** A message with a tool result. */
export const result = (id: string, content: unknown): ChatMessage => ({ role: 'tool', tool_call_id: id, content })

/** A call and its result. */
export const step = (id: string, content: unknown): ChatMessage[] => [call(id), result(id, content)]

/** A log with `lines` lines, of which the middle one contains `FAILED`. */
export const logOf = (name: string, lines: number): string =>
  Array.from({ length: lines }, (_, line) => `${name} line ${line} ${line === lines >> 1 ? 'FAILED' : 'ok'}`).join('\n')

/** A session with three tool results, which are logs of more than 8,000 tokens each. */
export const logSession = (): ChatMessage[] => [
  system('You help.'),
  user('Why did it fail?'),
  ...step('call_1', logOf('one', 1_200)),
  ...step('call_2', logOf('two', 1_200)),
  ...step('call_3', logOf('three', 1_200)),
]

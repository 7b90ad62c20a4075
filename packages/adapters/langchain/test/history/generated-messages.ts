import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
  ToolMessageChunk,
  type BaseMessage,
} from '@langchain/core/messages'
import fc from 'fast-check'

type Fields = Readonly<Record<string, unknown>>

/** A tool call and its result. */
interface Call {
  readonly id: string
  readonly name: string
  readonly args: Fields
  readonly result: readonly string[]
  readonly isError: boolean
  readonly form: number
}

/** One answer of a model: a text and calls. */
interface Step {
  readonly text: string
  readonly calls: readonly Call[]
  readonly form: number
}

const PNG = 'iVBORw0KGgo='
const bytes = (): Uint8Array => new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10])

const text = fc.oneof(
  fc.constantFrom('', ' ', 'ok', 'one\ntwo\nthree\n', '…🙂 "quoted" \\ </tag>', '[Offloaded: no]'),
  fc.string({ maxLength: 30 }),
)
const long = text.map((one) => Array.from({ length: 150 }, (_, line) => `${one} line ${line} of it`).join('\n'))
const someText = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: long })
const form = fc.nat({ max: 1_000_000 })
const args = fc.dictionary(fc.constantFrom('path', 'content', 'constructor'), fc.oneof(someText, fc.integer()), {
  maxKeys: 3,
  noNullPrototype: true,
})
const call = fc.record({
  name: fc.constantFrom('read', 'grep', 'run-tests'),
  args,
  result: fc.array(someText, { maxLength: 3 }),
  isError: fc.boolean(),
  form,
})
const step = fc.record({ text: someText, calls: fc.array(call, { maxLength: 3 }), form })
const turn = fc.record({ request: someText, steps: fc.array(step, { maxLength: 3 }), answer: text, form })

const choose = <Value>(bits: number, shift: number, ...values: readonly [Value, ...Value[]]): Value =>
  values[(bits >> shift) % values.length] ?? values[0]
const block = (one: string): Fields => ({ type: 'text', text: one })

/** Make conversations of LangChain agents, with messages in the form of each provider. */
export function histories(): fc.Arbitrary<BaseMessage[]> {
  return fc.record({ system: fc.option(text), turns: fc.array(turn, { maxLength: 3 }) }).map(({ system, turns }) => {
    let number = 0
    const messages: BaseMessage[] = system === null ? [] : [systemMessage(system)]
    for (const { request, steps, answer, form: bits } of turns) {
      messages.push(userMessage(request, bits))
      for (const one of steps) {
        const calls = one.calls.map((made, index) => ({ ...made, id: `call_${(number += 1)}_${index}` }))
        messages.push(modelMessage({ ...one, calls }), ...calls.map(toolMessage))
      }
      messages.push(new AIMessage({ content: choose<never>(bits, 8, answer as never, [block(answer)] as never) }))
    }
    for (const [index, message] of messages.entries())
      if (index % 3 > 0) message.id = message.lc_kwargs['id'] = `m${index}`
    return messages
  })
}

const systemMessage = (system: string): BaseMessage =>
  new SystemMessage({ content: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }] })

function userMessage(request: string, bits: number): BaseMessage {
  const image = choose<Fields>(
    bits,
    0,
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
    { type: 'image', mimeType: 'image/png', data: bytes() },
    { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    { type: 'file', mimeType: 'application/pdf', data: PNG, metadata: { filename: 'a.pdf' } },
    { type: 'hologram', beams: 3 },
  )
  const content = choose<unknown>(bits, 2, request, [block(request), image], [block(request)])
  const fields = { content: content as string, name: 'ann', additional_kwargs: { sent: true } }
  return choose<() => BaseMessage>(
    bits,
    4,
    () => new HumanMessage(request),
    () => new HumanMessage(fields),
    () => new ChatMessage({ content: request, role: 'user' }),
  )()
}

/** Write a model's answer in the form of one of the providers. */
function modelMessage({ text: said, calls, form: bits }: Step): AIMessage | AIMessageChunk {
  const tool_calls = calls.map(({ id, name, args: input }) => ({ type: 'tool_call' as const, id, name, args: input }))
  // The type of these fields depends on the type of the content, which is not known here.
  const usage_metadata = { input_tokens: 10, output_tokens: 3, total_tokens: 13 } as never
  const thought = { type: 'thinking', thinking: said, signature: 'Eq' }
  const uses = calls.map(({ id, name, args: input }) => ({ type: 'tool_use', id, name, input }))
  const streamed = calls.flatMap(({ id, name, args: input }, index) => [
    { type: 'tool_use', index: index + 1, id, name, input: '' },
    { type: 'input_json_delta', index: index + 1, input: JSON.stringify(input, null, 1) },
  ])
  const raw = calls.map(({ id, name, args: input }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(input, null, 1) },
  }))
  const output = [
    { type: 'reasoning', id: 'rs_1', summary: [] },
    ...calls.map(({ id, name, args: input }) => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: JSON.stringify(input),
    })),
  ]
  const chunks = calls.map(({ id, name, args: input }, index) => ({
    type: 'tool_call_chunk' as const,
    id,
    name,
    index,
    args: JSON.stringify(input),
  }))
  const gemini = calls.map(({ name, args: input }) => ({
    type: 'functionCall',
    functionCall: { name, args: input },
    thoughtSignature: 'Eq',
  }))
  const search = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } }
  const anthropic = (blocks: readonly Fields[]): never => [thought, block(said), search, ...blocks] as never
  return choose<() => AIMessage | AIMessageChunk>(
    bits,
    0,
    () => new AIMessage({ content: said, tool_calls, usage_metadata, response_metadata: { finish: undefined } }),
    () => new AIMessage({ content: anthropic(uses), tool_calls }),
    () => new AIMessage({ content: said, tool_calls, additional_kwargs: { tool_calls: raw } }),
    () => new AIMessage({ content: [block(said)] as never, tool_calls, response_metadata: { output, id: 'resp_1' } }),
    () => new AIMessage({ contentBlocks: [block(said), ...tool_calls] as never, tool_calls }),
    () => new AIMessage({ content: [block(said), ...gemini] as never, tool_calls }),
    () => new AIMessageChunk({ content: said, tool_call_chunks: chunks, usage_metadata }),
    () => new AIMessageChunk({ content: anthropic(streamed), tool_call_chunks: chunks }),
    () => new AIMessage({ content: anthropic(streamed), tool_calls, invalid_tool_calls: [{ id: 'bad', args: '{' }] }),
  )()
}

function toolMessage({ id, name, result, isError, form: bits }: Call): BaseMessage {
  const media = choose<Fields>(
    bits,
    0,
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
    { type: 'image', mimeType: 'image/png', data: bytes() },
    { type: 'file', mimeType: 'application/pdf', url: 'https://example.com/a.pdf' },
    { type: 'search_result', title: 'a', source: 'b', content: result.map(block) },
    { type: 'unknown_block', of: { what: 1 } },
  )
  const blocks = [...result.map((one) => ({ ...block(one), cache_control: { type: 'ephemeral' } })), media]
  const rows = result.map((one, row) => ({ row, one }))
  const content = choose<unknown>(bits, 3, result.join('\n'), blocks, result.map(block), rows)
  const status = isError ? 'error' : 'success'
  const rest = { artifact: { at: new Date(0), raw: bytes() }, metadata: { took: 3 } }
  return choose<() => BaseMessage>(
    bits,
    6,
    () => new ToolMessage({ content: content as string, tool_call_id: id, name, status, ...rest }),
    () => new ToolMessage({ content: content as string, tool_call_id: id }),
    () => new ToolMessageChunk({ content: content as string, tool_call_id: id, status }),
  )()
}

/** Messages that no agent has in its prompt. */
export const oddMessages = (): BaseMessage[] => [
  new RemoveMessage({ id: 'm1' }),
  new ChatMessage({ content: 'Be brief.', role: 'developer' }),
  new ToolMessage({
    content: 'data:image/png;base64,AAAA',
    tool_call_id: 'screen',
    additional_kwargs: { type: 'computer_call_output' },
  }),
]

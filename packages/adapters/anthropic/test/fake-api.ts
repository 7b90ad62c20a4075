import type { ModelTurn } from '@spillway-internal/adapter-suite'
import type Anthropic from '@anthropic-ai/sdk'

/** A request as the model gets it. For a thread, it has all messages that the provider stores. */
export interface ModelRequest {
  readonly messages: readonly Anthropic.Beta.BetaMessageParam[]
  readonly tools: readonly { readonly name: string; readonly input_schema?: unknown }[]
  readonly system?: Anthropic.Beta.MessageCreateParams['system']
}

interface Body extends Partial<ModelRequest> {
  readonly stream?: boolean
  readonly thread?: { readonly type: 'create' } | { readonly type: 'continue'; readonly previous_message_id: string }
}

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

type Block = Readonly<Record<string, unknown>> & { readonly type: string }

/**
 * Make a `fetch` for the SDK's client that speaks the Messages API, streaming or not, with message threads.
 *
 * Like the API, it stores the messages of a thread by the id of its latest reply, and refuses a tool call without a
 * result right after it.
 */
export function fakeApi(turn: (request: ModelRequest) => ModelTurn): Fetch {
  const threads = new Map<string, ModelRequest>()
  let replies = 0
  return async (url, init) => {
    const sent = new Request(url, init)
    sent.signal.throwIfAborted()
    if (new URL(sent.url).pathname !== '/v1/messages') return refuse(404, `There is no ${sent.url}.`)
    // The SDK sends the given parameters unchanged.
    const { thread, stream = false, ...body } = (await sent.json()) as Body
    const none: ModelRequest = { messages: [], tools: [] }
    const held = thread?.type === 'continue' ? threads.get(thread.previous_message_id) : none
    if (held === undefined) return refuse(404, 'There is no such thread.')
    const messages = [...held.messages, ...(body.messages ?? [])]
    const request: ModelRequest = { messages, tools: body.tools ?? held.tools, system: body.system ?? held.system }
    const unanswered = findUnanswered(request.messages)
    if (unanswered !== undefined) return refuse(400, `The tool call ${unanswered} has no result right after it.`)
    const answer = turn(request)
    const content = contentOf(answer)
    const id = `msg_${(replies += 1)}`
    if (thread !== undefined) threads.set(id, { ...request, messages: [...messages, replyOf(content)] })
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model: 'fake-model',
      content,
      stop_reason: 'text' in answer ? 'end_turn' : 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    return stream ? streamed(message) : Response.json(message)
  }
}

function replyOf(content: readonly Block[]): Anthropic.Beta.BetaMessageParam {
  return { role: 'assistant', content: content as unknown as Anthropic.Beta.BetaContentBlockParam[] }
}

function contentOf(answer: ModelTurn): readonly Block[] {
  if ('text' in answer) return [{ type: 'text', text: answer.text }]
  return answer.toolCalls.flatMap(({ id, name, input, providerResult, ...rest }): Block[] => {
    if (providerResult === undefined) return [{ type: 'tool_use', id, name, input, ...rest }]
    const found = { type: 'web_search_result', title: 'A page', url: 'https://example.com', page_age: null }
    const encrypted = { ...found, encrypted_content: JSON.stringify(providerResult) }
    return [
      { type: 'server_tool_use', id, name, input },
      { type: 'web_search_tool_result', tool_use_id: id, content: [encrypted] },
    ]
  })
}

/** Return the id of a tool call whose result is not in the next message. */
function findUnanswered(messages: ModelRequest['messages']): string | undefined {
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'assistant' || typeof content === 'string') continue
    const next = messages[index + 1]?.content
    const answered = Array.isArray(next)
      ? next.flatMap((block) => (block.type === 'tool_result' ? block.tool_use_id : []))
      : []
    for (const block of content) if (block.type === 'tool_use' && !answered.includes(block.id)) return block.id
  }
  return undefined
}

function refuse(status: number, message: string): Response {
  return Response.json({ type: 'error', error: { type: 'invalid_request_error', message } }, { status })
}

/** Send a message as server-sent events, with texts and inputs in two chunks. */
function streamed(message: { readonly content: readonly Block[]; readonly stop_reason: string }): Response {
  const { content, stop_reason } = message
  const events: Block[] = [{ type: 'message_start', message: { ...message, content: [], stop_reason: null } }]
  for (const [index, block] of content.entries()) {
    const start = { ...block, ...('input' in block && { input: {} }), ...('text' in block && { text: '' }) }
    events.push({ type: 'content_block_start', index, content_block: start })
    for (const delta of deltasOf(block)) events.push({ type: 'content_block_delta', index, delta })
    events.push({ type: 'content_block_stop', index })
  }
  const usage = { output_tokens: 1 }
  events.push({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }, { type: 'message_stop' })
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

function deltasOf({ text, input }: Block): readonly object[] {
  if (typeof text === 'string') return inTwo(text).map((piece) => ({ type: 'text_delta', text: piece }))
  if (input === undefined) return []
  return inTwo(JSON.stringify(input)).map((piece) => ({ type: 'input_json_delta', partial_json: piece }))
}

function inTwo(text: string): readonly string[] {
  const middle = Math.floor(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}

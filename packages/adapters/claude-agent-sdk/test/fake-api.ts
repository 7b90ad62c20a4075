import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ModelTurn } from '@spillway-internal/adapter-suite'

/** A content block of the Messages API. */
export type ApiBlock = Readonly<Record<string, unknown>> & { readonly type: string }

/** A request as the model gets it. */
export interface ApiRequest {
  readonly messages: readonly { readonly role: string; readonly content: string | readonly ApiBlock[] }[]
  readonly tools?: readonly { readonly name: string; readonly input_schema?: unknown }[]
}

/** A server on the loopback interface with the parts of the Messages API that Claude Code needs. */
export interface FakeApi {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Start the server. `turn` is the model. An error that it throws fails the request without a retry. */
export async function startFakeApi(turn: (request: ApiRequest) => ModelTurn): Promise<FakeApi> {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => (body += piece))
    request.on('end', () => {
      if (new URL(request.url ?? '', 'http://localhost').pathname !== '/v1/messages')
        return refuse(response, 404, `There is no ${request.url}.`)
      try {
        stream(response, turn(JSON.parse(body) as ApiRequest))
      } catch (error) {
        // After any error, the run must end and not try again.
        refuse(response, 400, error instanceof Error ? (error.stack ?? error.message) : String(error))
      }
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }))
}

let replies = 0

/** Send a turn as server-sent events. */
function stream(response: ServerResponse, turn: ModelTurn): void {
  const send = (type: string, data: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  const blocks: readonly ApiBlock[] =
    'text' in turn
      ? [{ type: 'text', text: turn.text }]
      : turn.toolCalls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const message = { id: `msg_${(replies += 1)}`, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' }
  send('message_start', { message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage } })
  for (const [index, block] of blocks.entries()) {
    const { text, input, ...start } = block
    const isText = typeof text === 'string'
    send('content_block_start', { index, content_block: { ...start, ...(isText ? { text: '' } : { input: {} }) } })
    const delta = isText
      ? { type: 'text_delta', text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(input) }
    send('content_block_delta', { index, delta })
    send('content_block_stop', { index })
  }
  const stop_reason = 'text' in turn ? 'end_turn' : 'tool_use'
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } })
  send('message_stop', {})
  response.end()
}

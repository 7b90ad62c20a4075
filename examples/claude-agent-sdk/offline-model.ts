import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A content block of a message, with the fields that are read here. */
export interface Block {
  readonly type: string
  readonly text?: string
  readonly content?: string | readonly Block[]
}

/** A model on this machine that replaces Anthropic's API. */
export interface OfflineModel {
  readonly url: string
  readonly close: () => void
}

/** The action of the model in one call: it calls a tool, or ends with a text. */
export type Turn = { readonly name: string; readonly input: object } | string

/** Start a model that follows a script. The script gets everything that the model has seen so far. */
export async function startOfflineModel(script: (call: number, seen: string) => Turn): Promise<OfflineModel> {
  let calls = 0
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece))
    request.on('end', () => {
      if (!/^\/v1\/messages(?:\?|$)/.test(request.url ?? '')) return response.writeHead(404).end()
      const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly content: string | Block[] }[] }
      const turn = script(calls, messages.map(({ content }) => textOf(content)).join('\n'))
      calls += 1
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const [type, data] of eventsOf(turn, calls))
        response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
      return response.end()
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Return the text of a message, including tool results. */
export function textOf(content: string | readonly Block[] = ''): string {
  if (typeof content === 'string') return content
  return content.map(({ text, content: inner }) => text ?? textOf(inner)).join('\n')
}

function eventsOf(turn: Turn, call: number): readonly (readonly [type: string, data: object])[] {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: `msg_${call}`, type: 'message', role: 'assistant', model: 'offline', content: [], usage }
  const [block, delta] =
    typeof turn === 'string'
      ? [
          { type: 'text', text: '' },
          { type: 'text_delta', text: turn },
        ]
      : [
          { type: 'tool_use', id: `call_${call}`, name: turn.name, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(turn.input) },
        ]
  const stop_reason = typeof turn === 'string' ? 'end_turn' : 'tool_use'
  return [
    ['message_start', { message: { ...message, stop_reason: null, stop_sequence: null } }],
    ['content_block_start', { index: 0, content_block: block }],
    ['content_block_delta', { index: 0, delta }],
    ['content_block_stop', { index: 0 }],
    ['message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } }],
    ['message_stop', {}],
  ]
}

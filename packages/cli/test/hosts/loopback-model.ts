import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A scripted model. Gets the results of all calls so far, and returns the next shell command; `undefined` ends. */
export type Turn = (results: readonly string[]) => string | undefined

interface Message {
  readonly type?: string
  readonly role?: string
  readonly output?: string
  readonly content?: unknown
  readonly parts?: readonly { readonly functionResponse?: { readonly response: Readonly<Record<string, string>> } }[]
}

interface Body {
  readonly input?: readonly Message[]
  readonly contents?: readonly Message[]
  readonly messages?: readonly Message[]
  readonly tools?: readonly unknown[]
}

/** Start a model on this machine that speaks the APIs of OpenAI and Gemini. It ends with the test. */
export async function startLoopbackModel(turn: Turn): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Body
      const url = request.url ?? ''
      // A request without tools asks for a title of the conversation.
      const next = (results: readonly (string | undefined)[]): string | undefined =>
        body.tools === undefined ? undefined : turn(results.filter((result) => result !== undefined))
      if (url.includes('/responses')) answerResponses(response, next((body.input ?? []).map(({ output }) => output)))
      else if (url.includes('streamGenerateContent')) answerGemini(response, next(geminiResults(body)))
      else if (url.includes('/chat/completions'))
        answerChat(
          response,
          next((body.messages ?? []).flatMap(({ role, content }) => (role === 'tool' ? String(content) : []))),
        )
      else response.writeHead(404).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const geminiResults = ({ contents = [] }: Body): (string | undefined)[] =>
  contents.flatMap(({ parts = [] }) =>
    parts.map(({ functionResponse }) => functionResponse?.response['error'] ?? functionResponse?.response['output']),
  )

function send(response: ServerResponse, events: readonly (object | string)[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
  response.end()
}

let calls = 0

function answerResponses(response: ServerResponse, command: string | undefined): void {
  const id = `item_${(calls += 1)}`
  const item =
    command === undefined
      ? { type: 'message', role: 'assistant', id, content: [{ type: 'output_text', text: 'done' }] }
      : { type: 'function_call', id, call_id: id, name: 'exec_command', arguments: JSON.stringify({ cmd: command }) }
  const usage = {
    input_tokens: 1,
    input_tokens_details: null,
    output_tokens: 1,
    output_tokens_details: null,
    total_tokens: 2,
  }
  send(response, [
    { type: 'response.created', response: { id } },
    { type: 'response.output_item.done', item },
    { type: 'response.completed', response: { id, usage } },
  ])
}

function answerGemini(response: ServerResponse, command: string | undefined): void {
  const part =
    command === undefined ? { text: 'done' } : { functionCall: { name: 'run_shell_command', args: { command } } }
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
  const content = { role: 'model', parts: [part] }
  send(response, [{ candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata }])
}

function answerChat(response: ServerResponse, command: string | undefined): void {
  const id = `call_${(calls += 1)}`
  const call = { name: 'bash', arguments: JSON.stringify({ command, description: 'run' }) }
  const delta =
    command === undefined
      ? { role: 'assistant', content: 'done' }
      : { role: 'assistant', tool_calls: [{ index: 0, id, type: 'function', function: call }] }
  const finish_reason = command === undefined ? 'stop' : 'tool_calls'
  const chunk = { id, object: 'chat.completion.chunk', created: 1, model: 'm' }
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  send(response, [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
    '[DONE]',
  ])
}

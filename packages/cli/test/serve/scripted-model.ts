import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request that the model received. */
export interface AskedModel {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: { readonly model: string; readonly messages: readonly { role: string; content: string }[] }
}

/** A model server with an API like OpenAI's, whose answers are given in advance. */
export interface ScriptedModel {
  readonly baseUrl: string
  readonly asked: readonly AskedModel[]
}

/** A function that answers one request. */
export type ScriptedAnswer = (response: ServerResponse, request: IncomingMessage) => void

/** A summary in the format that histories accept. */
export const SNAPSHOT =
  '<state_snapshot><overall_goal>Research AI papers</overall_goal><key_knowledge>20 papers were found</key_knowledge></state_snapshot>'

/** Return a function that answers with a message of the model. */
export const say =
  (content: unknown): ScriptedAnswer =>
  (response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content } }] }))
  }

/** Return a function that answers with an HTTP status. */
export const refuse =
  (status: number, headers: Record<string, string> = {}): ScriptedAnswer =>
  (response) => {
    response.writeHead(status, headers).end('{"error":{"message":"a secret of the model"}}')
  }

/** Start a model that gives these answers in order, and repeats the last one. It ends with the test. */
export async function scriptedModel(...answers: readonly ScriptedAnswer[]): Promise<ScriptedModel> {
  const asked: AskedModel[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as AskedModel['body']
      asked.push({ path: request.url ?? '', authorization: request.headers.authorization, body })
      ;(answers[asked.length - 1] ?? answers.at(-1) ?? say(SNAPSHOT))(response, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked }
}

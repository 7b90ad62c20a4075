import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askModel } from './ask-model.ts'
import { generatedCases } from './cases/generated-cases.ts'
import { shellSystems } from './systems/shell-system.ts'
import { spillwaySystem } from './systems/spillway-system.ts'
import { strandsSystem } from './systems/strands-system.ts'

const COMMAND = fileURLToPath(new URL('run-model.ts', import.meta.url))

interface ChatRequest {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string | null }[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
}

const requests: { readonly body: ChatRequest; readonly authorization: string | undefined }[] = []
let server: Server
let status = 200
/** The scripted answers of the endpoint, in order. */
let script: ((request: ChatRequest) => { name: string; input: object } | string)[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest
      requests.push({ body, authorization: request.headers.authorization })
      const said = script.shift()?.(body) ?? 'ANSWER: nothing'
      const message =
        typeof said === 'string'
          ? { role: 'assistant', content: said }
          : {
              role: 'assistant',
              content: null,
              tool_calls: [
                {
                  id: 'call_9',
                  type: 'function',
                  function: { name: said.name, arguments: JSON.stringify(said.input) },
                },
              ],
            }
      response.statusCode = status
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ choices: [{ message }], usage: { prompt_tokens: 100, completion_tokens: 5 } }))
    })
  })
  // On a busy machine, a connection may be idle for longer than servers usually keep connections open.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

afterAll(() => new Promise((resolve) => server.close(resolve)))

const endpoint = () => ({
  baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
  model: 'stub',
  apiKey: 'key-1',
})

const question = () => {
  const found = generatedCases(3, 1).find(({ kind }) => kind === 'json-sibling')
  if (found === undefined) throw new Error('There is no case.')
  return found
}

test('a model can call the tools of the system, and its tokens are counted', async () => {
  const one = question()
  const session = await spillwaySystem('test').open(
    one.results[0] ?? { text: '', contentType: '', toolName: '' },
    one.question,
  )
  if (one.asks.form !== 'sibling') throw new Error('The case asks for something else.')
  const call = session.plan({ want: 'sibling', ...one.asks })
  script = [
    () => ({ name: call?.tool ?? '', input: call?.input ?? {} }),
    ({ messages }) => `It is there.\nANSWER: ${/: "([^"]*)"$/m.exec(messages.at(-1)?.content ?? '')?.[1]}`,
  ]
  requests.length = 0
  const outcome = await askModel(one, spillwaySystem('test'), endpoint())
  expect(outcome).toMatchObject({ answer: one.answer, right: true, calls: 1, promptTokens: 200, completionTokens: 10 })
  expect(requests[0]?.authorization).toBe('Bearer key-1')
  expect(requests[0]?.body.tools?.map((tool) => tool.function.name)).toEqual(['retrieve_offloaded_content'])
})

test('a wrong answer is counted as wrong', async () => {
  script = [() => 'ANSWER: 42']
  expect(await askModel(question(), spillwaySystem('test'), endpoint())).toMatchObject({ right: false, answer: '42' })
})

test('a model that does not stop must answer after twelve calls', async () => {
  const [shell] = shellSystems
  if (shell === undefined) throw new Error('There is no shell.')
  script = Array.from({ length: 12 }, () => () => ({ name: 'bash', input: { command: 'echo more' } }))
  script.push(() => 'ANSWER: unknown')
  requests.length = 0
  expect(await askModel(question(), shell, endpoint())).toMatchObject({ calls: 12, right: false })
  expect(requests.at(-1)?.body.tools).toBeUndefined()
})

test('a model gets the reason why its call failed', async () => {
  script = [() => ({ name: 'retrieve_offloaded_content', input: { pattern: 'error' } }), () => 'ANSWER: unknown']
  requests.length = 0
  expect(await askModel(question(), strandsSystem('test'), endpoint())).toMatchObject({ calls: 1, right: false })
  expect(requests.at(-1)?.body.messages.at(-1)?.content).toMatch(/^Error: .*reference/s)
})

test('an error of the endpoint has its HTTP status', async () => {
  status = 401
  await expect(askModel(question(), spillwaySystem('test'), endpoint())).rejects.toThrow('answered 401')
  status = 200
})

test('the command uses the model that the environment names, and saves every answer', async () => {
  const out = await mkdtemp(join(tmpdir(), 'answer-model-'))
  const { baseUrl, model } = endpoint()
  const args = [
    '--generated',
    '1',
    '--kind',
    'json-sibling',
    '--systems',
    'Spillway,codex',
    '--repeats',
    '1',
    '--out',
    out,
  ]
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, ...args], {
    env: { ...process.env, ANSWER_BASE_URL: baseUrl, ANSWER_MODEL: model },
  })
  expect(stdout).toContain('| json-sibling | Spillway | 1 | 0 % | 0.0 | 100 | 0 | 5 |')
  expect(stdout).toContain('| json-sibling | codex | 1 | 0 % | 0.0 | 100 | 0 | 5 |')
  const kept = (await readFile(join(out, 'stub.jsonl'), 'utf8')).trim().split('\n')
  expect(kept.map((line) => (JSON.parse(line) as { answer: string }).answer)).toEqual(['nothing', 'nothing'])
  await rm(out, { recursive: true })
})

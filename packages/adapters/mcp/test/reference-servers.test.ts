/** Runs the servers of the protocol's authors as real processes, and compares clients with and without a proxy. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  EmptyResultSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { isFull } from '@spillway-internal/test-run'
import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Message, ServerCommand } from '../src/proxy/index.ts'
import { fieldsOf } from '../src/relay/message.ts'
import { listRetrievalTool, listServerTool } from '../src/relay/offload-relay.ts'
import { connectProcess, type ProcessClient, type ProcessClientOptions } from './client-of-process.ts'
import { referenceServer } from './reference-servers.ts'

type Arguments = Record<string, unknown>
/** A tool call: the name of the tool, and its input. */
type ToolCall = readonly [name: string, input?: Arguments]

const LOG = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}: all is well`).join('\n')
/** A limit above every result of these tests. */
const UNLIMITED = 1_000_000

const newOffloader = (maxResultTokens?: number): ContextOffloader =>
  new ContextOffloader({ storage: new InMemoryStorage(), ...(maxResultTokens !== undefined && { maxResultTokens }) })

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'spillway-mcp-'))
})
afterAll(async () => {
  await Promise.all(closing)
  await rm(directory, { recursive: true, force: true })
})

/** Servers that are still ending while the next test runs. */
const closing: Promise<void>[] = []

/** Let the client answer every kind of server request. */
function prepare(client: Client): void {
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
    model: 'a-model',
    role: 'assistant',
    content: { type: 'text', text: `an answer to ${params.messages.length} messages` },
  }))
  client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
    params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'Ada', check: true } },
  )
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: [{ uri: pathToFileURL(directory).href, name: 'root' }],
  }))
}

/** A client that can answer every request of the server "everything". The server "filesystem" would use its roots. */
const ABLE: ProcessClientOptions = {
  client: { capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } } },
  prepare,
}

const connect = (
  server: ServerCommand,
  offloader?: ContextOffloader,
  options: ProcessClientOptions = {},
): Promise<ProcessClient> => connectProcess(server, offloader && { offloader }, options)

type Side = 'direct' | 'proxied'
type Pair = Readonly<Record<Side, ProcessClient>>

/** Connect two clients, each with its own server: one through a proxy, and one directly. */
async function connectBoth(serverOf: (side: Side) => ServerCommand, options: ProcessClientOptions = {}): Promise<Pair> {
  const [direct, proxied] = await Promise.all([
    connect(serverOf('direct'), undefined, options),
    connect(serverOf('proxied'), newOffloader(UNLIMITED), options),
  ])
  return { direct, proxied }
}

/** Run the same function with and without a proxy. */
async function both<Result>(
  pair: Pair,
  script: (process: ProcessClient, side: Side) => Promise<Result>,
): Promise<Readonly<Record<Side, Result>>> {
  const run = async (side: Side): Promise<Result> => {
    const result = await script(pair[side], side)
    assertPassedOn(pair[side])
    return result
  }
  const [direct, proxied] = await Promise.all([run('direct'), run('proxied')])
  return { direct, proxied }
}

const closeBoth = ({ direct, proxied }: Pair): void => void closing.push(direct.close(), proxied.close())

/** Check that every message except the list of tools arrived unchanged and in order. */
function assertPassedOn({ atClient, atServer, errors }: ProcessClient): void {
  const isToolList = ({ result }: Message): boolean => 'tools' in fieldsOf(result)
  const others = (messages: readonly Message[]): readonly Message[] =>
    messages.filter((message) => !isToolList(message))
  expect(atServer.fromClient).toEqual(atClient.fromClient)
  expect(others(atClient.fromServer)).toEqual(others(atServer.fromServer))
  expect(atClient.fromServer.map(({ id, method }) => ({ id, method }))).toEqual(
    atServer.fromServer.map(({ id, method }) => ({ id, method })),
  )
  expect(errors).toEqual([])
}

/** Call tools one after the other. Return their results or errors, and the reported progress. */
async function callAll({ client, atClient }: ProcessClient, calls: readonly ToolCall[]): Promise<unknown> {
  const results: unknown[] = []
  const before = atClient.fromServer.length
  for (const [name, input = {}] of calls) {
    const options = { onprogress: () => {} }
    results.push({
      name,
      result: await client.callTool({ name, arguments: input }, undefined, options).catch(describeError),
    })
  }
  // Read the recording, because the client's handlers miss notifications right before a result.
  const progress = atClient.fromServer.slice(before).filter(({ method }) => method === 'notifications/progress')
  return { results, progress }
}

const describeError = (error: unknown): unknown => {
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown }
  return { code, message, data }
}

/** Replace values that differ in each run: times, dates, random ids, and the folder. */
function normalised(value: unknown, folder = directory): unknown {
  // Some blobs contain a time.
  const readable = (key: string, item: unknown): unknown =>
    key === 'blob' ? Buffer.from(String(item), 'base64').toString('latin1') : item
  const text = JSON.stringify(value, readable)
    .replaceAll(folder, '<folder>')
    .replaceAll(/\w{3} \w{3} \d{2} \d{4} \d{2}:\d{2}:\d{2} GMT[+-]\d{4} \([^)]*\)/g, '<date>')
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g, '<date>')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\b\d{1,2}:\d{2}:\d{2}(?: [AP]M)?/g, '<time>')
  return JSON.parse(text) as unknown
}

async function toolsOf({ client }: ProcessClient): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name)
}

const textIn = (result: unknown): string =>
  ((fieldsOf(result)['content'] ?? []) as { text?: string }[]).map(({ text = '' }) => text).join('\n')
const referenceIn = (result: unknown): string =>
  /^ {2}([a-z0-9_]+) \(/m.exec(textIn(result).split('[Stored references:]').at(-1) ?? '')?.[1] ?? 'none'

const EVERYTHING: readonly ToolCall[] = [
  ['echo', { message: 'hello 👩‍👩‍👧 \u2028' }],
  ['get-annotated-message', { messageType: 'error', includeImage: true }],
  ['get-env'],
  ['get-resource-links', { count: 4 }],
  ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
  ['get-resource-reference', { resourceType: 'Blob', resourceId: 2 }],
  ['get-structured-content', { location: 'Chicago' }],
  ['get-sum', { a: 1, b: 2 }],
  ['get-sum', { a: 'one' }],
  ['get-tiny-image'],
  ['gzip-file-as-resource', { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resource' }],
  ['gzip-file-as-resource', { name: 'b.gz', data: 'data:text/plain,hello' }],
  ['toggle-subscriber-updates'],
  ['toggle-subscriber-updates'],
  ['trigger-long-running-operation', { duration: 0.2, steps: 4 }],
  ['get-roots-list'],
  ['trigger-elicitation-request'],
  ['trigger-url-elicitation', { url: 'https://example.com/', elicitationId: 'elicitation-1' }],
  ['trigger-url-elicitation', { url: 'https://example.com/', elicitationId: 'elicitation-2', errorPath: true }],
  ['trigger-sampling-request', { prompt: 'hello' }],
  ['no-such-tool'],
]
/** Tools that other tests call, because they run as tasks or send random messages. */
const CALLED_ELSEWHERE = ['simulate-research-query', 'toggle-simulated-logging']

const FILES: readonly ToolCall[] = [
  ['list_allowed_directories'],
  ['create_directory', { path: 'sub' }],
  ['write_file', { path: 'sub/a.txt', content: 'one\ntwo\r\nthree 👩‍👩‍👧\n' }],
  ['edit_file', { path: 'sub/a.txt', edits: [{ oldText: 'two', newText: '2' }], dryRun: true }],
  ['edit_file', { path: 'sub/a.txt', edits: [{ oldText: 'two', newText: '2' }] }],
  ['read_file', { path: 'sub/a.txt' }],
  ['read_text_file', { path: 'sub/a.txt', head: 1 }],
  ['read_text_file', { path: 'sub/a.txt', tail: 1 }],
  ['read_multiple_files', { paths: ['sub/a.txt', 'missing.txt'] }],
  ['read_media_file', { path: 'dot.png' }],
  ['list_directory', { path: '.' }],
  ['list_directory_with_sizes', { path: '.', sortBy: 'size' }],
  ['directory_tree', { path: '.' }],
  ['move_file', { source: 'sub/a.txt', destination: 'sub/b.txt' }],
  ['search_files', { path: '.', pattern: '**/*.txt' }],
  ['get_file_info', { path: 'sub/b.txt' }],
  ['read_text_file', { path: 'missing.txt' }],
  ['read_text_file', { path: '/etc/passwd' }],
  ['read_text_file', {}],
]

const GRAPH: readonly ToolCall[] = [
  [
    'create_entities',
    { entities: ['Ada', 'Bob'].map((name) => ({ name, entityType: 'person', observations: ['likes tea'] })) },
  ],
  ['create_relations', { relations: [{ from: 'Ada', to: 'Bob', relationType: 'knows' }] }],
  ['add_observations', { observations: [{ entityName: 'Ada', contents: ['wrote the first program'] }] }],
  ['add_observations', { observations: [{ entityName: 'Nobody', contents: ['x'] }] }],
  ['read_graph'],
  ['search_nodes', { query: 'program' }],
  ['open_nodes', { names: ['Bob', 'Nobody'] }],
  ['delete_observations', { deletions: [{ entityName: 'Ada', observations: ['likes tea'] }] }],
  ['delete_relations', { relations: [{ from: 'Ada', to: 'Bob', relationType: 'knows' }] }],
  ['delete_entities', { entityNames: ['Bob'] }],
  ['read_graph'],
]

describe('results below the limit', () => {
  it('are returned unchanged by every tool of the server "filesystem"', async () => {
    const folders = { direct: join(directory, 'a'), proxied: join(directory, 'b') }
    for (const folder of Object.values(folders)) {
      await mkdir(folder)
      await writeFile(join(folder, 'dot.png'), Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64'))
    }
    const pair = await connectBoth((side) => referenceServer('filesystem', [folders[side]]))
    const { direct, proxied } = await both(pair, async (process, side) => {
      const inFolder = (value: unknown): unknown =>
        typeof value === 'string' && !value.startsWith('/') ? join(folders[side], value) : value
      const calls = FILES.map(([name, input = {}]): ToolCall => {
        const paths = Object.entries(input).filter(([key]) => ['path', 'source', 'destination', 'paths'].includes(key))
        const absolute = paths.map(([key, value]) => [
          key,
          Array.isArray(value) ? value.map(inFolder) : inFolder(value),
        ])
        return [name, { ...input, ...(Object.fromEntries(absolute) as Arguments) }]
      })
      const tools = await toolsOf(process)
      return { tools, results: normalised(await callAll(process, calls), folders[side]) }
    })
    closeBoth(pair)
    expect(direct.tools.filter((name) => !FILES.some(([called]) => called === name))).toEqual([])
    expect(proxied.results).toEqual(direct.results)
  })

  // The code path is the same as for the server "filesystem".
  it.runIf(isFull)('are returned unchanged by every tool of the server "memory" [full verification]', async () => {
    const pair = await connectBoth((side) =>
      referenceServer('memory', [], { MEMORY_FILE_PATH: join(directory, `${side}.jsonl`) }),
    )
    const { direct, proxied } = await both(pair, async (process) => ({
      tools: await toolsOf(process),
      results: await callAll(process, GRAPH),
    }))
    closeBoth(pair)
    expect(direct.tools.filter((name) => !GRAPH.some(([called]) => called === name))).toEqual([])
    expect(proxied.results).toEqual(direct.results)
  })
})

describe('a proxy before the server "everything"', () => {
  let pair: Pair
  beforeAll(async () => {
    pair = await connectBoth(() => referenceServer('everything'), ABLE)
  })
  afterAll(() => closeBoth(pair))

  it('passes on small results of every tool, its requests, and its progress', async () => {
    const { direct, proxied } = await both(pair, async (process) => {
      const tools = await toolsOf(process)
      return { tools, results: normalised(await callAll(process, EVERYTHING)) }
    })
    const called = new Set([...EVERYTHING.map(([name]) => name), ...CALLED_ELSEWHERE])
    // The server lists its tools again after the client has reported that it is initialized.
    expect(direct.tools.filter((name) => !called.has(name))).toEqual([])
    expect(proxied.tools).toEqual([...direct.tools, RETRIEVAL_TOOL_NAME])
    expect(proxied.results).toEqual(direct.results)
  })

  it('passes on log messages, one of which the server sends at once', async () => {
    const { direct, proxied } = await both(pair, async (process) => {
      const { fromServer } = process.atClient
      const before = fromServer.length
      const results = await callAll(process, [['toggle-simulated-logging'], ['toggle-simulated-logging']])
      const messages = fromServer.slice(before).filter(({ method }) => method === 'notifications/message')
      return { results, messages: messages.length }
    })
    expect(proxied.results).toEqual(direct.results)
    expect(proxied.messages).toBeGreaterThan(0)
  })

  it('passes on tasks, and their questions to the user', async () => {
    const { direct, proxied } = await both(pair, async ({ client }) => {
      await client.listTools()
      const call = { name: 'simulate-research-query', arguments: { topic: 'python', ambiguous: true } }
      const messages = []
      for await (const message of client.experimental.tasks.callToolStream(call)) messages.push(message)
      const [first, last] = [messages[0], messages.at(-1)]
      return { first: first?.type, last: last?.type === 'result' ? textIn(last.result) : last }
    })
    expect(direct.last).toContain('# Research Report: python')
    expect(proxied).toEqual(direct)
  })

  // This test is last, because the server continues the canceled call.
  it('passes on resources, prompts, completions, logging, subscriptions, pings, cancellation, and unknown methods', async () => {
    const { direct, proxied } = await both(pair, async ({ client }) => {
      const uri = 'demo://resource/dynamic/text/1'
      const answers: unknown[] = [
        client.getServerCapabilities(),
        client.getInstructions(),
        client.getServerVersion(),
        await client.setLoggingLevel('debug'),
        await client.listResources(),
        await client.listResourceTemplates(),
        await client.readResource({ uri }),
        await client.readResource({ uri: 'demo://no/such' }).catch(describeError),
        await client.subscribeResource({ uri }),
        await client.unsubscribeResource({ uri }),
        await client.listPrompts(),
        await client.getPrompt({ name: 'simple-prompt' }),
        await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Paris' } }).catch(describeError),
        await client.getPrompt({ name: 'no-such-prompt' }).catch(describeError),
        await client.complete({
          ref: { type: 'ref/prompt', name: 'completable-prompt' },
          argument: { name: 'department', value: 'E' },
        }),
        await client.ping(),
        await client.request({ method: 'no/such/method', params: { a: [1] } }, z.looseObject({})).catch(describeError),
      ]
      await client.notification({ method: 'notifications/no_such_thing', params: { a: 1 } } as never)
      await client.sendRootsListChanged()
      const controller = new AbortController()
      const call = { name: 'trigger-long-running-operation', arguments: { duration: 30, steps: 300 } }
      const cancelled = client.callTool(call, undefined, {
        signal: controller.signal,
        onprogress: () => controller.abort('enough'),
      })
      answers.push(await cancelled.catch(describeError))
      answers.push(await client.request({ method: 'ping' }, EmptyResultSchema))
      return normalised(answers)
    })
    expect(proxied).toEqual(direct)
  })
})

describe('results over the limit', () => {
  const offloader = newOffloader()
  let process: ProcessClient
  beforeAll(async () => {
    process = await connect(referenceServer('filesystem', [directory]), offloader)
  })
  afterAll(() => void closing.push(process.close()))

  it('are returned by tools that are listed without output schemas, before the retrieval tool', async () => {
    await process.client.listTools()
    const listOf = (messages: readonly Message[]): readonly unknown[] =>
      messages.flatMap(({ result }) => (fieldsOf(result)['tools'] ?? []) as readonly unknown[])
    const [shown, own] = [listOf(process.atClient.fromServer), listOf(process.atServer.fromServer)]
    const expected = [
      ...own.map((tool) => listServerTool(offloader, tool)),
      listRetrievalTool(offloader, RETRIEVAL_TOOL_NAME),
    ]
    expect(shown).toEqual(JSON.parse(JSON.stringify(expected)))
    expect(JSON.stringify(own)).toContain('outputSchema')
    expect(JSON.stringify(shown)).not.toContain('outputSchema')
  })

  it('become a preview and a reference that the retrieval tool can read', async () => {
    const path = join(directory, 'large.log')
    await writeFile(path, LOG)
    const image = Buffer.alloc(1_500_000, 7)
    image.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    await writeFile(join(directory, 'large.png'), image)
    const { client, atServer } = process
    await client.listTools()
    const stored = async (result: unknown): Promise<Buffer> =>
      Buffer.from((await offloader.options.storage.retrieve(referenceIn(result))).content)

    const text = await client.callTool({ name: 'read_text_file', arguments: { path } })
    expect(textIn(text)).toMatch(/^\[Offloaded: 1 block/)
    expect(text).not.toHaveProperty('structuredContent')
    expect((await stored(text)).equals(await readFile(path))).toBe(true)
    const found = await client.callTool({
      name: RETRIEVAL_TOOL_NAME,
      arguments: { reference: referenceIn(text), pattern: 'line 4321:' },
    })
    expect(textIn(found)).toContain('> 4321| line 4321: all is well')

    const picture = await client.callTool({
      name: 'read_media_file',
      arguments: { path: join(directory, 'large.png') },
    })
    expect(JSON.stringify(picture).length).toBeLessThan(10_000)
    expect((await stored(picture)).equals(image)).toBe(true)

    // The server gets no retrieval calls, and has sent the whole result.
    expect(JSON.stringify(atServer.fromClient)).not.toContain(RETRIEVAL_TOOL_NAME)
    expect(JSON.stringify(atServer.fromServer)).toContain('line 4321: all is well')
  })
})

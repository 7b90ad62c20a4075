import type { HookCallback, HookInput, Options, PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import { ContextOffloader, type OffloadEvent } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { offloadOptions } from './index.ts'

const LOG = 'a line of a log\n'.repeat(5_000)
const RETRIEVE = 'mcp__spillway__retrieve_offloaded_content'

let storage: InMemoryStorage
let events: OffloadEvent[]
let offloader: ContextOffloader

beforeEach(() => {
  storage = new InMemoryStorage()
  events = []
  offloader = new ContextOffloader({ storage, onEvent: (event) => events.push(event) })
})

const inputOf = (event: string, session: string, more: object = {}): HookInput =>
  ({
    hook_event_name: event,
    session_id: session,
    transcript_path: `/x/${session}.jsonl`,
    cwd: '/x',
    tool_name: 'mcp__logs__read',
    tool_use_id: 'toolu_1',
    tool_input: {},
    tool_response: [{ type: 'text', text: LOG }],
    ...more,
  }) as HookInput

async function runHooks(options: Options, input: HookInput): Promise<unknown[]> {
  const callbacks: HookCallback[] = (options.hooks?.[input.hook_event_name] ?? []).flatMap(({ hooks }) => hooks)
  const { signal } = new AbortController()
  return Promise.all(callbacks.map((callback) => callback(input, 'toolu_1', { signal })))
}

/** Call the retrieval tool of the server in the options, as the SDK does, and return its result. */
async function retrieve(options: Options, toolUseId: string | undefined, input: object): Promise<unknown> {
  const server = options.mcpServers?.['spillway']
  if (server?.type !== 'sdk' || !('instance' in server)) throw new Error('There is no server spillway.')
  const { promise: sent, resolve } = Promise.withResolvers<{ result?: unknown }>()
  const connection: {
    onmessage?: (message: object) => void
    start: () => Promise<void>
    send: (m: object) => Promise<void>
  } = { start: async () => {}, send: async (message) => resolve(message) }
  await server.instance.connect(connection as never)
  const params = { name: 'retrieve_offloaded_content', arguments: input, _meta: { 'claudecode/toolUseId': toolUseId } }
  connection.onmessage?.({ id: 1, method: 'tools/call', params })
  return (await sent).result
}

describe('offloadOptions', () => {
  it("keeps the user's options, and does not change them", () => {
    const hook: HookCallback = async () => ({})
    const mine: Options = {
      model: 'claude-opus-5',
      allowedTools: ['Bash'],
      hooks: { PostToolUse: [{ matcher: 'Edit', hooks: [hook] }], SessionStart: [{ hooks: [hook] }] },
      mcpServers: { other: { command: 'other' } },
      env: { A: 'b', MAX_MCP_OUTPUT_TOKENS: '5' },
    }
    const before = structuredClone({ ...mine, hooks: undefined })
    const options = offloadOptions(mine, offloader)
    expect(options).toMatchObject({ model: 'claude-opus-5', allowedTools: ['Bash', RETRIEVE], env: mine.env })
    expect(options.hooks?.PostToolUse?.[0]).toBe(mine.hooks?.PostToolUse?.[0])
    expect(options.hooks?.PostToolUse).toHaveLength(2)
    expect(options.hooks?.SessionStart).toEqual(mine.hooks?.SessionStart)
    expect(options.mcpServers?.['other']).toBe(mine.mcpServers?.['other'])
    expect({ ...mine, hooks: undefined }).toEqual(before)
    expect(mine.hooks?.PostToolUse).toHaveLength(1)
  })

  it('passes the environment of this process to Claude Code, without a limit on MCP results', () => {
    const { env } = offloadOptions({}, offloader)
    expect(env).toMatchObject({ PATH: process.env['PATH'], MAX_MCP_OUTPUT_TOKENS: '100000000' })
  })

  it('offers no tool if the offloader has none', () => {
    const guide = { instructions: () => [], formatCall: () => '' }
    const own = new ContextOffloader({ storage, includeRetrievalTool: false, guide })
    const options = offloadOptions({}, own)
    expect(options).not.toHaveProperty('allowedTools')
    expect(options.mcpServers).toEqual({})
  })

  it.each([
    [() => offloadOptions({}, storage as never), /offloader must be a ContextOffloader/],
    [() => offloadOptions({}, offloader, { scopes: [] } as never), /Unknown option "scopes"/],
    [
      () => offloadOptions({ mcpServers: { spillway: { command: 'x' } } }, offloader),
      /already has a server named spillway/,
    ],
  ])('rejects invalid arguments (%#)', (make, message) => {
    expect(make).toThrow(message)
  })

  it('answers a retrieval in the session that the hook has announced', async () => {
    const options = offloadOptions({}, offloader)
    await runHooks(options, inputOf('PostToolUse', 'session-1'))
    const [event] = events
    const reference = event?.type === 'offload' ? event.stored[0]?.reference : undefined
    const input = { reference, pattern: 'line', context_lines: 0 }
    const announce = (session: string, id: string): Promise<unknown> =>
      runHooks(options, inputOf('PreToolUse', session, { tool_name: RETRIEVE, tool_use_id: id }))
    await announce('session-1', 'a')
    await announce('session-2', 'b')
    expect(await retrieve(options, 'a', input)).toMatchObject({ isError: false })
    expect(await retrieve(options, 'b', input)).toMatchObject({ isError: true })
    for (const unknown of ['a', 'c', undefined])
      expect(await retrieve(options, unknown, input)).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('The session of this call is unknown') }],
      })
    await announce('session-1', 'd')
    await announce('session-2', 'd')
    expect(await retrieve(options, 'd', input), 'Two sessions have a call of this id').toMatchObject({ isError: true })
  })

  it('isolates tenants', async () => {
    const settings = { scope: ({ session_id }: { session_id: string }) => ['tenant', session_id] }
    const options = offloadOptions({}, offloader, settings)
    await runHooks(options, inputOf('PostToolUse', 'session-1'))
    const references = []
    for await (const { reference } of storage.scope('tenant', 'session-1').list()) references.push(reference)
    expect(references).toHaveLength(1)
  })

  it('leaves the result unchanged if the session has no valid scope, and reports why', async () => {
    const scope = (): never => {
      throw new Error('no tenant')
    }
    const options = offloadOptions({}, offloader, { scope })
    expect(await runHooks(options, inputOf('PostToolUse', 'session-1'))).toEqual([{}])
    expect(events).toMatchObject([{ type: 'offload-failed' }])
  })

  it('ends a turn after the results of all calls in a reply, and at the end of the run', async () => {
    let turns = 0
    const own = new ContextOffloader({
      storage: Object.assign(storage, { endTurn: async () => ({ evicted: [], turns: (turns += 1) }) }),
    })
    const options = offloadOptions({}, own, { scope: () => [] })
    for (const event of ['PostToolUse', 'PostToolBatch', 'Stop', 'SubagentStop', 'PreToolUse'])
      await runHooks(options, inputOf(event, 'session-1'))
    expect(turns).toBe(3)
  })
})

describe('errors of a server in this process', () => {
  const asked = { id: 9, method: 'tools/call', params: { name: 'build', _meta: { 'claudecode/toolUseId': 'toolu_9' } } }
  const failed = { isError: true, content: [{ type: 'text', text: `${LOG}FATAL: no space` }] }

  async function failing(result: object, call: Partial<PreToolUseHookInput> = {}, own = offloader): Promise<object> {
    const { promise: sent, resolve } = Promise.withResolvers<object>()
    const serverSide: { onmessage?: (message: object) => void; send?: (message: object) => Promise<void> } = {}
    const instance = {
      async connect(transport: {
        start: () => Promise<void>
        send: (message: object) => Promise<void>
      }): Promise<void> {
        Object.assign(transport, { onmessage: () => void transport.send({ id: 9, result }) })
        await transport.start()
      },
    }
    const mcpServers = { builds: { type: 'sdk' as const, name: 'builds', instance: instance as never } }
    const options = offloadOptions({ mcpServers }, own)
    const wrapped = options.mcpServers?.['builds'] as unknown as { instance: { connect: (t: object) => Promise<void> } }
    const transport = { start: async () => {}, send: async (message: object) => resolve(message) }
    await wrapped.instance.connect(Object.assign(serverSide, transport))
    const before = { tool_name: 'mcp__builds__build', tool_use_id: 'toolu_9', ...call }
    await runHooks(options, inputOf('PreToolUse', 'session-1', before))
    serverSide.onmessage?.(asked)
    return ((await sent) as { result: object }).result
  }

  it('are offloaded, are still errors, and keep their last line', async () => {
    const result = await failing(failed)
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^\[Offloaded: 1 block/) }],
    })
    expect(JSON.stringify(result)).toContain('FATAL: no space')
    expect(events).toMatchObject([{ type: 'offload', toolName: 'mcp__builds__build', toolCallId: 'toolu_9' }])
  })

  it('are unchanged if they are small or exempt, or if the session is unknown', async () => {
    const small = { isError: true, content: [{ type: 'text', text: 'no such file' }] }
    expect(await failing(small)).toBe(small)
    const exempt = new ContextOffloader({ storage, tools: { build: { offload: false } } })
    expect(await failing(failed, {}, exempt)).toBe(failed)
    expect(await failing(failed, { tool_use_id: 'toolu_8' })).toBe(failed)
    const well = { content: failed.content }
    expect(await failing(well)).toBe(well)
  })
})

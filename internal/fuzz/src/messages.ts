/** Generates MCP messages: to a server that retrieves, and from a server whose results are offloaded. */
import assert from 'node:assert/strict'
import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client'
import { offloadTransport } from '@spillway/mcp'
import { retrievalServer } from '@spillway/mcp/server'
import fc from 'fast-check'
import { callsOf } from './calls.ts'
import { assertNoSecret, measured, offloadChecked } from './invariants.ts'
import { filled, PLACES, twoTenants } from './sessions.ts'

const METHODS = ['tools/call', 'tools/list', 'ping', 'resources/read', 'completion/complete', 'x', '__proto__', '']
const odd = fc.oneof(fc.jsonValue(), fc.constantFrom(null, '', {}, [], -1, '__proto__', 'x'.repeat(300_000)))

const calls = fc
  .tuple(fc.constantFrom('retrieve_offloaded_content', 'offload_content', 'none'), callsOf(PLACES), fc.string())
  .map(([name, input, content]) => ({ name, arguments: name === 'offload_content' ? { content } : input }))
const requests = fc.record({
  method: fc.oneof(
    { weight: 3, arbitrary: fc.constant('tools/call') },
    { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
  ),
  params: fc.oneof({ weight: 4, arbitrary: calls }, { weight: 1, arbitrary: odd }),
})
const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.oneof(fc.string(), fc.constantFrom('line\n'.repeat(20_000))) }),
  fc.record({
    type: fc.constantFrom('image', 'audio'),
    mimeType: odd,
    data: fc.oneof(fc.string(), fc.constant('AAAA'.repeat(50_000))),
  }),
  fc.record({ type: fc.constant('resource_link'), uri: odd, name: odd, description: odd }),
  fc.record({ type: fc.constant('resource'), resource: fc.oneof(odd, fc.record({ uri: odd, text: odd, blob: odd })) }),
  fc.record({ type: odd, _meta: odd, annotations: odd }),
  odd,
)
const answers = fc.record(
  {
    content: fc.oneof({ weight: 4, arbitrary: fc.array(part, { maxLength: 4 }) }, { weight: 1, arbitrary: odd }),
    structuredContent: odd,
    isError: odd,
    _meta: odd,
    extra: odd,
  },
  { requiredKeys: [] },
)

interface Conversation {
  readonly requests: readonly { readonly method: string; readonly params: unknown }[]
  readonly results: readonly unknown[]
}

export const conversations: fc.Arbitrary<Conversation> = fc.record({
  requests: fc.array(requests, { minLength: 1, maxLength: 6 }),
  results: fc.array(fc.oneof({ weight: 4, arbitrary: answers }, { weight: 1, arbitrary: odd }), {
    minLength: 1,
    maxLength: 4,
  }),
})

const CONTENT = Array.from({ length: 2_000 }, (_, line) => `${line},name ${line},${line % 7}`).join('\n')
const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fuzz', version: '1.0.0' } },
}

/** Time after which an answer counts as missing. */
const MAX_MS = 60_000

/** Send requests, and return one answer for each of them. */
async function ask(
  transport: InMemoryTransport,
  sent: readonly { readonly method: string; readonly params: unknown }[],
): Promise<readonly JSONRPCMessage[]> {
  const received: JSONRPCMessage[] = []
  const { promise: done, resolve, reject } = Promise.withResolvers<void>()
  const receive = (message: JSONRPCMessage): void => {
    if ('id' in message && received.push(message) === sent.length) resolve()
  }
  Object.assign(transport, { onmessage: receive })
  await transport.start()
  for (const [id, request] of sent.entries()) await transport.send({ jsonrpc: '2.0', id, ...request } as never)
  const timer = setTimeout(() => reject(new Error(`Only ${received.length} of ${sent.length} were answered.`)), MAX_MS)
  await done
  clearTimeout(timer)
  const ids = received.map((message) => (message as { id: number }).id)
  assert.deepEqual(
    ids.toSorted((one, other) => one - other),
    [...sent.keys()],
  )
  return received
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && !Array.isArray(value) ? { ...value } : {}

export async function runConversation({ requests: sent, results }: Conversation): Promise<void> {
  const { tenant, secret } = await twoTenants()
  const own = await offloadChecked(tenant, 'call_1', [{ type: 'text', text: CONTENT }])
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const server = retrievalServer(tenant)
  await server.connect(theirs)
  const asked = sent.map(({ method, params }) => {
    // The SDK ignores messages whose parameters are not an object.
    const { arguments: input, ...rest } = fieldsOf(params)
    return { method, params: { ...rest, ...(input !== undefined && { arguments: filled(input, own, secret) }) } }
  })
  assertNoSecret(await measured(() => ask(ours, [INITIALIZE, ...asked])))
  await server.close()

  const [near, far] = InMemoryTransport.createLinkedPair()
  const answer = ({ id }: { readonly id?: number }): void => {
    if (id !== undefined) void far.send({ jsonrpc: '2.0', id, result: results[id % results.length] } as never)
  }
  Object.assign(far, { onmessage: answer })
  await far.start()
  const tools = results.map(() => ({ method: 'tools/call', params: { name: 'tool', arguments: {} } }))
  assertNoSecret(await measured(() => ask(offloadTransport(near, tenant), tools)))
}

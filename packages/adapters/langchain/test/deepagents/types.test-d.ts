import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { CompositeBackend, createDeepAgent, StateBackend, type BackendProtocolV2 } from 'deepagents'
import type { BaseMessage } from '@langchain/core/messages'
import { deepAgentBackend, deepAgentMiddleware, StorageBackend } from '../../src/deepagents/index.ts'

const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
const backend: BackendProtocolV2 = deepAgentBackend(offloader)

/** A backend can be mounted beside others. */
export const mounted: CompositeBackend = new CompositeBackend(new StateBackend(), {
  '/results/': new StorageBackend(new InMemoryStorage()),
})

/** deepagents infers the same types with our middleware. */
export async function inferred(): Promise<readonly BaseMessage[]> {
  const agent = createDeepAgent({ middleware: [deepAgentMiddleware(offloader)] as const, backend })
  const state = await agent.invoke({ messages: 'Go.' })
  // @ts-expect-error -- The state must not be of type any because of the middleware or the backend.
  const none: unknown = state.noSuchField
  return none === undefined ? state.messages : []
}

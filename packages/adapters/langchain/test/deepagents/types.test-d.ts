import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { createDeepAgent } from 'deepagents'
import type { BaseMessage } from '@langchain/core/messages'
import { deepAgentMiddleware } from '../../src/deepagents/index.ts'

const offloader = new ContextOffloader({ storage: new InMemoryStorage() })

/** The types that deepagents infers are there beside our middleware. */
export async function inferred(): Promise<readonly BaseMessage[]> {
  const agent = createDeepAgent({ middleware: [deepAgentMiddleware(offloader)] as const })
  const state = await agent.invoke({ messages: 'Go.' })
  // @ts-expect-error -- The middleware does not make the state one of any.
  const none: unknown = state.noSuchField
  return none === undefined ? state.messages : []
}

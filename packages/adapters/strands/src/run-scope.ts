import type { InvocationState, LocalAgent } from '@strands-agents/sdk'

/** What is known of a run when its scope is asked for. */
export interface ScopeRun {
  readonly agent: LocalAgent
  /** What the caller of `invoke` or `stream` passed as `invocationState`, such as a tenant; empty where there is nothing. */
  readonly invocationState: InvocationState
}

/** The session of an agent without a session manager: the eight digits that Strands makes up may come twice. */
const SESSION: unique symbol = Symbol('session of an agent')

interface AgentFields {
  [SESSION]?: string
  readonly sessionManager?: { readonly sessionId?: string; readonly _sessionId?: string }
}

/** Name the scope of an agent by its session and its id, as session managers name what they save of it. */
export function agentScope({ agent }: ScopeRun): readonly string[] {
  const fields: LocalAgent & AgentFields = agent
  const { sessionManager: manager } = fields
  // Before 1.15 the id is in a private field alone; what is published does not change.
  const session = manager?.sessionId ?? manager?._sessionId ?? (fields[SESSION] ??= crypto.randomUUID())
  return [session, agent.id]
}

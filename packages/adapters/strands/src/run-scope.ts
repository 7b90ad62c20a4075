import type { InvocationState, LocalAgent } from '@strands-agents/sdk'

/** What is known of a run when its scope is asked for. */
export interface ScopeRun {
  readonly agent: LocalAgent
  /** What the caller of `invoke` or `stream` passed as `invocationState`, such as a tenant; empty where there is nothing. */
  readonly invocationState: InvocationState
}

/** Sessions of agents without a session manager. The eight digits that Strands makes up for them may come twice. */
const ownSessions = new WeakMap<LocalAgent, string>()

/** Name the scope of an agent by its session and its id, as session managers name what they save of it. */
export function agentScope({ agent }: ScopeRun): readonly string[] {
  const { sessionManager: manager } = agent as LocalAgent & { readonly sessionManager?: SessionFields }
  // Before 1.15 the id is in a private field alone; what is published does not change.
  const session = manager?.sessionId ?? manager?._sessionId ?? ownSessions.get(agent) ?? crypto.randomUUID()
  if (manager === undefined) ownSessions.set(agent, session)
  return [session, agent.id]
}

interface SessionFields {
  readonly sessionId?: string
  readonly _sessionId?: string
}

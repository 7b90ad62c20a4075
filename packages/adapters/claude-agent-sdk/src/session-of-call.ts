import type { PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import type { ContextOffloader } from '@spillway/core'

/** Calls that were announced and never made, such as denied ones, are forgotten when there are more. */
const MAX_CALLS = 1_000

/**
 * Finds the session of a call of an MCP tool: its server is told the id of a call and nothing of a session, and the hook
 * that runs before the call is told both.
 */
export class SessionOfCall {
  readonly #sessions = new Map<string, PreToolUseHookInput | 'several'>()

  /** Remember that a call is about to be made; one that two sessions make at once is of none. */
  announce(session: PreToolUseHookInput): void {
    const { tool_use_id: toolUseId } = session
    const known = this.#sessions.get(toolUseId)
    const isOther = known !== undefined && (known === 'several' || known.session_id !== session.session_id)
    this.#sessions.delete(toolUseId)
    this.#sessions.set(toolUseId, isOther ? 'several' : session)
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > MAX_CALLS && oldest !== undefined) this.#sessions.delete(oldest)
  }

  /** Return what the hook was told before this call, once; `undefined` where nothing is known. */
  take(toolUseId: string | undefined): PreToolUseHookInput | undefined {
    const session = this.#sessions.get(toolUseId ?? '')
    this.#sessions.delete(toolUseId ?? '')
    return session === 'several' ? undefined : session
  }
}

const SESSIONS: unique symbol = Symbol('sessions of calls')

interface Offloader extends ContextOffloader {
  [SESSIONS]?: SessionOfCall
}

/** Return what the hooks and the server of an offloader have in common, where these are made one by one. */
export function sessionOfCall(offloader: ContextOffloader): SessionOfCall {
  const owner: Offloader = offloader
  return (owner[SESSIONS] ??= new SessionOfCall())
}

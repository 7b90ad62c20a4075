import type { PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import type { ContextOffloader } from '@spillway/core'

/** Bounds the calls that were announced and never made, such as denied ones. */
const MAX_CALLS = 1_000

/** Finds the session of an MCP tool call: the server gets only the id of the call, the hook before it gets both. */
export class SessionOfCall {
  readonly #sessions = new Map<string, PreToolUseHookInput | 'several'>()

  /** An id that two sessions use at once belongs to neither. */
  announce(session: PreToolUseHookInput): void {
    const { tool_use_id: toolUseId } = session
    const known = this.#sessions.get(toolUseId)
    const isOther = known !== undefined && (known === 'several' || known.session_id !== session.session_id)
    this.#sessions.delete(toolUseId)
    this.#sessions.set(toolUseId, isOther ? 'several' : session)
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > MAX_CALLS && oldest !== undefined) this.#sessions.delete(oldest)
  }

  /** Return the input of the hook for this call, once. */
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

/** Shared by hooks and a server that are made separately for one offloader. */
export function sessionOfCall(offloader: ContextOffloader): SessionOfCall {
  const owner: Offloader = offloader
  return (owner[SESSIONS] ??= new SessionOfCall())
}

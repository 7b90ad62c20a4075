import type { PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import type { ContextOffloader } from '@spillway/core'
import { BoundedMap } from '@spillway/core/driver'

/** Limit of announced calls that were never made, for example because they were denied. */
const MAX_CALLS = 1_000

/** Finds the session of an MCP tool call, of which the server gets only the id. */
export class SessionOfCall {
  readonly #sessions = new BoundedMap<string, PreToolUseHookInput | 'several'>(MAX_CALLS)

  /** Two sessions may use the same id at once. Then the call belongs to neither session. */
  announce(session: PreToolUseHookInput): void {
    const { tool_use_id: toolUseId } = session
    const known = this.#sessions.get(toolUseId)
    const isOther = known !== undefined && (known === 'several' || known.session_id !== session.session_id)
    this.#sessions.set(toolUseId, isOther ? 'several' : session)
  }

  /** Return the input of the hook for this call. Each input is returned once. */
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

/** One registry for each offloader, because hooks and server are made separately. */
export function sessionOfCall(offloader: ContextOffloader): SessionOfCall {
  const owner: Offloader = offloader
  return (owner[SESSIONS] ??= new SessionOfCall())
}

import type { ActionContext } from 'genkit'
import type { OffloadConfig } from './offload-config.ts'

/** What is known of a run when its scope is asked for. */
export interface ScopeRun {
  /** What the caller passed as `context`, such as `auth`; empty where there is nothing. */
  readonly context: Readonly<Record<string, unknown>>
  /** The id of the session of an agent that the run is part of. Absent outside of one, and before Genkit 1.39. */
  readonly sessionId: string | undefined
  /** What the run passes to the middleware; empty where there is nothing. */
  readonly config: OffloadConfig
}

/** A run as Genkit shows it to a middleware. */
export interface Run {
  readonly ai: {
    readonly currentContext: () => ActionContext | undefined
    readonly currentSession?: () => { readonly sessionId?: unknown }
  }
  readonly config: OffloadConfig | undefined
}

/** Name the scope of a run by its config, or by the session it is part of. */
export function defaultScope({ config, sessionId }: ScopeRun): readonly string[] {
  return config.scope ?? (sessionId === undefined ? [] : [sessionId])
}

/** Find out what is known of a run, called in it. */
export function scopeRun({ ai, config = {} }: Run): ScopeRun {
  const run = { context: ai.currentContext() ?? {}, config }
  try {
    const id = ai.currentSession?.().sessionId
    return { ...run, sessionId: typeof id === 'string' ? id : undefined }
  } catch (error) {
    // Genkit says in this way that the run is part of no session.
    if ((Object(error) as { readonly status?: unknown }).status !== 'FAILED_PRECONDITION') throw error
    return { ...run, sessionId: undefined }
  }
}

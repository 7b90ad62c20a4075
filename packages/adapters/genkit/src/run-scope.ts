import type { ContextOffloader } from '@spillway/core'
import { runsOf, type RunOptions, type RunOptionsCheck, type Runs } from '@spillway/core/adapter'
import type { ActionContext } from 'genkit'
import type { OffloadConfig } from './offload-config.ts'

/** The run that the option `scope` gets. */
export interface ScopeRun {
  /** The caller's `context`, such as `auth`; empty by default. */
  readonly context: Readonly<Record<string, unknown>>
  /** The id of the agent's session. Absent if the run has no session, and before Genkit 1.39. */
  readonly sessionId: string | undefined
  /** The config of the middleware; empty by default. */
  readonly config: OffloadConfig
}

export interface Run {
  readonly ai: {
    readonly currentContext: () => ActionContext | undefined
    readonly currentSession?: () => { readonly sessionId?: unknown }
  }
  readonly config: OffloadConfig | undefined
}

export const sessionRuns = (
  offloader: ContextOffloader,
  options: RunOptions<ScopeRun>,
  check: RunOptionsCheck,
): Runs<Run> => runsOf(offloader, options, { ...check, read: scopeRun, scope: defaultScope })

export function defaultScope({ config, sessionId }: ScopeRun): readonly string[] {
  return config.scope ?? (sessionId === undefined ? [] : [sessionId])
}

/** Must be called in the context of the run. */
export function scopeRun({ ai, config = {} }: Run): ScopeRun {
  const run = { context: ai.currentContext() ?? {}, config }
  try {
    const id = ai.currentSession?.().sessionId
    return { ...run, sessionId: typeof id === 'string' ? id : undefined }
  } catch (error) {
    // Genkit's error for a run without a session.
    if ((Object(error) as { readonly status?: unknown }).status !== 'FAILED_PRECONDITION') throw error
    return { ...run, sessionId: undefined }
  }
}

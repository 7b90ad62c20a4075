import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import type { Script } from '../conversation.ts'
import type { Subject } from '../subject.ts'

/** The same work without and with Spillway. */
export interface OverheadCase {
  readonly name: string
  readonly plain: Subject
  readonly wrapped: Subject
  /**
   * Smaller work that is measured for allocated bytes instead, if a run of the framework allocates so much memory that
   * the added bytes would not be visible.
   */
  readonly allocating?: Pick<OverheadCase, 'plain' | 'wrapped'> | undefined
}

/** Number of tool results in a run before the model ends it. */
export const STEPS = 10

/** A model that calls the tool `read` {@link STEPS} times and then ends. */
export const script: Script = (index) => (index < STEPS ? { name: 'read', input: { path: 'a' } } : 'Done.')

/** Work with one tool result. */
export const one = (run: () => unknown): Subject => ({ run, results: 1 })

/** Work of a whole run of {@link script}. */
export const loop = (run: () => unknown): Subject => ({ run, results: STEPS })

export const newOffloader = (): ContextOffloader => new ContextOffloader({ storage: new InMemoryStorage() })

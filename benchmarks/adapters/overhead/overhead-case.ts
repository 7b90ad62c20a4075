import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import type { Script } from '../conversation.ts'
import type { Subject } from '../subject.ts'

/** Something without Spillway, and the same with it. */
export interface OverheadCase {
  readonly name: string
  readonly plain: Subject
  readonly wrapped: Subject
  /**
   * What is looked at for bytes in place of both, where a run of the framework allocates so much by itself that what is
   * added cannot be told from it.
   */
  readonly allocating?: Pick<OverheadCase, 'plain' | 'wrapped'> | undefined
}

/** Tool results that pass through a loop before the model ends it. */
export const STEPS = 10

/** A model that reads so many times, and is done. */
export const script: Script = (index) => (index < STEPS ? { name: 'read', input: { path: 'a' } } : 'Done.')

/** Something that takes one result. */
export const one = (run: () => unknown): Subject => ({ run, results: 1 })

/** A whole run of {@link script}. */
export const loop = (run: () => unknown): Subject => ({ run, results: STEPS })

export const newOffloader = (): ContextOffloader => new ContextOffloader({ storage: new InMemoryStorage() })

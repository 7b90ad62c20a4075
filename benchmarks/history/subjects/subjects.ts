import { contextEditing } from './langchain.ts'
import { none } from './none.ts'
import { compacting, OURS } from './ours.ts'
import { pruning } from './prune-messages.ts'
import { reme } from './reme.ts'
import type { Subject } from './subject.ts'

/** All ways, in the order of the tables. */
export const SUBJECTS: readonly Subject[] = [
  none,
  compacting(OURS),
  compacting('Spillway, estimated', { isEstimated: true }),
  compacting('Spillway, keep 6', { keepRecent: 6 }),
  reme,
  contextEditing('LangChain, keep 3'),
  contextEditing('LangChain, keep 1', 1),
  pruning('AI SDK, last 1', 'before-last-message', false),
  pruning('AI SDK, last 3', 'before-last-3-messages', false),
  pruning('AI SDK, last 3 over 20,000', 'before-last-3-messages', true),
]

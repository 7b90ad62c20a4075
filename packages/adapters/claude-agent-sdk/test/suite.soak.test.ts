/**
 * Runs the suite. Each conversation starts a process, so a usual run has only some of the cases, and a full
 * verification has all.
 */
import { join } from 'node:path'
import { adapterSuite } from '@spillway-internal/adapter-suite/vitest'
import { isFull } from '@spillway-internal/test-run'
import { describe } from 'vitest'
import { whyNoBinary } from './claude-code.ts'
import { harnesses } from './harness.ts'

/** Cases of the real Claude Code that neither `built-in-tools.test.ts` nor the tests of the hook cover. */
const CHOSEN = new Set([
  'results/rest-of-the-prompt',
  'sessions/stolen-reference',
  'turns/one-for-each-model-call',
  'replay/continued',
])

describe.skipIf(whyNoBinary !== undefined)(`Claude Code ${whyNoBinary ?? ''}`, () => {
  adapterSuite(harnesses, {
    readme: join(import.meta.dirname, '../README.md'),
    only: (id) => isFull || CHOSEN.has(id),
  })
})

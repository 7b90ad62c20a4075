/** The suite, each conversation of which starts a process: all of it takes minutes, so unit tests run a part. */
import { join } from 'node:path'
import { adapterSuite } from '@spillway-internal/adapter-testing/vitest'
import { describe, vi } from 'vitest'
import { whyNoBinary } from './claude-code.ts'
import { harnesses } from './harness.ts'

vi.setConfig({ testTimeout: 180_000 })

/** Of each group what the hooks and the server of the session have most to do with. */
const CHOSEN = new Set([
  'results/large-text',
  'results/hostile-text',
  'results/rest-of-the-prompt',
  'results/many-blocks',
  'results/what-the-offloader-is-told',
  'small-results/text',
  'small-results/parts',
  'errors/returned',
  'errors/huge-returned',
  'errors/what-the-offloader-is-told',
  'outputs/small',
  'calls/parallel',
  'calls/hostile-id-prototype',
  'retrieval/unknown-reference',
  'approval/approved',
  'approval/denied',
  'approval/not-for-retrieval',
  'sessions/at-once',
  'sessions/stolen-reference',
  'sessions/continued',
  'turns/one-for-each-model-call',
  'turns/evicted',
  'outages/store',
  'outages/retrieve',
  'abort/storing',
  'abort/retrieving',
  'replay/same-storage',
  'replay/continued',
  'replay/resumed-in-a-new-process',
  'tokens/log-and-two-retrievals',
])

const runsAll = process.env['SPILLWAY_SOAK'] !== undefined

describe.skipIf(whyNoBinary !== undefined)(`Claude Code ${whyNoBinary ?? ''}`, () => {
  adapterSuite(harnesses, {
    readme: join(import.meta.dirname, '../README.md'),
    only: (id) => runsAll || CHOSEN.has(id),
  })
})

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
  'results/rest-of-the-prompt',
  'results/what-the-offloader-is-told',
  'small-results/text',
  'errors/huge-returned',
  'outputs/small',
  'calls/parallel',
  'retrieval/unknown-reference',
  'approval/denied',
  'approval/not-for-retrieval',
  'sessions/stolen-reference',
  'sessions/continued',
  'turns/one-for-each-model-call',
  'turns/evicted',
  'outages/store',
  'replay/continued',
  'tokens/log-and-two-retrievals',
])

const runsAll = process.env['SPILLWAY_SOAK'] !== undefined

describe.skipIf(whyNoBinary !== undefined)(`Claude Code ${whyNoBinary ?? ''}`, () => {
  adapterSuite(harnesses, {
    readme: join(import.meta.dirname, '../README.md'),
    only: (id) => runsAll || CHOSEN.has(id),
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConformanceReport } from '@spillway/core/conformance'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hasWorkerd, startWorker } from './start-worker.ts'

const CONFORMANCE = join(import.meta.dirname, 'workers/conformance-worker.ts')
const AGENT = join(import.meta.dirname, 'workers/agent-worker.ts')

// Without workerd, these tests are skipped, and counted as skipped. setup.sh installs workerd.
describe.skipIf(!hasWorkerd)('in workerd, which setup.sh installs', () => {
  test.each([
    ['/r2', 'R2', 180],
    ['/durable-object', 'the storage of a Durable Object', 180],
  ])('%s: the conformance suite passes on %s', async (path, _name, least) => {
    const worker = await startWorker(CONFORMANCE, {
      r2Buckets: ['BUCKET'],
      durableObjects: { OBJECTS: { className: 'ConformanceObject', useSQLite: true } },
    })
    onTestFinished(() => worker.dispose())
    const report = (await (await worker.dispatchFetch(`http://localhost${path}`)).json()) as ConformanceReport
    expect(report.results.filter(({ status }) => status === 'failed' || status === 'gap-closed')).toEqual([])
    expect(report.results.filter(({ status }) => status === 'passed').length).toBeGreaterThan(least)
  })

  test.each(['test-agent', 'r2-test-agent'])(
    'an AIChatAgent offloads, retrieves, and continues after a restart with the same prompt: %s',
    async (agent) => {
      const folder = await mkdtemp(join(tmpdir(), 'spillway-workerd-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      const before = await ask(folder, `${agent}/one`, 'What went wrong?')
      expect(before).toHaveLength(3)
      const [, withLog = '', withAnswer = ''] = before
      expect(withLog).toContain('[Offloaded: 1 block')
      expect(withLog.length).toBeLessThan(6_000)
      expect(withAnswer).toContain(
        '> 3211| 2026-01-01T00:53:30.000Z ERROR payments: payment 8812 refused: card_expired',
      )

      const after = await ask(folder, `${agent}/one`, 'Are you sure?')
      expect(after[0]?.slice(0, withAnswer.length - 1)).toBe(withAnswer.slice(0, -1))
      expect(after[1]).toContain('> 3211| ')

      const [reference] = /\bcall_\w+_[a-z0-9]{20}\b/.exec(withLog) ?? []
      const stolen = await ask(folder, `${agent}/two`, `What does ${reference} say?`)
      expect(stolen.at(-1)).toContain('error-text')
      expect(stolen.at(-1)).not.toContain('8812')
    },
  )
})

/** Send a message to an agent in a separate workerd. Returns the prompts of its model. */
async function ask(folder: string, agent: string, text: string): Promise<readonly string[]> {
  const worker = await startWorker(AGENT, {
    compatibilityFlags: ['nodejs_compat'],
    durableObjects: {
      TestAgent: { className: 'TestAgent', useSQLite: true },
      R2TestAgent: { className: 'R2TestAgent', useSQLite: true },
    },
    durableObjectsPersist: join(folder, 'objects'),
    r2Buckets: ['RESULTS'],
    r2Persist: join(folder, 'buckets'),
  })
  try {
    const url = `http://localhost/agents/${agent}`
    return (await (await worker.dispatchFetch(url, { method: 'POST', body: text })).json()) as readonly string[]
  } finally {
    await worker.dispose()
  }
}

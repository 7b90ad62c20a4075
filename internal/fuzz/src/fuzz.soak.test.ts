import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { isFull, seed } from '@spillway-internal/test-run'
import { expect, it } from 'vitest'

it('no generated input breaks an invariant, in a heap of 256 MB', () => {
  const args = ['--max-old-space-size=256', join(import.meta.dirname, 'fuzz.ts'), 'all']
  const { status, stderr } = spawnSync(process.execPath, [...args, isFull ? '1000' : '5', String(seed)])
  expect(stderr.toString()).toBe('')
  expect(status).toBe(0)
})

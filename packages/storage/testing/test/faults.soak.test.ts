import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { killSoak, mixedLoad, type Backend } from '../src/index.ts'
import { smallBackend, type Fault } from './small-backend.ts'

async function backend(fault?: Fault): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-soak-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return smallBackend(join(folder, 'data'), fault)
}

const KILLS = { kills: 3, processes: 2, largeBytes: 500_000, limitMs: 5_000 }
const LOAD = { seconds: 1, clients: 16, seed: 1, limitMs: 3_000 }

describe('writers that are killed', { timeout: 120_000 }, () => {
  test('harm nothing in a backend without faults', async () => {
    const report = await killSoak(await backend(), KILLS)
    expect(report.problems).toEqual([])
    expect(report.kills).toBeGreaterThanOrEqual(KILLS.kills)
    expect(report.acknowledged).toBeGreaterThan(report.kills)
  })

  test.each([
    ['acknowledges what it writes later', 'acknowledged, but'],
    ['shows what is not yet whole', 'corrupt'],
    ['leaves what was not finished', 'residue'],
    ['evicts what is used', 'acknowledged, but'],
    ['clears but for one', 'not cleared'],
  ] as const)('show a backend that %s', async (fault, problem) => {
    const { problems } = await killSoak(await backend(fault), KILLS)
    expect(problems.join('\n')).toContain(problem)
  })
})

describe('mixed load', { timeout: 120_000 }, () => {
  test('meets nothing wrong in a backend without faults, and does everything', async () => {
    const report = await mixedLoad(await backend(), LOAD)
    expect(report.problems).toEqual([])
    expect(Object.keys(report.operations)).toHaveLength(12)
  })

  test.each([
    ['has no wall', 'can be reached, and must not'],
    ['lists too little', 'leaves out'],
    ['reads other bytes', 'other bytes'],
    ['fails now and then', 'unavailable'],
    ['hangs now and then', 'has not ended after 3 s'],
  ] as const)('shows a backend that %s', async (fault, problem) => {
    const { problems } = await mixedLoad(await backend(fault), LOAD)
    expect(problems.join('\n')).toContain(problem)
    expect(problems.join('\n')).toContain('SPILLWAY_SEED=1')
  })
})

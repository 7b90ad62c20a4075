import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFull } from '@spillway-internal/test-run'
import { describe, expect, it, onTestFinished } from 'vitest'
import { killSoak, mixedLoad, type Backend } from '../src/index.ts'
import { smallBackend, type Fault } from './small-backend.ts'

async function backend(fault?: Fault): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-soak-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return smallBackend(join(folder, 'data'), fault)
}

const KILLS = { kills: isFull ? 4 : 2, processes: 2, largeBytes: 500_000 }
const LOAD = { steps: 50, clients: 16, seed: 1 }

/**
 * Repeat a short soak with random writers. A fault that none of ten soaks finds is a fault that soaks do not detect.
 */
async function repeatUntilFound(
  problem: string,
  soak: () => Promise<{ readonly problems: readonly string[] }>,
): Promise<string> {
  let found = ''
  for (let run = 0; run < 10 && !found.includes(problem); run += 1) found = (await soak()).problems.join('\n')
  return found
}

describe('a kill soak', () => {
  it('finds no error in a backend without faults', async () => {
    const report = await killSoak(await backend(), KILLS)
    expect(report.problems).toEqual([])
    expect(report.kills).toBeGreaterThanOrEqual(KILLS.kills)
    expect(report.acknowledged).toBeGreaterThan(report.kills)
  })

  it.each([
    ['acknowledges what it writes later', 'acknowledged, but'],
    ['shows what is not yet whole', 'corrupt'],
    ['leaves what was not finished', 'residue'],
    ['evicts what is used', 'acknowledged, but'],
    ['clears but for one', 'not cleared'],
  ] as const)('finds a backend that %s', async (fault, problem) => {
    const found = await repeatUntilFound(problem, async () => await killSoak(await backend(fault), KILLS))
    expect(found).toContain(problem)
  })
})

describe('a mixed load', () => {
  it('finds no error in a backend without faults, and covers every operation', async () => {
    const report = await mixedLoad(await backend(), LOAD)
    expect(report.problems).toEqual([])
    expect(Object.keys(report.operations)).toHaveLength(12)
  })

  it.each([
    ['has no wall', 'is readable, but must not be'],
    ['lists too little', 'leaves out'],
    ['reads other bytes', 'wrong bytes'],
    ['fails now and then', 'unavailable'],
  ] as const)('finds a backend that %s', async (fault, problem) => {
    const found = await repeatUntilFound(problem, async () => await mixedLoad(await backend(fault), LOAD))
    expect(found).toContain(problem)
    expect(found).toContain('SPILLWAY_SEED=1')
  })

  it('finds a backend that sometimes hangs', async () => {
    const { problems } = await mixedLoad(await backend('hangs now and then'), { ...LOAD, limitMs: 1_000 })
    expect(problems.join('\n')).toContain('has not ended after 1 s')
  })
})

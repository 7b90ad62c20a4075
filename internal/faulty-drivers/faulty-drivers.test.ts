import { isFull, seed as seedOfRun } from '@spillway-internal/test-run'
import { expect, it } from 'vitest'
import { seededRandom } from '../../packages/core/src/conformance/sample.ts'
import { firstFailure, generateFaults, hasStep } from './generate-faults.ts'
import { reasonOf } from './survivors.ts'

/** Faulty drivers that reject where nobody waits are left to `main.ts`, which runs in a process of its own. */
const STRAY = /: delay in /
const COUNT = 4
/** The short form always draws the same faults: a new survivor is a finding of a full run, and no failure of a change. */
const seed = isFull ? seedOfRun : 1

it(
  'the conformance suite catches every generated faulty driver, except those that break no promise',
  { timeout: 900_000 },
  async () => {
    const random = seededRandom(seed)
    const faults = generateFaults(random, 3).filter(({ id }) => !STRAY.test(id) && reasonOf(id) === undefined)
    const chosen = isFull ? faults : faults.toSorted(() => random() - 0.5).slice(0, COUNT)
    const survived: string[] = []
    for (const fault of chosen)
      if ((await hasStep(fault)) && (await firstFailure(fault, seed)) === undefined) survived.push(fault.id)
    expect(survived, `seed ${seed}`).toEqual([])
  },
)

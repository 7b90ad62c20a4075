import { isFull, seed as seedOfRun } from '@spillway-internal/test-run'
import { expect, it } from 'vitest'
import { seededRandom } from '../../packages/core/src/conformance/sample.ts'
import { firstFailure, generateFaults } from './generate-faults.ts'
import { reasonOf } from './survivors.ts'

/** Faulty drivers with rejections that no code awaits. Only `main.ts` runs them, in a separate process. */
const STRAY = /: delay in /
const COUNT = 4
/** A short run always has the same faults. A new survivor is a finding of a full run, not a failure of a change. */
const seed = isFull ? seedOfRun : 1

const random = seededRandom(seed)
const faults = generateFaults(random, 3).filter(({ id }) => !STRAY.test(id) && reasonOf(id) === undefined)
const chosen = isFull ? faults : faults.toSorted(() => random() - 0.5).slice(0, COUNT)

it.each(chosen)('the conformance suite catches a generated faulty driver: $id', async (fault) => {
  expect(await firstFailure(fault, seed), `seed ${seed}`).toBeDefined()
})

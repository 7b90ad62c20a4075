/**
 * Measures which generated faulty drivers the conformance suite catches.
 *
 *     node internal/faulty-drivers/main.ts [--seed 1] [--each 2] [--only memory]
 *
 * `--each` is the number of triggers for each operator, step, and correct driver.
 */
import { parseArgs } from 'node:util'
import { seededRandom } from '../../packages/core/src/conformance/sample.ts'
import { firstFailure, generateFaults } from './generate-faults.ts'
import { reasonOf } from './survivors.ts'

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, each: { type: 'string', default: '2' }, only: { type: 'string' } },
})
const seed = Number(values.seed)
// Rejections and errors of faulty drivers may have no handler.
process.on('unhandledRejection', () => undefined)
process.on('uncaughtException', () => undefined)
const counts = { caught: 0, explained: 0, survived: 0 }
for (const fault of generateFaults(seededRandom(seed), Number(values.each))) {
  if (!fault.id.includes(values.only ?? '')) continue
  const caught = await firstFailure(fault, seed)
  const reason = reasonOf(fault.id)
  const outcome = caught === undefined ? (reason === undefined ? 'survived' : 'explained') : 'caught'
  counts[outcome] += 1
  if (outcome === 'survived') console.log(`SURVIVED  ${fault.id}`)
  else console.log(`${outcome}  ${fault.id}  ${(caught ?? reason ?? '').slice(0, 100)}`)
}
console.log(`seed ${seed}:`, counts)
process.exit()

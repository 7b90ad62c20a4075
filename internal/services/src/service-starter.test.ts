import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runProgram } from './run-program.ts'

const GET = `import { ServiceStarter } from ${JSON.stringify(join(import.meta.dirname, 'service-starter.ts'))}
console.log(await new ServiceStarter().get('redis').then(({ available }) => available, () => 'rejected'))`

/** Request Redis on a machine without any program. */
async function getRedis(required: string): Promise<string> {
  const env = { PATH: import.meta.dirname, SPILLWAY_REQUIRE_SERVICES: required }
  const { output } = await runProgram(process.execPath, ['--input-type=module', '--eval', GET], { env })
  return output.trim()
}

it.each([
  ['', 'false'],
  ['s3,redis-cluster', 'false'],
  ['s3,redis', 'rejected'],
  ['1', 'rejected'],
])('a missing Redis, with SPILLWAY_REQUIRE_SERVICES=%j, is: %s', async (required, outcome) => {
  expect(await getRedis(required)).toBe(outcome)
})

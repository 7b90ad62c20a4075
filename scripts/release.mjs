/** Verifies everything with all servers, then publishes what npm does not have; see `HELP`. */
import { globSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ensureToolchain, fail, run } from './toolchain.mjs'

const HELP = `pnpm release [--dry-run]

Verifies everything, then publishes the packages whose version npm does not have, and tags them.

  --dry-run   publish to a registry on this machine instead, and follow the READMEs with its packages`

const { values: options } = parseArgs({ options: { 'dry-run': { type: 'boolean' }, help: { type: 'boolean' } } })
if (options.help) {
  console.log(HELP)
  process.exit(0)
}

await ensureToolchain()
if (!options['dry-run'] && globSync('.changeset/*.md').length > 0) fail('Run pnpm changeset version first, and commit.')
process.env.SPILLWAY_REQUIRE_SERVICES ??= '1'
const rehearse = ['exec', 'vitest', 'run', '--project', 'internal/packages', 'internal/packages/rehearsal.test.ts']
const exitCode = await run('node', ['scripts/verify.mjs'])
if (exitCode !== 0) process.exit(exitCode)
process.exit(await run('pnpm', options['dry-run'] ? rehearse : ['exec', 'changeset', 'publish']))

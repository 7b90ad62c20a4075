/** Installs the dependencies of the demo and runs it: the first command of the README. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ensureToolchain, run } from './toolchain.mjs'

await ensureToolchain()
process.chdir(fileURLToPath(new URL('..', import.meta.url)))
if (!existsSync('node_modules/.modules.yaml')) console.log('Installing …')
const installed = await run('pnpm', ['install', '--frozen-lockfile', '--reporter=silent'])
if (installed !== 0) {
  console.error('`pnpm install` failed. Run it by itself to see why.')
  process.exit(installed)
}
process.exit(await run('node', ['examples/demo/demo.ts', ...process.argv.slice(2)]))

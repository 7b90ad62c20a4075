// Follows each quickstart page as a stranger would: in an empty folder, block by block, with the packed packages.
//   node site/stranger.ts [NAME...]    after `turbo run tarball`; NAME is the end of a page's path, such as `mastra`
// Fails if a block fails, or if no offloaded result is printed.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { extractFences } from '../internal/docs/extract-fences.ts'
import { startTarballRegistry } from '../internal/packages/tarball-registry.ts'
import { quickstartPages } from './quickstart-pages.ts'

const names = process.argv.slice(2)
const pages = quickstartPages().filter(({ path }) => names.length === 0 || names.includes(path.replace('start/', '')))
const registry = await startTarballRegistry()
let faults = 0
for (const { path, markdown } of pages) {
  const start = performance.now()
  const fault = await follow(markdown)
  console.log(
    `${path}: ${fault ?? 'prints an offloaded result'} (${Math.round((performance.now() - start) / 1_000)} s)`,
  )
  if (fault !== undefined) faults++
}
registry.close()
process.exitCode = faults === 0 && pages.length > 0 ? 0 : 1

/** Follow a page; resolves to what went wrong. */
async function follow(markdown: string): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-stranger-'))
  writeFileSync(join(folder, '.npmrc'), `@spillway:registry=${registry.url}\n`)
  const env = {
    ...process.env,
    'npm_config_@spillway:registry': registry.url,
    npm_config_userconfig: join(folder, '.npmrc'),
    npm_config_prefix: join(folder, 'global'),
    npm_config_prefer_offline: 'true',
    PATH: [join(folder, 'global/bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
  }
  const args = ['--norc', '-euo', 'pipefail', '-c', scriptOf(markdown)]
  const fault = await new Promise<string | undefined>((resolve) => {
    execFile('bash', args, { cwd: folder, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      if (error !== null || stderr.includes('Assertion failed')) resolve(`fails\n${stdout}${stderr}`)
      else resolve(stdout.includes('[Offloaded: 1 block, ') ? undefined : `prints no offloaded result\n${stdout}`)
    })
  })
  rmSync(folder, { recursive: true })
  return fault
}

/** The steps of a reader: run commands, and save the other blocks under the names that stand above them. */
function scriptOf(markdown: string): string {
  const lines = markdown.split('\n')
  const steps = extractFences(markdown).flatMap(({ language, code, line }) => {
    const file = /Save as `(.*)`:$/.exec(lines[line - 4] ?? '')?.[1]
    if (language === 'sh') return [code]
    return file === undefined ? [] : [`cat > ${file} <<'END-OF-BLOCK'\n${code}\nEND-OF-BLOCK`]
  })
  return steps.join('\n')
}

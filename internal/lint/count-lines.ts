/** Counts lines of packages outside tests, comments and blank lines included: `node internal/lint/count-lines.ts`. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const TEST = /\.test(?:-d)?\.ts$/

/** Limits of the lines of a package, and of all packages. A change that needs more lines must say what users gain. */
export const LINE_BUDGETS: { readonly total: number; readonly other: number; readonly [folder: string]: number } = {
  total: 87_936,
  'packages/core': 23_436,
  'packages/previews': 14_926,
  'packages/text': 10_643,
  other: 12_000,
}

/** Count the lines of each package. The largest package is first. */
export function countLines(): Map<string, number> {
  const lines = new Map<string, number>()
  const sources = globSync('packages/{*,storage/*,adapters/*}/src/**/*.{ts,tsx,svelte,css}', { cwd: ROOT })
  for (const path of sources.map((one) => one.replaceAll('\\', '/')).filter((one) => !TEST.test(one))) {
    const folder = path.slice(0, path.indexOf('/src/'))
    const count = readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1
    lines.set(folder, (lines.get(folder) ?? 0) + count)
  }
  return new Map([...lines].toSorted(([, one], [, other]) => other - one))
}

if (process.argv[1] === import.meta.filename) {
  const lines = [...countLines()]
  const total = lines.reduce((sum, [, count]) => sum + count, 0)
  for (const [folder, count] of [...lines, ['total', total] as const])
    console.log(`${String(count).padStart(7)} of ${LINE_BUDGETS[folder] ?? LINE_BUDGETS.other}  ${folder}`)
}

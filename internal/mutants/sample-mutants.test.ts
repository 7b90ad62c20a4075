import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, it, onTestFinished } from 'vitest'
import { sampleMutants } from './sample-mutants.ts'

const A = `
export type Size = 'small' | 'large'
export function sizeOf(count: number, limit = 10): Size | undefined {
  if (!(count < limit) && count > 0) return 'large'
  log(count)
  return count === 0 ? undefined : 'small'
}
`
const B = 'export const isOn = true\nexport const name = `a${isOn ? 1 : 2}`\n'

async function workspace(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'spillway-mutants-'))
  onTestFinished(() => rm(root, { recursive: true }))
  await mkdir(join(root, 'packages/core/src'), { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, 'packages/core/src', name), text)
  return root
}

it('every mutant replaces text of a source, and can be parsed', async () => {
  const texts: Readonly<Record<string, string>> = { 'a.ts': A, 'b.ts': B }
  const mutants = sampleMutants(await workspace({ ...texts, 'a.test.ts': A }), 100, 'seed')
  expect(new Set(mutants.map(({ operator }) => operator))).toEqual(
    new Set([
      ...['&& to ||', '! away', '< to <=', '=== to !==', '> to >=', 'another string', 'condition to false'],
      ...['condition to true', 'number plus 1', 'return undefined', 'statement away', 'the other boolean'],
    ]),
  )
  for (const { file, start, end, original, replacement } of mutants) {
    const text = texts[file.slice('packages/core/src/'.length)] ?? expect.fail(`${file} is no source`)
    expect(text.slice(start, end)).toBe(original)
    expect(original).not.toMatch(/^'(?:large|small)'\s*\|/)
    expect(parseSync(file, text.slice(0, start) + replacement + text.slice(end)).errors).toEqual([])
  }
})

it('a change of one file does not change the mutants of other files in the sample', async () => {
  const faults = async (files: Readonly<Record<string, string>>): Promise<string[]> => {
    const mutants = sampleMutants(await workspace(files), 100, 'seed')
    return mutants.filter(({ file }) => file.endsWith('a.ts')).map(({ id }) => id)
  }
  expect(await faults({ 'a.ts': A, 'b.ts': 'export const nothing = 0\n' })).toEqual(
    await faults({ 'a.ts': A, 'b.ts': B }),
  )
})

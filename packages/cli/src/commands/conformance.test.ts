import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { spillway, temporaryFolder } from '../../test/spillway.ts'

/** A storage of two methods; `returned` is what comes back of what was stored. */
const create = (returned: string): string => `async () => {
  const entries = new Map()
  return {
    storage: {
      async store(key, content, contentType = 'text/plain') {
        const reference = key + entries.size
        entries.set(reference, { content: Uint8Array.from(content), contentType })
        return reference
      },
      async retrieve(reference) {
        const { content, contentType } = entries.get(reference)
        return { content: ${returned}, contentType }
      },
    },
  }
}`

function harnessFile(source: string, name = 'harness.ts'): { readonly cwd: string; readonly name: string } {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, name), source)
  return { cwd, name }
}

test('reports on a storage that keeps its promises, and exits with 0', async () => {
  const made = create('content.slice()')
  const source = `export const harness = { name: 'mine', level: 'two-method', create: ${made} }`
  const { cwd, name } = harnessFile(source)
  const args = ['conformance', name, '--filter', 'content/']
  const ended = await spillway(args, { cwd })
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(ended.stdout).toMatch(/^`mine`, level `two-method`: \d+ passed/)
  const json = JSON.parse((await spillway([...args, '--json'], { cwd })).stdout) as { ok: boolean; results: unknown[] }
  expect(json.ok).toBe(true)
  expect(json.results.length).toBeGreaterThan(0)
})

test('names what a faulty storage does not keep, and exits with 1', async () => {
  const source = `export default { name: 'faulty', level: 'two-method', create: ${create('content')} }`
  const { cwd, name } = harnessFile(source, 'harness.mjs')
  const ended = await spillway(['conformance', `./${name}`, '--filter', 'content/', '--every-case'], { cwd })
  expect(ended.code).toBe(1)
  expect(ended.stdout).toMatch(/\| `content\/output-copied` +\| .* \| failed +\|/)
})

test.each([
  ['export const other = 1', /exports no harness/],
  ['export default { name: "x" }', /needs a function create\(\)/],
  ['export default { name: "x", create: async () => ({ storage: {} }) }', /has no store\(\)/],
])('refuses what is no harness: %s', async (source, message) => {
  const { cwd, name } = harnessFile(source)
  const ended = await spillway(['conformance', name], { cwd })
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(message)
})

test('refuses a module that is not there', async () => {
  expect(await spillway(['conformance', './none.ts'], { cwd: temporaryFolder() })).toMatchObject({ code: 2 })
})

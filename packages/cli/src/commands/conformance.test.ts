import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startRunner, temporaryFolder } from '../../test/spillway.ts'

// Node.js loads the harnesses, not the test runner.
const spillway = startRunner()

/** Source of a harness function whose storage has two methods. `returned` is the expression that `retrieve` returns. */
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

it('conformance reports on a correct storage, and exits with 0', async () => {
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

it('conformance names the failed case of a faulty storage, and exits with 1', async () => {
  const source = `export default { name: 'faulty', level: 'two-method', create: ${create('content')} }`
  const { cwd, name } = harnessFile(source, 'harness.mjs')
  const ended = await spillway(['conformance', `./${name}`, '--filter', 'content/', '--every-case'], { cwd })
  expect(ended.code).toBe(1)
  expect(ended.stdout).toMatch(/\| `content\/own-memory` +\| .* \| failed +\|/)
})

it.each([
  ['export const other = 1', /exports no harness, but other\. Export \{ name, create:/],
  ['export {}', /exports no harness, but nothing/],
  ['export default { name: "x" }', /needs a function create\(\)/],
  ['export default { name: "x", create: async () => ({ storage: {} }) }', /has no store\(\)/],
  ['export default { name: "x", level: "minimal", create() {} }', /must be "two-method" or "full", got "minimal"/],
  [
    'export default { name: "x", create: async () => ({ storage: { store() {}, retrieve() {} } }) }',
    /no list\(\) and no scope\(\)\. Give the harness level: 'two-method'/,
  ],
  ['import "no-such-package"', /harness\.ts cannot be loaded: Cannot find package 'no-such-package'/],
  ['throw new Error("set DATABASE_URL")', /harness\.ts cannot be loaded: set DATABASE_URL\./],
  ['export enum A { b }', /cannot be loaded: .*enum.* Node\.js only strips types/],
  ['export const = 1', /harness\.ts cannot be loaded: /],
  ['const create = () => {}; export const a = { create }, b = { create }', /several harnesses: a, b\. .*--harness a/],
])('conformance refuses a module without a valid harness: %s', async (source, message) => {
  const { cwd, name } = harnessFile(source)
  const ended = await spillway(['conformance', name], { cwd })
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(message)
})

it('conformance runs the only harness of a module, or the harness that --harness names', async () => {
  const harness = (name: string): string =>
    `{ name: '${name}', level: 'two-method', create: ${create('content.slice()')} }`
  const one = harnessFile(`export const mineHarness = ${harness('mine')}; export const unrelated = 1`)
  const filter = ['--filter', 'content/']
  expect((await spillway(['conformance', one.name, ...filter], one)).stdout).toContain('`mine`')
  const two = harnessFile(`export const a = ${harness('A')}; export const b = ${harness('B')}`)
  expect((await spillway(['conformance', two.name, '--harness', 'b', ...filter], two)).stdout).toContain('`B`')
  expect(await spillway(['conformance', two.name, '--harness', 'c', ...filter], two)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('does not export c. It exports a, b.'),
  })
})

it.each([
  ['./none.ts', /no such file/],
  ['.', /is a directory/],
])('conformance refuses %s', async (path, message) => {
  const ended = await spillway(['conformance', path], { cwd: temporaryFolder() })
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
})

it('conformance refuses a filter that matches no case', async () => {
  const { cwd, name } = harnessFile(`export default { name: 'mine', create: ${create('content.slice()')} }`)
  const ended = await spillway(['conformance', name, '--filter', 'contents/'], { cwd })
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(/No case has "contents\/".* Areas: harness\/, content\/, /)
})

it('conformance exits with 3 if the harness cannot create its first storage', async () => {
  const { cwd, name } = harnessFile(
    "export default { name: 'mine', create: async () => { throw new Error('no server') } }",
  )
  expect(await spillway(['conformance', name], { cwd })).toMatchObject({
    code: 3,
    stderr: 'spillway: mine could not create a storage: no server\n',
  })
})

it.each([
  ['an error thrown in a callback', "setImmediate(() => { throw new Error('socket hang up') })", /socket hang up/],
  ['an unhandled rejection', "void Promise.reject(new Error('gone away'))", /gone away/],
  ['a loop that blocks the thread', 'for (;;);', /blocks the thread/],
  ['a create() that never ends', 'await new Promise(() => undefined)', /create\(\) has not ended after 2000 ms/],
])(
  'conformance counts %s as a failure of the running case, and runs the other cases',
  async (_what, statement, message) => {
    const source = `const create = ${create('content.slice()')}
    let created = 0
    export default { name: 'mine', level: 'two-method', timeoutMs: 2_000, async create() {
      if ((created += 1) === 3) { ${statement} }
      return create()
    } }`
    const { cwd, name } = harnessFile(source)
    const ended = await spillway(['conformance', name, '--filter', 'key/', '--json'], { cwd })
    expect(ended.code).toBe(1)
    const { results } = JSON.parse(ended.stdout) as { results: { status: string; detail?: string }[] }
    const failed = results.filter(({ status }) => status === 'failed')
    expect(failed).toEqual([results[1]])
    expect(failed[0]?.detail).toMatch(message)
  },
)

it('conformance prints its results so far when its time limit is reached', async () => {
  const source = `const create = ${create('content.slice()')}
    let created = 0
    export default { name: 'mine', level: 'two-method', async create() {
      if ((created += 1) === 3) await new Promise(() => setInterval(() => undefined, 1_000))
      return create()
    } }`
  const { cwd, name } = harnessFile(source)
  const ended = await spillway(['conformance', name, '--filter', 'content/', '--time-limit', '1'], { cwd })
  expect(ended.code).toBe(1)
  expect(ended.stdout).toMatch(/^`mine`, level `two-method`: 1 passed, \d+ failed/)
  expect(ended.stdout).toContain('has not run: the run has a limit of 1000 ms: ')
})

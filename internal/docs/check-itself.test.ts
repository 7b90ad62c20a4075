/** Tests of the documentation check: finding examples, rejecting examples, and running them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sharedRedis } from '../services/src/index.ts'
import { Checks } from './checks.ts'
import {
  checkedExamples,
  collectExamples,
  exampleFolder,
  packageOf,
  renameInMessage,
  writeExample,
  type Example,
} from './collect-examples.ts'
import { extractDocFences, extractFences } from './extract-fences.ts'
import { importablePackages, importedPackages, packagesOf } from './imported-packages.ts'
import { installLineOf, installLines } from './install-line.ts'
import { fetchesStranger } from './printed-commands.ts'
import { runExample, runInTurn, runShell, typecheckExamples } from './run-example.ts'

const redis = await sharedRedis()

describe('the check of documentation', () => {
  const example = (code: string, info = 'ts'): Example => {
    const [fence] = extractFences(`Text\n\n\`\`\`${info}\n${code}\n\`\`\`\n`)
    return writeExample(
      exampleFolder('run', 'the-check-itself'),
      'the-check-itself.md',
      fence ?? expect.fail('no fence'),
    )
  }

  it('finds fences in documents and comments, with their lines, flags and file names', () => {
    const list =
      '# A\n\n- item\n\n  ```ts no-run file=a.ts\n  if (true) {\n    run()\n  }\n  ```\n\n````md\n```ts\n```\n````\n'
    expect(extractFences(list)).toEqual([
      {
        language: 'ts',
        flags: ['no-run', 'file=a.ts'],
        file: 'a.ts',
        code: 'if (true) {\n  run()\n}',
        line: 6,
        sections: [1],
      },
      { language: 'md', flags: [], file: undefined, code: '```ts\n```', line: 12, sections: [1] },
    ])
    const source = 'const a = 1\n/**\n * Text.\n *\n * @example\n * ```ts\n * a\n *   b\n * ```\n */\nexport { a }\n'
    expect(extractDocFences('a.ts', source)).toEqual([
      { language: 'ts', flags: [], file: undefined, code: 'a\n  b', line: 7, sections: [] },
    ])
    expect(() => extractFences('```ts\ncode\n')).toThrow('line 1 is never closed')
  })

  it('finds the install line of an example in its section, in an enclosing section, or at the start of the document', () => {
    const lines = [
      '# P',
      ...['## Install', '```sh', 'npm install a@1 @s/b', 'npm pkg set type=module', '```'],
      ...['## First', '```ts', '```'],
      ...['## A', '```ts', '```', '```sh', 'npm install --global c   # or: pnpm add -g', '```', '```ts', '```'],
      ...['### Inner', '```ts', '```'],
      ...['## B', '```ts', '```'],
    ]
    const fences = extractFences(lines.join('\n'))
    const found = fences.map((fence) => [fence.line, installLineOf(fence, fences)?.packages.join(' ')])
    expect(found).toEqual([
      [4, undefined],
      [9, 'a @s/b'],
      [12, 'a @s/b'],
      [14, 'a @s/b'],
      [17, 'c'],
      [20, 'c'],
      [23, 'a @s/b'],
    ])
    const [outer, inner] = installLines(fences)
    expect(outer?.commands('npm')).toBe('npm install a@1 @s/b\nnpm pkg set type=module')
    expect(outer?.commands('pnpm')).toBe('pnpm add a@1 @s/b\npnpm pkg set type=module')
    expect(inner?.commands('pnpm')).toBe('pnpm add -g c')
  })

  it('includes imports of imported files, and the command line in a shell', () => {
    const fences = extractFences(
      "```ts\nimport './a.ts'\n```\n```ts file=a.ts\nimport 'b'\nimport './c.ts'\n```\n```ts file=c.ts\nimport 'd/e'\n```\n```sh run\nR=$(spillway ls)\n```",
    )
    expect(fences.map((fence) => packagesOf(fence, fences))).toEqual([['b', 'd'], ['b', 'd'], ['d'], ['@spillway/cli']])
  })

  it('rejects an example with wrong types, and names its line', async () => {
    const wrong = example('const text: string = 1')
    const { exitCode, output } = await typecheckExamples([wrong])
    expect(exitCode).not.toBe(0)
    expect(renameInMessage(output, [wrong])).toContain('the-check-itself.md(4,7): error TS2322')
  })

  it.each([
    ['asserts what does not hold', "console.assert(1 + 1 === 3, 'one and one')", 'Assertion failed: one and one'],
    ['throws', "throw new Error('broken')", 'the-check-itself.md:4'],
    ['never settles', 'await new Promise(() => {})', ''],
    ['fails under vitest', "import { expect, it } from 'vitest'\nit('fails', () => expect(1).toBe(2))", '1 failed'],
  ])('rejects an example that %s', async (_fault, code, message) => {
    const faulty = example(code)
    const { exitCode, output } = await runExample(faulty)
    expect(exitCode).not.toBe(0)
    expect(renameInMessage(output, [faulty])).toContain(message)
  })

  it('passes examples in one process only if all of them pass, and no error follows after them', async () => {
    const [sound, late, endless] = [
      "console.log('sound')",
      "setTimeout(() => { throw new Error('late') }, 10)",
      'await new Promise(() => {})',
    ].map((code, index) => example(code, `ts file=in-turn-${index}.ts`))
    if (sound === undefined || late === undefined || endless === undefined) expect.fail('no examples')
    const needsServer = { ...sound, flags: ['needs=redis'] }
    expect(await runInTurn([sound, needsServer])).toEqual(new Set([sound]))
    expect(await runInTurn([sound, late])).toEqual(new Set())
    expect(await runInTurn([sound, endless])).toEqual(new Set())
  })

  it.skipIf(!redis.available)('gives an example the server that it needs', async () => {
    const prints = (name: string): string => `console.log(process.env['${name}'])`
    const { output } = await runExample(example(prints('SPILLWAY_TEST_REDIS_URL')))
    expect(output.trim()).toBe(redis.available ? redis.url : '')
    const shell = await runShell([example('echo "$SPILLWAY_TEST_REDIS_URL"', 'sh run')])
    expect(shell.output).toBe(output)
  })

  it('runs shell examples in one folder, and stops at the first failure', async () => {
    const write = example('echo kept > note', 'sh run')
    const fail = example('grep -q lost note', 'sh run')
    expect(await runShell([write, example('grep -q kept note', 'sh run')])).toMatchObject({ exitCode: 0 })
    expect(await runShell([write, fail, write])).toMatchObject({ exitCode: 1, last: fail })
  })

  it('gives shell examples the files of their document, which can import packages of the workspace', async () => {
    const file = example(
      "import { StorageError } from '@spillway/core'\nconsole.log(StorageError.name)",
      'ts file=a.ts',
    )
    const run = example(`'${process.execPath}' a.ts | grep -q StorageError`, 'sh run')
    expect(await runShell([run], [file])).toMatchObject({ exitCode: 0 })
  })

  it('fails and reports each check that returns problems or throws', async () => {
    const path = join(exampleFolder('test', 'checks'), 'report.json')
    const print = [vi.spyOn(console, 'error'), vi.spyOn(console, 'log')].map((one) => one.mockReturnValue())
    const { exitCode } = process
    onTestFinished(() => void (process.exitCode = exitCode))
    const checks = new Checks()
    await checks.run('holds', () => [])
    checks.skip('a.md', 'no server')
    checks.finish(path)
    expect(process.exitCode).toBe(0)
    await checks.run('has problems', async () => ['one', 'two'])
    await checks.run('throws', () => expect.fail('at once'))
    checks.finish(path)
    expect(process.exitCode).toBe(1)
    expect(print[0]?.mock.calls).toEqual([['has problems\none\ntwo\n'], ['throws\nAssertionError: at once\n']])
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      passed: 1,
      failed: ['has problems', 'throws'],
      skipped: [{ file: 'a.md', reason: 'no server', count: 1 }],
    })
  })

  it('writes the examples of one package to a separate folder', () => {
    const examples = collectExamples({ of: 'packages/storage/memory', purpose: 'test' })
    expect(new Set(examples.map(({ document }) => packageOf(document)))).toEqual(new Set(['packages/storage/memory']))
    const folder = join(import.meta.dirname, '.examples/test/packages-storage-memory')
    const paths = checkedExamples(examples).map(({ path }) => path)
    expect(paths).not.toEqual([])
    expect(paths.filter((path) => !path.startsWith(folder))).toEqual([])
  })

  it.each([
    'npx spillway ls',
    'npx -y spillway mcp proxy',
    'gemini mcp add files npx -- -y spillway mcp proxy',
    'npm exec -- spillway',
    'pass `npx spillway`',
    'npm install --global spillway',
    'pnpm add -D typescript spillway@1',
    '"command": "npx", "args": ["-y",\n  "spillway", "mcp"]',
    "args: ['-y', 'spillway']",
    'the arguments `/c`, `npx`, `spillway`',
  ])('finds a command that downloads a package of another publisher: %s', (text) => {
    expect(fetchesStranger(text)).toHaveLength(1)
  })

  it.each([
    'npx @spillway/cli ls',
    'npx -y @spillway/cli mcp proxy --store file:/home/me/.spillway',
    'npm install --global @spillway/cli\nspillway hook claude-code install',
    'spillway run -- npx vitest',
    'npm install ~/spillway/spillway-core-0.0.0.tgz',
    'exec npx -y x 2>>/home/me/spillway.log',
    '"args": ["-y", "@spillway/cli", "mcp"], "spillway": {}',
  ])('finds no command that downloads such a package: %s', (text) => {
    expect(fetchesStranger(text)).toEqual([])
  })

  it('rejects a folder that is not a package', () => {
    const collect = (): unknown => collectExamples({ of: 'packages/none', purpose: 'test' })
    expect(collect).toThrow('There is no package "packages/none"')
  })

  it('assigns each document to one package, or to the root', () => {
    expect(packageOf('packages/adapters/mcp/src/http/a.ts')).toBe('packages/adapters/mcp')
    expect(packageOf('benchmarks/speed/README.md')).toBe('.')
    expect(packageOf('docs/recipes/llamaindex.md')).toBe('.')
    expect(packageOf('README.md')).toBe('.')
  })

  it('finds the packages that an example imports, in any form of import', () => {
    const code =
      "import 'node:fs'\nimport { a } from '@s/a/b'\nimport type { C } from 'c/d'\nexport { e } from 'e'\nawait import('f')\nimport './g.ts'\n"
    expect(importedPackages(code)).toEqual(['@s/a', 'c', 'e', 'f'])
    expect(importablePackages('packages/core').has('@spillway/memory')).toBe(true)
    expect(importablePackages('packages/core').has('@spillway/redis')).toBe(false)
  })
})

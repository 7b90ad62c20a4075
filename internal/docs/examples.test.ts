/** Type-checks and runs every example of the documentation and of the TSDoc comments. */
import { describe, expect, it } from 'vitest'
import { sharedRedis } from '../services/src/index.ts'
import { collectExamples, renameInMessage, writeExample, type Example } from './collect-examples.ts'
import { extractDocFences, extractFences } from './extract-fences.ts'
import { neededServer } from './needed-server.ts'
import { runExample, runShell, typecheckExamples } from './run-example.ts'

const redis = await sharedRedis()
const all = collectExamples()
const typescript = all.filter(({ language }) => language === 'ts')
const checked = typescript.filter(({ flags }) => !flags.includes('ignore'))
const runnable = typescript.filter(({ flags }) => !flags.includes('no-run'))
const shell = all.filter(({ language, flags }) => language === 'sh' && flags.includes('run'))
const documents = [...new Set(shell.map(({ document }) => document))]

describe('examples', () => {
  it('type-check', async () => {
    const { exitCode, output } = await typecheckExamples(checked)
    expect(exitCode, renameInMessage(output, checked)).toBe(0)
  })

  it.concurrent.for(runnable.map((example) => [example.name, example] as const))(
    'run: %s',
    async ([, example], { skip }) => {
      skip(example.flags.includes('ignore'), 'marked as ignored')
      const server = await neededServer(example)
      skip(server.missing !== undefined, server.missing)
      const { exitCode, output } = await runExample(example, server)
      expect(exitCode, `${example.name}\n${renameInMessage(output, checked)}`).toBe(0)
    },
  )

  it.concurrent.for(documents)('run in a shell: %s', async (wanted) => {
    const ofDocument = ({ document }: Example): boolean => document === wanted
    const { exitCode, output, last } = await runShell(shell.filter(ofDocument), checked.filter(ofDocument))
    expect(exitCode, `${last?.name ?? ''}\n${output}`).toBe(0)
  })
})

describe('the check itself', () => {
  const example = (code: string, info = 'ts'): Example => {
    const [fence] = extractFences(`Text\n\n\`\`\`${info}\n${code}\n\`\`\`\n`)
    return writeExample('the-check-itself.md', fence ?? expect.fail('no fence'))
  }

  it('finds fences in documents and in comments, with their lines, flags and file names', () => {
    const list =
      '- item\n\n  ```ts no-run file=a.ts\n  if (true) {\n    run()\n  }\n  ```\n\n````md\n```ts\n```\n````\n'
    expect(extractFences(list)).toEqual([
      { language: 'ts', flags: ['no-run', 'file=a.ts'], file: 'a.ts', code: 'if (true) {\n  run()\n}', line: 4 },
      { language: 'md', flags: [], file: undefined, code: '```ts\n```', line: 10 },
    ])
    const source = 'const a = 1\n/**\n * Text.\n *\n * @example\n * ```ts\n * a\n *   b\n * ```\n */\nexport { a }\n'
    expect(extractDocFences('a.ts', source)).toEqual([
      { language: 'ts', flags: [], file: undefined, code: 'a\n  b', line: 7 },
    ])
    expect(() => extractFences('```ts\ncode\n')).toThrow('line 1 is never closed')
  })

  it('refuses an example whose types are wrong, and names its line', async () => {
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
  ])('refuses an example that %s', async (_fault, code, message) => {
    const faulty = example(code)
    const { exitCode, output } = await runExample(faulty)
    expect(exitCode).not.toBe(0)
    expect(renameInMessage(output, [faulty])).toContain(message)
  })

  it.skipIf(!redis.available)('gives an example the server that it asks for', async () => {
    const prints = (name: string): string => `console.log(process.env['${name}'])`
    const { output } = await runExample(example(prints('SPILLWAY_TEST_REDIS_URL')))
    expect(output.trim()).toBe(redis.available ? redis.url : '')
    const shell = await runShell([example('echo "$SPILLWAY_TEST_REDIS_URL"', 'sh run')])
    expect(shell.output).toBe(output)
  })

  it('stops at the first shell example that fails, in the folder of the ones before', async () => {
    const write = example('echo kept > note', 'sh run')
    const fail = example('grep -q lost note', 'sh run')
    expect(await runShell([write, example('grep -q kept note', 'sh run')])).toMatchObject({ exitCode: 0 })
    expect(await runShell([write, fail, write])).toMatchObject({ exitCode: 1, last: fail })
  })

  it('gives shell examples the files of their document, which find the packages of the workspace', async () => {
    const file = example(
      "import { StorageError } from '@spillway/core'\nconsole.log(StorageError.name)",
      'ts file=a.ts',
    )
    const run = example(`'${process.execPath}' a.ts | grep -q StorageError`, 'sh run')
    expect(await runShell([run], [file])).toMatchObject({ exitCode: 0 })
  })
})

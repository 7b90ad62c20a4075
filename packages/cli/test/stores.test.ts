import { describe, expect, it } from 'vitest'
import { quoteForShell } from '../src/output.ts'
import { numbered, referenceIn, spillway, spillwayProcess, temporaryFolder, type Ended } from './spillway.ts'
import { TEST_STORES, type TestStore } from './stores.ts'

const LINES = 20_000
const text = numbered(LINES)

type Run = (args: readonly string[]) => Promise<Ended>

/** Return a function that runs commands on a store, in a scope with a slash in a segment. */
function onStore({ url, env }: TestStore, cwd: string, input?: string): Run {
  return (args) => {
    const [command = '', ...rest] = args
    const store = ['--store', url, '--scope', 'tenant%2F1/session']
    const all = [command, ...store, ...rest]
    // A command with input runs in a separate process, to test that it exits even if the store keeps connections.
    return input === undefined ? spillway(all, { cwd, env }) : spillwayProcess(all, { cwd, env, input })
  }
}

const json = ({ stdout }: Ended): unknown => JSON.parse(stdout)

describe.each(TEST_STORES)('$name', ({ available, hasAge, create }) => {
  it.skipIf(!available)('runs every command, and the process of put exits by itself', async () => {
    const store = await create()
    const cwd = temporaryFolder()
    const run = onStore(store, cwd)
    const stored = await onStore(store, cwd, text)(['put', '--quiet', '--name', 'log'])
    expect(stored).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^log_\w+\n$/) })
    const reference = stored.stdout.trim()
    const size = text.length

    const shown = await run(['run', '--json', '--', 'seq', '1', String(LINES)])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    const { content } = json(shown) as { readonly content: string }
    // The printed commands find the same store, even if its URL has a query.
    expect(content).toContain(`--store ${quoteForShell(store.url)} --scope tenant%2F1/session`)
    const output = referenceIn(content)

    const [whole, lines, found, described, counted, listed] = await Promise.all([
      run(['get', reference]),
      run(['get', reference, '--lines', '19999:']),
      run(['grep', '1999[89]', '--context', '0', '--json']),
      run(['stat', reference, '--json']),
      run(['stats', '--json']),
      run(['ls', '--json']),
    ])
    expect(whole).toMatchObject({ code: 0, stderr: '' })
    expect(whole.stdout).toBe(text)
    expect(lines.stdout).toContain('20000| line 20000 of the text')
    expect(found).toMatchObject({ code: 0, stderr: '' })
    expect(json(described)).toMatchObject({ reference, size, contentType: 'text/plain', key: 'log' })
    expect(json(counted)).toMatchObject({ entries: 2, bytes: size + shownBytes(LINES) })
    for (const each of [reference, output]) expect(listed.stdout).toContain(each)

    expect(await run(['rm', reference])).toMatchObject({ code: 0, stderr: '' })
    expect(await run(['get', reference])).toMatchObject({ code: 1, stdout: '' })
    expect(await run(['gc', '--json', ...(hasAge ? ['--ttl', '0.001s'] : [])])).toMatchObject({ code: 0, stderr: '' })
    const left = await run(['stats', '--json'])
    expect(json(left)).toMatchObject({ entries: hasAge ? 0 : 1 })
  })
})

/** Return the number of bytes that `seq 1 lines` prints. */
const shownBytes = (lines: number): number =>
  Array.from({ length: lines }, (_, index) => String(index + 1).length + 1).reduce((sum, length) => sum + length, 0)

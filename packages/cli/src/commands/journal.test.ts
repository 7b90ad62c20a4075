import { readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectInProcess } from '../../test/mcp/connect.ts'
import { numbered, put, referenceIn, spillway, temporaryFolder } from '../../test/spillway.ts'

interface Totals {
  readonly offloaded: number
  readonly tokensAvoided: number
  readonly tokensShown: number
  readonly tokensRetrieved: number
  readonly tokensNet: number
  readonly retrievals: number
  readonly bounceRate: number
}

async function tokens(cwd: string, args: readonly string[] = []): Promise<Totals> {
  const { code, stdout, stderr } = await spillway(['stats', '--tokens', '--json', ...args], { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Totals
}

describe('stats --tokens', () => {
  it.each(['file:./store', 'sqlite:./store.db'])('sums up the operations of all commands with %s', async (store) => {
    const cwd = temporaryFolder()
    const env = { SPILLWAY_STORE: store }
    const run = async (lines: number, args: readonly string[] = []): Promise<{ reference: string; tokens: Totals }> => {
      const ended = await spillway(['run', ...args, '--json', '--', 'seq', '1', String(lines)], { cwd, env })
      const { content, tokens } = JSON.parse(ended.stdout) as { content: string; tokens: Totals }
      return { reference: lines < 100 ? '' : referenceIn(content), tokens }
    }
    const first = await run(20_000)
    await run(30_000, ['--scope', 'tenant'])
    await run(10)
    const got = await spillway(['get', first.reference, '--pattern', '^1999', '--json'], { cwd, env })
    const answer = JSON.parse(got.stdout) as { tokens: number }
    await spillway(['grep', 'nothing like it'], { cwd, env })
    const total = await tokens(cwd, ['--store', store])
    expect(total).toMatchObject({ offloaded: 2, retrievals: 2, bounceRate: 0.5 })
    expect(total.tokensRetrieved).toBeGreaterThan(answer.tokens)
    expect(total.tokensNet).toBe(total.tokensAvoided - total.tokensShown - total.tokensRetrieved)
    const { tokensAvoided, offloaded } = await tokens(cwd, ['--store', store, '--scope', 'tenant'])
    expect(offloaded).toBe(1)
    expect(total.tokensAvoided - tokensAvoided).toBe((first.tokens as unknown as { original: number }).original)
    const table = (await spillway(['stats', '--tokens', '--by', 'tool'], { cwd, env, terminal: true })).stdout
    expect(table).toMatch(
      /^TOOL +RESULTS +AVOIDED +SHOWN +RETRIEVED +NET +READ AGAIN\nrun +2 .* 50 %\n\(search\) +0 .*\ntotal +2 /,
    )
    const byDay = JSON.parse((await spillway(['stats', '--tokens', '--by', 'day', '--json'], { cwd, env })).stdout) as {
      groups: readonly { name: string }[]
    }
    expect(byDay.groups.map(({ name }) => name)).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d$/)])
  })

  it('counts the operations of the MCP server', async () => {
    const cwd = temporaryFolder()
    const reference = await put(numbered(3_000), cwd, ['--store', 'file:./store'])
    const { client } = await connectInProcess(['mcp', 'serve', '--store', 'file:./store'], { cwd })
    await client.callTool({ name: 'retrieve_offloaded_content', arguments: { reference, pattern: 'line 7' } })
    await client.close()
    expect(await tokens(cwd, ['--store', 'file:./store'])).toMatchObject({ offloaded: 0, retrievals: 1 })
  })

  it('reports nothing without a journal, and creates none', async () => {
    const cwd = temporaryFolder()
    await mkdir(join(cwd, '.spillway'))
    expect(await tokens(cwd)).toMatchObject({ offloaded: 0, tokensNet: 0, bounceRate: 0 })
    expect(readdirSync(join(cwd, '.spillway'))).toEqual([])
  })

  it('is refused for stores without a journal, and --by requires --tokens', async () => {
    const cwd = temporaryFolder()
    expect(await spillway(['stats', '--by', 'day'], { cwd })).toMatchObject({ code: 2 })
    const env = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' }
    const ended = await spillway(['stats', '--tokens', '--store', 's3://bucket?region=x'], { cwd, env })
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining('Only file: and sqlite: stores') })
  })
})

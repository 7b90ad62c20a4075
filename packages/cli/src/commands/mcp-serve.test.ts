import { expect, test, vi } from 'vitest'
import { connectStdio, textOf } from '../../test/mcp/connect.ts'
import { put, spillway, temporaryFolder } from '../../test/spillway.ts'

vi.setConfig({ testTimeout: 60_000 })

const serve = (...args: string[]): string[] => ['mcp', 'serve', ...args]

test('searches and reads what other commands have stored', async () => {
  const cwd = temporaryFolder()
  const reference = await put('first\nsecond FAILED\nthird\n', cwd, ['--scope', 'project'])
  const { client } = await connectStdio(serve('--scope', 'project'), { cwd })
  const retrieve = (input: Record<string, unknown>): Promise<string> =>
    textOf(client.callTool({ name: 'retrieve_offloaded_content', arguments: input }))
  expect(await retrieve({ pattern: 'FAILED', context_lines: 0 })).toContain('> 2| second FAILED')
  expect(await retrieve({ reference })).toBe('first\nsecond FAILED\nthird\n')
  expect(await retrieve({ reference: 'made_up' })).toMatch(/^Error: /)
})

test('stores what an agent puts aside, where other commands find it', async () => {
  const cwd = temporaryFolder()
  const { client } = await connectStdio(serve(), { cwd })
  const stored = await textOf(
    client.callTool({
      name: 'offload_content',
      arguments: { content: '{"a":1}', name: 'notes', content_type: 'application/json' },
    }),
  )
  const reference = /^Stored as (notes_\w+) \(7 bytes\)/.exec(stored)?.[1] ?? expect.fail(stored)
  expect((await spillway(['get', reference], { cwd })).stdout).toBe('{"a":1}')
  expect(JSON.parse((await spillway(['stat', reference, '--json'], { cwd })).stdout)).toMatchObject({
    contentType: 'application/json',
  })
  for (const [input, message] of [
    [{}, 'content must be the text'],
    [{ content: 'x', content_type: 'image/png' }, 'content_type must be one of text'],
    [{ content: 'x', name: 5 }, 'name must be a text'],
    [{ content: 'x', scope: 'other' }, 'no parameter "scope"'],
  ] as const)
    expect(await textOf(client.callTool({ name: 'offload_content', arguments: input }))).toContain(message)
})

test('writes nothing where it is read-only', async () => {
  const { client } = await connectStdio(serve('--read-only'), { cwd: temporaryFolder() })
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['retrieve_offloaded_content'])
})

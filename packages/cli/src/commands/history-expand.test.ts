import { describe, expect, test, vi } from 'vitest'
import { bench, CHAT, lines, LOG, type Bench } from '../../test/history/bench.ts'
import { jsonLines, spillway } from '../../test/spillway.ts'

vi.setConfig({ testTimeout: 90_000 })

describe('expand and references', () => {
  async function compacted(): Promise<Bench & { readonly references: readonly string[] }> {
    const made = bench('chat.jsonl', lines(CHAT))
    await made.run('compact', 'chat.jsonl', '--max-total-tokens', '5000', '--keep-recent', '0', '--output', 'out.jsonl')
    const { stdout } = await made.run('references', 'out.jsonl')
    return { ...made, references: Array.from(stdout.matchAll(/call_\w+/g), ([name]) => name) }
  }

  test('list the references in a transcript, and which of them exist', async () => {
    const { cwd, run, references } = await compacted()
    const [first = ''] = references
    const listed = await run('references', 'out.jsonl')
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    expect(listed.stdout).toBe(
      `3\t3\tread_log\ttext\t${LOG.length}\tyes\t${first}\t\n5\t5\tread_log\ttext\t${LOG.length + 7}\tyes\t${references[1]}\t\n`,
    )
    await spillway(['rm', first], { cwd })
    const gone = await run('references', 'out.jsonl', '--json')
    expect(gone.code).toBe(1)
    expect(jsonLines(gone.stdout)).toMatchObject([
      { number: 3, line: 3, tool: 'read_log', callId: 'call_1', stored: false, reference: first },
      { number: 5, line: 5, tool: 'read_log', callId: 'call_2', stored: true },
    ])
    expect(await run('references', 'chat.jsonl')).toMatchObject({ code: 1, stdout: '' })
  })

  test('restore a single entry', async () => {
    const { run, text, references } = await compacted()
    const ended = await run('expand', 'out.jsonl', '--only', references[1]!, '--output', 'back')
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    const [was, is, whole] = ['out.jsonl', 'back', 'chat.jsonl'].map((name) => text(name).split('\n'))
    expect(is).toEqual(was!.with(4, whole![4]!))
    const unknown = await run('expand', 'out.jsonl', '--only', 'call_9')
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('does not name call_9') })
  })

  test('keep the digits of numbers in stored content', async () => {
    const ids = Array.from({ length: 3_000 }, (_, row) => `{"id":19158835881748${10_000 + row},"price":10.00}`)
    const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'query', input: {} }
    const result = { type: 'tool-result', toolCallId: 'call_1', toolName: 'query', output: { type: 'json', value: 7 } }
    const messages = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: [call] },
      { role: 'tool', content: [result] },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'Thanks.' },
    ]
    const chat = JSON.stringify(messages).replace('"value":7', `"value":[${ids.join(',')}]`)
    const { cwd, run, text } = bench('chat.json', chat)
    await run('compact', 'chat.json', '--max-total-tokens', '1000', '--keep-recent', '0', '--output', 'out.json')
    const { stdout } = await run('references', 'out.json')
    const [reference = ''] = stdout.match(/call_1\w+/) ?? []
    expect((await spillway(['get', reference], { cwd })).stdout).toContain('"id": 1915883588174812999')
    await run('expand', 'out.json', '--output', 'back')
    expect(text('back')).toBe(chat)
  })

  test('keep missing references in place, and exit with 1', async () => {
    const { cwd, run, text, references } = await compacted()
    await spillway(['rm', references[0]!], { cwd })
    const ended = await run('expand', 'out.jsonl', '--output', 'back')
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`spillway: ${references[0]}: `) })
    expect(ended.stdout).toContain('2 references, 1 of them missing.')
    const [was, is, whole] = ['out.jsonl', 'back', 'chat.jsonl'].map((name) => text(name).split('\n'))
    expect(is).toEqual(was!.with(4, whole![4]!))
    const described = await run('expand', 'out.jsonl', '--json')
    expect(JSON.parse(described.stdout)).toMatchObject({ missing: [{ reference: references[0], code: 'not-found' }] })
  })

  test('stay within their scope', async () => {
    const { run } = bench('chat.jsonl', lines(CHAT))
    const scope = ['--scope', 'tenant-1/session-9']
    await run('compact', 'chat.jsonl', '--output', 'out.jsonl', ...scope)
    expect(await run('expand', 'out.jsonl', ...scope)).toMatchObject({ code: 0 })
    expect(await run('expand', 'out.jsonl', '--scope', 'tenant-2')).toMatchObject({ code: 1 })
  })
})

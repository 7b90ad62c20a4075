import { describe, expect, test } from 'vitest'
import { bench, CHAT, lines, type Bench } from '../../test/history/bench.ts'
import { spillway } from '../../test/spillway.ts'

/** Return the references that a file names. */
const referencesIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/references:\]\\n {2}(\w+)/g), ([, reference]) => reference!)

describe('expand', () => {
  async function compacted(): Promise<Bench & { readonly references: readonly string[] }> {
    const made = bench('chat.jsonl', lines(CHAT))
    await made.run('compact', 'chat.jsonl', '--max-total-tokens', '5000', '--keep-recent', '0', '--output', 'out.jsonl')
    return { ...made, references: referencesIn(made.text('out.jsonl')) }
  }

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
    const [reference = ''] = referencesIn(text('out.json'))
    expect((await spillway(['get', reference], { cwd })).stdout).toContain('"id": 1915883588174812999')
    await run('expand', 'out.json', '--output', 'back')
    expect(text('back')).toBe(chat)
  })

  test('keep missing references in place, and exit with 1', async () => {
    const { cwd, run, text, references } = await compacted()
    await spillway(['rm', references[0]!], { cwd })
    const ended = await run('expand', 'out.jsonl', '--output', 'back')
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`spillway: ${references[0]}: `) })
    expect(ended.stdout).toContain('6 messages; 1 reference missing.')
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

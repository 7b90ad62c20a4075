import { endStuckWorkers } from '@spillway-internal/test-inputs'
import { describe, expect, it } from 'vitest'
import { ask, countTokens, fail, storageOf, toolOf, type Entries } from '../../test/retrieval-fixture.ts'
import { StorageError } from '../storage/storage-error.ts'
import { createRetrievalTool } from './retrieval-tool.ts'

describe('a search of everything in a scope', () => {
  const entries: Entries = {
    older: { content: 'alpha\nneedle 1\nomega' },
    picture: { content: 'needle', contentType: 'image/png' },
    gone: new StorageError('evicted', 'gone'),
    other: { content: 'nothing here' },
    newer: { content: '{"needle": 2}', contentType: 'application/json' },
  }

  it('finds a pattern without a reference, in the newest results first', async () => {
    expect(await ask(toolOf(entries, { scoped: true }), { pattern: 'needle' })).toBe(
      [
        '[2 matches in 2 of 4 stored results]',
        '[Not searched: 1 binary result]',
        '',
        '== newer (application/json, 13 bytes): 1 match ==',
        '> 1| {"needle": 2}',
        '',
        '== older (text/plain, 20 bytes): 1 match ==',
        '  1| alpha',
        '> 2| needle 1',
        '  3| omega',
      ].join('\n'),
    )
    expect(await ask(toolOf(entries, { scoped: true }), { pattern: 'absent' })).toBe(
      '[0 matches in 0 of 4 stored results]\n[Not searched: 1 binary result]',
    )
  })

  it.each([{ pattern: 'needle' }, { query: 'needle' }])('finds %j beside a damaged result', async (call) => {
    const beside = { ...entries, damaged: new StorageError('corrupt', 'damaged') }
    const result = await toolOf(beside, { scoped: true }).execute(call)
    expect(result).toMatchObject({ matches: 2, isComplete: false })
    expect(JSON.stringify(result.content)).toMatch(
      / in 2 of 4 stored results.*Not searched: (?:1 binary result, )?1 damaged result/,
    )
  })

  it.each([
    ['NEEDLE 1', 'In another case: 1 match in older', '(?i)NEEDLE 1'],
    ['"needle 1"', 'Without the marks around it: 1 match in older', 'needle 1'],
    ['alpha\\|omega', 'In syntax that works here: 2 matches in older', 'alpha|omega'],
  ])('suggests a similar pattern that matches: %s', async (pattern, said, similar) => {
    const tool = toolOf(entries, { scoped: true })
    const answer = await ask(tool, { pattern })
    expect(answer).toMatch(/^\[0 matches in 0 of 4 stored results\]/)
    expect(answer).toContain(said)
    const [, call = ''] = /To see them: retrieve_offloaded_content (\{.*\})\]/.exec(answer) ?? []
    expect(await ask(tool, JSON.parse(call) as object), similar).toMatch(/^\[[12] match(?:es)? in 1 of 4/)
  })

  it('shows a part of each result if not everything fits', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `log_${index}`,
        { content: 'needle in a line of hay\n'.repeat(1_000) },
      ]),
    )
    for (const maxRetrievalTokens of [2_500, 1_000, 300, 100]) {
      const text = await ask(toolOf(many, { scoped: true, maxRetrievalTokens }), {
        pattern: 'needle',
        context_lines: 0,
      })
      expect(countTokens(text)).toBeLessThanOrEqual(maxRetrievalTokens)
      expect(text).toMatch(/^\[30,000 matches in 30 of 30 stored results\]/)
      expect(text).toContain('log_29 (text/plain, 24,000 bytes): 1,000 matches')
      expect(text).toContain('retrieve_offloaded_content {"reference":"<reference>","pattern":"needle"}')
    }
  })

  it('covers up to a thousand entries, and says how many older entries were skipped', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 2_500 }, (_, index) => [`log_${index}`, { content: `n ${index}` }]),
    )
    const text = await ask(toolOf(many, { scoped: true }), { pattern: 'n (1499|1500|2499)$' })
    expect(text).toBe(
      [
        '[2 matches in 2 of 1,000 stored results]',
        '[Not searched: 1,500 older stored results]',
        '',
        '== log_2499 (text/plain, 6 bytes): 1 match ==',
        '> 1| n 2499',
        '',
        '== log_1500 (text/plain, 6 bytes): 1 match ==',
        '> 1| n 1500',
      ].join('\n'),
    )
  })

  it('fails as a whole if the storage fails', async () => {
    const broken = { log: { content: 'needle' }, down: new StorageError('unavailable', 'at secret-host') }
    expect((await fail(toolOf(broken, { scoped: true }), { pattern: 'needle' })).code).toBe('unavailable')
  })

  it('says that the pattern is not a regular expression', async () => {
    expect(await ask(toolOf(entries, { scoped: true }), { pattern: '(needle' })).toMatch(
      /^\[0 matches in 0 of 4 stored results\]\n\[The pattern is not a valid regular expression \(.+\), so/,
    )
  })

  it('is refused without a scope, and if the storage cannot list', async () => {
    const unscoped = createRetrievalTool({
      storage: storageOf(entries, true),
      scoped: false,
      maxRetrievalTokens: 500,
      countTokens,
    })
    const cannotList = createRetrievalTool({
      storage: storageOf(entries, false),
      scoped: true,
      maxRetrievalTokens: 500,
      countTokens,
    })
    for (const tool of [unscoped, cannotList]) {
      const refused = await fail(tool, { pattern: 'needle' })
      expect(refused.code).toBe('invalid-input')
      expect(refused.text).toContain('pattern needs a reference')
      const unknown = await fail(tool, { reference: 'unknown' })
      expect(unknown.code).toBe('not-found')
      expect(unknown.text).not.toContain('newer')
      expect(tool.inputSchema.required).toEqual(['reference'])
    }
  })

  it('has only counts with count_only', async () => {
    expect(await ask(toolOf(entries, { scoped: true }), { pattern: 'needle|alpha', count_only: true })).toBe(
      [
        '[3 matches in 2 of 4 stored results]',
        '[Not searched: 1 binary result]',
        '[newer (application/json, 13 bytes): 1 match]',
        '[older (text/plain, 20 bytes): 2 matches]',
      ].join('\n'),
    )
    expect(await ask(toolOf(entries, { scoped: true }), { pattern: 'absent', count_only: true })).toBe(
      '[0 matches in 0 of 4 stored results]\n[Not searched: 1 binary result]',
    )
  })

  it('gives each result the same number of matches, and the last matches if the call requests them', async () => {
    const content = Array.from({ length: 9 }, (_, index) => `needle ${index}`).join('\n')
    const tool = toolOf({ one: { content }, two: { content } }, { scoped: true, maxRetrievalTokens: 98 })
    const text = await ask(tool, { pattern: 'needle', context_lines: 0, from_end: true })
    const last = ['> 7| needle 6', '> 8| needle 7', '> 9| needle 8']
    expect(text.match(/^> .*/gm)).toEqual([...last, ...last])
    expect(text).toContain('== two (text/plain, 80 bytes): 9 matches, 3 shown ==')
    expect((await fail(tool, { pattern: 'needle', after: 2 })).text).toContain('after needs a reference')
  })

  it("names each result's tool, and its age from one minute on", async () => {
    const at = (minutes: number): number => Date.now() - minutes * 60_000
    const tool = toolOf(
      {
        day: { content: 'needle', storedAt: at(60 * 49), metadata: { tool: 'read_log' } },
        hour: { content: 'needle', storedAt: at(61) },
        minute: { content: 'needle', storedAt: at(1.5), metadata: { tool: 'a\nb' } },
        unknown: { content: 'needle', storedAt: Number.NaN },
      },
      { scoped: true },
    )
    const text = await ask(tool, { pattern: 'needle' })
    expect(text).toContain('== day (read_log, text/plain, 6 bytes, 2 days ago): 1 match ==')
    expect(text).toContain('== hour (text/plain, 6 bytes, 1 h ago): 1 match ==')
    expect(text).toContain('== minute ("a b", text/plain, 6 bytes, 1 min ago): 1 match ==')
    expect(text).toContain('== unknown (text/plain, 6 bytes): 1 match ==')
  })

  it('shows the count of each result if there is no space for its lines', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`log_${index}`, { content: `needle ${'x'.repeat(400)}\n`.repeat(3) }]),
    )
    const text = await ask(toolOf(many, { scoped: true, maxRetrievalTokens: 500 }), { pattern: 'needle' })
    expect(text.match(/^(?:== |\[).*: 3 matches.*(?: ==|\])$/gm)).toHaveLength(12)
    expect(text.match(/^> .*/gm)!.length).toBeGreaterThan(0)
  })

  it('with a slow pattern searches as many entries as the deadline allows', async () => {
    const slow = { content: `${'a'.repeat(5_000)}!\n`.repeat(50) }
    const tool = toolOf({ older: { content: 'a hit\n' }, slow }, { scoped: true, deadlineMs: 60_000 })
    const text = await endStuckWorkers(() => ask(tool, { pattern: '(?:(a|aa)+$|hit)(?!b)' }))
    expect(text).toMatch(/^\[1 match in 1 of 2 stored results\]\n\[Not searched: 1 slow result\]\n/)
    const failed = await endStuckWorkers(() => fail(tool, { pattern: '(?:(a|aa)+$|hat)(?!b)' }))
    expect(failed.code).toBe('pattern-timeout')
  })
})

import { describe, expect, it } from 'vitest'
import { ask, countTokens, toolOf, users } from '../../test/retrieval-fixture.ts'

describe('a pattern', () => {
  it('shows matching lines with context, numbered and marked', async () => {
    expect(
      await ask(toolOf({ users: { content: users } }), { reference: 'users', pattern: 'admin', context_lines: 1 }),
    ).toBe(
      [
        '[2 matches for /admin/]',
        '',
        '  48| user 48',
        '> 49| admin 49',
        '  50| user 50',
        '> 51| admin 51',
        '  52| user 52',
      ].join('\n'),
    )
  })

  it('puts --- between windows that do not touch, and aligns the numbers', async () => {
    const tool = toolOf({ users: { content: users } })
    expect(await ask(tool, { reference: 'users', pattern: ' (9|12)$', context_lines: 1 })).toBe(
      [
        '[2 matches for / (9|12)$/]',
        '',
        '   8| user 8',
        '>  9| user 9',
        '  10| user 10',
        '  11| user 11',
        '> 12| user 12',
        '  13| user 13',
      ].join('\n'),
    )
    expect(await ask(tool, { reference: 'users', pattern: ' (9|12)$', context_lines: 0 })).toBe(
      ['[2 matches for / (9|12)$/]', '', '>  9| user 9', '---', '> 12| user 12'].join('\n'),
    )
  })

  it('takes five lines of context unless told otherwise, and none for 0', async () => {
    const tool = toolOf({ users: { content: users } })
    expect(await ask(tool, { reference: 'users', pattern: 'user 20$' })).toContain('  15| user 15\n')
    expect(await ask(tool, { reference: 'users', pattern: 'user 20$' })).not.toContain('| user 14')
    expect(await ask(tool, { reference: 'users', pattern: 'user 20$', context_lines: 0 })).toBe(
      '[1 match for /user 20$/]\n\n> 20| user 20',
    )
  })

  it('searches in a span of lines, with the context clamped to it', async () => {
    const tool = toolOf({ users: { content: users } })
    expect(await ask(tool, { reference: 'users', pattern: 'admin', line_range: { start: 50, end: 52 } })).toBe(
      ['[1 match for /admin/ in lines 50-52]', '', '  50| user 50', '> 51| admin 51', '  52| user 52'].join('\n'),
    )
    expect(await ask(tool, { reference: 'users', pattern: 'user 60', line_range: { start: 60, end: 900 } })).toBe(
      '[1 match for /user 60/ in lines 60-60]\n\n> 60| user 60',
    )
  })

  it('matches in any case when told to, also by an inline flag', async () => {
    const tool = toolOf({ users: { content: 'ADMIN\nadmin' } })
    expect(await ask(tool, { reference: 'users', pattern: 'Admin', ignore_case: true })).toContain(
      '[2 matches for /Admin/]',
    )
    expect(await ask(tool, { reference: 'users', pattern: '(?i)Admi[n]' })).toContain('[2 matches for /(?i)Admi[n]/]')
  })

  it('says how many lines it searched when nothing matches, and whether another case would', async () => {
    const tool = toolOf({ users: { content: 'ADMIN\nadmin\nx\n' }, one: { content: 'x' }, empty: { content: '' } })
    expect(await ask(tool, { reference: 'users', pattern: 'nothing' })).toBe(
      '[0 matches for /nothing/ (searched 3 lines)]',
    )
    expect(await ask(tool, { reference: 'users', pattern: 'nothing', line_range: { start: 2, end: 9 } })).toBe(
      '[0 matches for /nothing/ in lines 2-3 (searched 2 lines)]',
    )
    expect(await ask(tool, { reference: 'one', pattern: 'y' })).toBe('[0 matches for /y/ (searched 1 line)]')
    expect(await ask(tool, { reference: 'empty', pattern: 'y' })).toBe('[0 matches for /y/ (searched 0 lines)]')
    expect(await ask(tool, { reference: 'users', pattern: 'aDMIN' })).toBe(
      '[0 matches for /aDMIN/ (searched 3 lines)]\n[In another case: 2 matches for /aDMIN/. To see them: ' +
        'retrieve_offloaded_content {"reference":"users","pattern":"aDMIN","ignore_case":true}]',
    )
  })

  it('is searched literally when it is no regular expression, and the answer says so', async () => {
    expect(
      await ask(toolOf({ code: { content: 'main()\nmain(' } }), {
        reference: 'code',
        pattern: 'n()(',
        context_lines: 0,
      }),
    ).toContain('[The pattern is not a valid regular expression (')
    expect(
      await ask(toolOf({ code: { content: 'x\nrun(a[\n' } }), { reference: 'code', pattern: 'n(a[', context_lines: 0 }),
    ).toMatch(
      /^\[1 match for \/n\(a\[\/\]\n\[The pattern is not a valid .*\), so it was searched as literal text\.\]\n\n> 2\| run\(a\[$/,
    )
  })

  it('shows part of the matches when all are too many, and the call that continues', async () => {
    const lines = Array.from(
      { length: 3_000 },
      (_, index) => `${index % 3 === 0 ? 'failed' : 'passed'}: test number ${index + 1}`,
    )
    const tool = toolOf({ log: { content: lines.join('\n') } }, { maxRetrievalTokens: 400 })
    const shown = new Set<number>()
    let input: object | undefined = { reference: 'log', pattern: 'fail.d', context_lines: 0 }
    while (input !== undefined) {
      const text = await ask(tool, input)
      expect(countTokens(text)).toBeLessThanOrEqual(400)
      for (const [, number] of text.matchAll(/^> *(\d+)\|/gm)) {
        expect(shown.has(Number(number))).toBe(false)
        shown.add(Number(number))
      }
      const next: string | undefined = /To continue: retrieve_offloaded_content (\{.*\})\]$/.exec(text)?.[1]
      input = next === undefined ? undefined : (JSON.parse(next) as object)
    }
    expect([...shown]).toEqual(lines.flatMap((line, index) => (line.startsWith('failed') ? [index + 1] : [])))
  })

  it('counts all matches, also those that are not shown', async () => {
    const tool = toolOf({ log: { content: 'a hit\n'.repeat(20_000) } }, { maxRetrievalTokens: 100 })
    expect(await ask(tool, { reference: 'log', pattern: 'hit' })).toMatch(
      /^\[20,000 matches for \/hit\/\]\n[^]*\[Shown: \d+ of 20,000 matches\./,
    )
  })

  it('shows a hit deep in a very long line, with its columns', async () => {
    const line = `${'x'.repeat(10_000)}needle${'y'.repeat(1_038_570)}`
    const text = await ask(toolOf({ one: { content: `first\n${line}\nlast` } }), {
      reference: 'one',
      pattern: 'needl.',
      context_lines: 1,
    })
    expect(text).toMatch(/^> 2\| …x+needley+… {2}\[columns 8,004-12,003 of 1,048,576\]$/m)
    expect(text).toMatch(/^ {2}1\| first$/m)
    expect(text).toMatch(/^ {2}3\| last$/m)
  })

  it('shows long lines without a match from their start', async () => {
    const text = await ask(toolOf({ log: { content: `${'é'.repeat(9_000)}\nhit` } }), {
      reference: 'log',
      pattern: 'hit',
    })
    expect(text).toMatch(/^ {2}1\| é{4000}… \[5,000 more characters\]$/m)
  })

  it('writes its header on one line of bounded length', async () => {
    const text = await ask(toolOf({ log: { content: 'x' } }), {
      reference: 'log',
      pattern: `a\n[9 matches for /x/]\u2028${'b'.repeat(200)}`,
    })
    expect(text).toBe(`[0 matches for /a [9 matches for /x/] ${'b'.repeat(27)}…/ (searched 1 line)]`)
  })
})

import { endStuckWorkers } from '@spillway-internal/test-inputs'
import { describe, expect, it } from 'vitest'
import { ask, countTokens, toolOf, users } from '../../test/retrieval-fixture.ts'

describe('an answer to a pattern', () => {
  it('shows matching lines with context, numbered and marked', async () => {
    expect(
      await ask(toolOf({ users: { content: users } }), { reference: 'users', pattern: 'admin', context_lines: 1 }),
    ).toBe(
      ['[2 matches]', '', '  48| user 48', '> 49| admin 49', '  50| user 50', '> 51| admin 51', '  52| user 52'].join(
        '\n',
      ),
    )
  })

  it('shows the names of the columns of a table above its lines', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => `${index},name ${index},2026-01-01`)
    const entries = { csv: { content: ['id,name,date', ...rows].join('\n') }, rows: { content: rows.join('\n') } }
    const tool = toolOf(entries, { maxRetrievalTokens: 90 })
    const search = (call: object): Promise<string> => ask(tool, { reference: 'csv', context_lines: 0, ...call })
    expect(await search({ pattern: 'name 77,' })).toBe(
      '[1 match]\n\n   1| id,name,date\n---\n> 79| 77,name 77,2026-01-01',
    )
    expect(await search({ pattern: 'name', from_end: true })).toContain('\n\n    1| id,name,date\n---\n> ')
    expect(await search({ pattern: 'id,name' })).toBe('[1 match]\n\n> 1| id,name,date')
    expect(await search({ reference: 'rows', pattern: 'name 77,' })).toBe('[1 match]\n\n> 78| 77,name 77,2026-01-01')
  })

  it('puts --- between separate groups of lines, and aligns line numbers', async () => {
    const tool = toolOf({ users: { content: users } })
    expect(await ask(tool, { reference: 'users', pattern: ' (9|12)$', context_lines: 1 })).toBe(
      [
        '[2 matches]',
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
      ['[2 matches]', '', '>  9| user 9', '---', '> 12| user 12'].join('\n'),
    )
  })

  it('has five lines of context by default, and none with context_lines 0', async () => {
    const tool = toolOf({ users: { content: users } })
    expect(await ask(tool, { reference: 'users', pattern: 'user 20$' })).toContain('  15| user 15\n')
    expect(await ask(tool, { reference: 'users', pattern: 'user 20$' })).not.toContain('| user 14')
    expect(await ask(tool, { reference: 'users', pattern: 'user 20$', context_lines: 0 })).toBe(
      '[1 match]\n\n> 20| user 20',
    )
  })

  it('searches a range of lines, and shows no context outside of it', async () => {
    const tool = toolOf({ users: { content: users } })
    expect(await ask(tool, { reference: 'users', pattern: 'admin', line_range: { start: 50, end: 52 } })).toBe(
      ['[1 match in lines 50-52]', '', '  50| user 50', '> 51| admin 51', '  52| user 52'].join('\n'),
    )
    expect(await ask(tool, { reference: 'users', pattern: 'user 60', line_range: { start: 60, end: 900 } })).toBe(
      '[1 match in lines 60-60]\n\n> 60| user 60',
    )
  })

  it('ignores case if the call or an inline flag requests it', async () => {
    const tool = toolOf({ users: { content: 'ADMIN\nadmin' } })
    expect(await ask(tool, { reference: 'users', pattern: 'Admin', ignore_case: true })).toContain('[2 matches]')
    expect(await ask(tool, { reference: 'users', pattern: '(?i)Admi[n]' })).toContain('[2 matches]')
  })

  it('without matches says how many lines were searched, and whether another case would match', async () => {
    const tool = toolOf({ users: { content: 'ADMIN\nadmin\nx\n' }, one: { content: 'x' }, empty: { content: '' } })
    expect(await ask(tool, { reference: 'users', pattern: 'nothing' })).toBe('[0 matches (searched 3 lines)]')
    expect(await ask(tool, { reference: 'users', pattern: 'nothing', line_range: { start: 2, end: 9 } })).toBe(
      '[0 matches in lines 2-3 (searched 2 lines)]',
    )
    expect(await ask(tool, { reference: 'one', pattern: 'y' })).toBe('[0 matches (searched 1 line)]')
    expect(await ask(tool, { reference: 'empty', pattern: 'y' })).toBe('[0 matches (searched 0 lines)]')
    expect(await ask(tool, { reference: 'users', pattern: 'aDMIN' })).toBe(
      '[0 matches (searched 3 lines)]\n[In another case: 2 matches. To see them: ' +
        'retrieve_offloaded_content {"reference":"users","pattern":"aDMIN","ignore_case":true}]',
    )
  })

  it('searches literally if the pattern is not a regular expression, and says so', async () => {
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
      /^\[1 match\]\n\[The pattern is not a valid .*\), so it was searched as literal text\.\]\n\n> 2\| run\(a\[$/,
    )
  })

  it('shows some matches if there are too many, and the call that continues', async () => {
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

  it('counts all matches, even those not shown', async () => {
    const tool = toolOf({ log: { content: 'a hit\n'.repeat(20_000) } }, { maxRetrievalTokens: 100 })
    expect(await ask(tool, { reference: 'log', pattern: 'hit' })).toMatch(
      /^\[20,000 matches\]\n[^]*\[Shown: \d+ of 20,000 matches\./,
    )
  })

  it("shows a match deep in a very long line, with its byte offset and the line's bytes", async () => {
    const line = `${'x'.repeat(10_000)}needle${'y'.repeat(1_038_570)}`
    const text = await ask(toolOf({ one: { content: `first\n${line}\nlast` } }), {
      reference: 'one',
      pattern: 'needl.',
      context_lines: 1,
    })
    expect(text).toMatch(/^> 2\| …x+needley+… {2}\[bytes 9,510-10,509 of 7-1,048,582\]$/m)
    expect(text).toMatch(/^ {2}1\| first$/m)
    expect(text).toMatch(/^ {2}3\| last$/m)
  })

  it('shows long lines without a match from their start', async () => {
    const text = await ask(toolOf({ log: { content: `${'é'.repeat(9_000)}\nhit` } }), {
      reference: 'log',
      pattern: 'hit',
    })
    expect(text).toMatch(/^ {2}1\| é{1000}… {2}\[bytes 1-2,000 of 1-18,000\]$/m)
  })

  it('does not repeat the pattern, so that a pattern cannot imitate a header', async () => {
    const pattern = `a\n[9 matches]\u2028${'b'.repeat(200)}`
    const text = await ask(toolOf({ log: { content: 'x' } }), { reference: 'log', pattern })
    expect(text).toMatch(/^\[0 matches \(searched 1 line\)\]\n\[Lines are matched one by one[^\n]*\]$/)
  })

  it('has only the count and the first and last matching line with count_only', async () => {
    const lines = Array.from({ length: 9_000 }, (_, index) => (index % 3 === 1 ? 'hit' : 'hay'))
    const tool = toolOf({ log: { content: [...lines, ...Array.from({ length: 60_000 }, () => 'hay')].join('\n') } })
    const count = (call: object): Promise<string> => ask(tool, { reference: 'log', count_only: true, ...call })
    expect(await count({ pattern: 'hit' })).toBe('[3,000 matches; the first is in line 2, the last in line 8999]')
    expect(await count({ pattern: 'h.' })).toBe('[69,000 matches; the first is in line 1]')
    expect(await count({ pattern: 'hit', line_range: { start: 3, end: 9 } })).toBe(
      '[2 matches in lines 3-9; the first is in line 5, the last in line 8]',
    )
    expect(await count({ pattern: 'hit', line_range: { start: 3, end: 5 } })).toBe(
      '[1 match in lines 3-5; it is in line 5]',
    )
    expect(await count({ pattern: 'hat' })).toBe('[0 matches (searched 69,000 lines)]')
  })

  it('shows as many matches as fit, from the start or the end, and says which', async () => {
    const tool = toolOf({ users: { content: users } }, { maxRetrievalTokens: 80 })
    const search = (call: object): Promise<string> =>
      ask(tool, { reference: 'users', pattern: 'user', context_lines: 0, ...call })
    expect(await search({})).toMatch(
      /^\[58 matches\]\n\n> {1,2}1\| user 1\n[^]*\[Shown: \d+ of 58 matches\. To continue: .*"line_range":\{"start":\d+,"end":60\}\}\]$/,
    )
    expect(await search({ from_end: true })).toMatch(
      /^\[Last \d+ of 58 matches\]\n\n[^]*> 60\| user 60\n\n\[Shown: (\d+) of 58 matches\. .*"after":\1,"from_end":true\}\]$/,
    )
    expect(await search({ after: 57 })).toBe('[Match 58 of 58]\n\n> 60| user 60')
    expect(await search({ after: 56, from_end: true })).toBe('[Matches 1-2 of 58]\n\n> 1| user 1\n> 2| user 2')
    expect(await search({ after: 58 })).toBe('[None left of 58 matches]')
  })

  it('tries a shorter pattern once if a pattern with extra parts matches nothing', async () => {
    const lines = ['12:00 ERROR a.b(c) failed', '{\\"id\\": 7}', '12:01 ok', 'total: 5$']
    const tool = toolOf({ log: { content: lines.join('\n') } })
    const hint = async (pattern: string): Promise<string | undefined> =>
      (await ask(tool, { reference: 'log', pattern })).split('\n')[1]
    const call = (pattern: string): string =>
      `To see them: retrieve_offloaded_content ${JSON.stringify({ reference: 'log', pattern })}]`
    expect(await hint('^ERROR')).toBe(`[Without anchors: 1 match. ${call('ERROR')}`)
    expect(await hint('/error/i')).toContain('[Without the marks around it: 1 match. To see them: ')
    expect(await hint('/ERR[O]R/')).toBe(`[Without the marks around it: 1 match. ${call('ERR[O]R')}`)
    expect(await hint('^no.such')).toBeUndefined()
    expect(await hint('a.b(c)')).toBe(`[As literal text: 1 match. ${call('a\\.b\\(c\\)')}`)
    expect(await hint('\\\\d\\\\d:01')).toBe(`[With single backslashes: 1 match. ${call('\\d\\d:01')}`)
    expect(await hint('"id": 7')).toContain('[With any quotes: 1 match. ')
    expect(await hint('5\\$(')).toContain('is not a valid regular expression (')
    const both = (await ask(tool, { reference: 'log', pattern: '^error A.B(C)' })).split('\n')
    expect(both).toHaveLength(1)
  })

  it.each([
    ['ERROR\\|WARN', 'In syntax that works here', 'ERROR|WARN'],
    ['\\(ERROR\\|WARN\\) a', 'In syntax that works here', '(ERROR|WARN) a'],
    ['\\<ERROR\\>', 'In syntax that works here', '\\bERROR\\b'],
    ['id=\\K\\d+', 'In syntax that works here', 'id=\\d+'],
    ['\\d++:\\d+ ERROR', 'In syntax that works here', '\\d+:\\d+ ERROR'],
    ['(?>ERROR) a', 'In syntax that works here', '(?:ERROR) a'],
    ['\\Qa.b(c)\\E', 'In syntax that works here', 'a\\.b\\(c\\)'],
    ['"ERROR"', 'Without the marks around it', 'ERROR'],
    ["name='x'", 'With any quotes', 'name=\\\\*["\'`]x\\\\*["\'`]'],
    ['^+new', 'As literal text', '\\+new'],
    ['*.log', 'With * for any text', '.*\\.log'],
    ['ERROR AND failed', 'With its words in one line', 'ERROR.*failed'],
    ['panic, failed', 'With any of its words', 'panic|failed'],
  ])('names the pattern that %s is meant to be if it matches nothing', async (pattern, label, meant) => {
    const tool = toolOf({ log: { content: '12:00 ERROR a.b(c) failed id=7\n<a name="x">\n+new\nx.log' } })
    const call = JSON.stringify({ reference: 'log', pattern: meant })
    const text = await ask(tool, { reference: 'log', pattern, count_only: true })
    expect(text).toContain(`\n[${label}: 1 match. To see them: retrieve_offloaded_content ${call}]`)
    expect(await ask(tool, JSON.parse(call) as object)).toMatch(/^\[1 match\]/)
  })

  it('ignores case for a pattern that does so only in a part', async () => {
    const tool = toolOf({ log: { content: 'one Error' } })
    expect(await ask(tool, { reference: 'log', pattern: 'one (?i:ERROR)' })).toContain('"pattern":"(?i)one (?:ERROR)"')
  })

  it('says that a word in brackets is a class', async () => {
    const tool = toolOf({ log: { content: '[ERROR] a\n[INFO] b' } })
    const first = async (pattern: string): Promise<string> =>
      (await ask(tool, { reference: 'log', pattern, context_lines: 0 })).split('\n').slice(0, 2).join('')
    expect(await first('[ERROR]')).toBe(
      '[2 matches][[ERROR] matches any one of its characters. Its text is matched by \\[ERROR\\]]',
    )
    for (const pattern of ['\\[ERROR\\]', '[ERROR]+', '[A-Z]', '[abc]'])
      expect(await first(pattern)).not.toContain('any one')
  })

  it('says that a pattern with a line feed matches nothing', async () => {
    const tool = toolOf({ log: { content: 'one\ntwo\nC:\\new\n' } }, { scoped: true })
    const notes = async (call: object): Promise<string[]> =>
      (await ask(tool, call)).split('\n').filter((line) => line.startsWith('[Lines are matched one by one'))
    for (const pattern of ['one\ntwo', 'one\\r?\\ntwo', 'one(\ntwo', 'one[\\s\\S]*two', '(?s)one.two']) {
      expect(await notes({ reference: 'log', pattern })).toHaveLength(1)
      expect(await notes({ pattern })).toHaveLength(1)
    }
    for (const pattern of ['one[^\\n]*two', 'C:\\\\never', 'one\n|two', 'three'])
      expect(await notes({ reference: 'log', pattern })).toEqual([])
  })

  it('tries a shorter pattern at the start of large content if nothing matches', async () => {
    const lines = Array.from({ length: 90_000 }, (_, index) =>
      index % 1_000 === 7 ? 'an ERROR happened' : 'all went well',
    )
    const tool = toolOf({ log: { content: lines.join('\n') }, one: { content: 'x'.repeat(2_000_000) } })
    expect(await ask(tool, { reference: 'log', pattern: 'error' })).toMatch(
      /^\[0 matches \(searched 90,000 lines\)\]\n\[In another case: \d+ matches in lines 1-\d{5}\. To see them: retrieve_offloaded_content \{"reference":"log","pattern":"error","ignore_case":true\}\]$/,
    )
    const range = { start: 5_000, end: 90_000 }
    expect(await ask(tool, { reference: 'log', pattern: 'error', line_range: range })).toMatch(
      / in lines 5000-\d{5}\. To see them: .*"line_range":\{"start":5000,"end":90000\},"ignore_case":true\}\]$/,
    )
    expect(await ask(tool, { reference: 'one', pattern: 'X' })).toBe('[0 matches (searched 1 line)]')
  })

  it('shows each match of a very long line separately, and in JSON with its path', async () => {
    const items = Array.from({ length: 2_000 }, (_, id) => ({ id, note: id % 500 === 99 ? 'the needle' : 'hay' }))
    const tool = toolOf({ json: { content: JSON.stringify({ items }) } }, { maxRetrievalTokens: 5_000 })
    const text = await ask(tool, { reference: 'json', pattern: 'needle' })
    expect(text).toMatch(/^\[4 matches in 1 line\]\n/)
    for (const id of [99, 599, 1_099, 1_599]) {
      expect(text).toMatch(
        new RegExp(
          `^> 1\\| .*"id":${id},"note":"the needle".* \\[bytes .* of 1-[\\d,]+, \\$\\.items\\[${id}\\]\\.note\\]$`,
          'm',
        ),
      )
    }
  })

  it('names the page of a match in a document', async () => {
    const pages = ['Intro', 'needle', 'hay', 'needle'].map(
      (text, index) => `--- page ${index + 1} of 4 ---\n\n${text}\n`,
    )
    const tool = toolOf({ text: { content: pages.join('\n'), contentType: 'text/markdown' } })
    expect(await ask(tool, { reference: 'text', pattern: 'needle', context_lines: 0 })).toBe(
      '[2 matches]\n\n>  7| needle  [page 2]\n---\n> 15| needle  [page 4]',
    )
  })

  it('says how much was searched before the deadline, and how to search the remaining lines', async () => {
    const slow = `${'a'.repeat(5_000)}!\n`
    const tool = toolOf({ log: { content: `${'a hit\n'.repeat(30_000)}${slow.repeat(9)}` } }, { deadlineMs: 60_000 })
    const call = { reference: 'log', pattern: '(?:(a|aa)+$|hit)(?!b)', context_lines: 0 }
    const stopped = (more: object): Promise<string> => endStuckWorkers(() => ask(tool, { ...call, ...more }))
    expect(await stopped({ count_only: true })).toMatch(
      /^\[Stopped after \S+ m?s at line 21,845, 58 % of the content\. So far: 21,844 matches; .*\n\[Not all was searched\. To continue: retrieve_offloaded_content \{.*"line_range":\{"start":21845,"end":30009\}\}\]$/,
    )
    expect(await stopped({})).toMatch(
      /^\[Stopped .* So far: 21,844 matches\]\n[^]*"line_range":\{"start":\d+,"end":30009\}\}\]$/,
    )
    expect(await stopped({ from_end: true })).toMatch(
      /So far: Last \d+ of [^]*\[Not all was searched\. To continue: .*"line_range":\{"start":21845,"end":30009\},"from_end":true\}\]$/,
    )
  })

  it('continues a slow search by calls that visit each line once', async () => {
    let state = 1
    const next = (): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 31
    const lines = Array.from({ length: 400 }, () => Array.from({ length: 150 }, () => 'ab'[next()]!).join(''))
    const expected = lines.filter((line) => line.at(-62) === 'a').length
    const tool = toolOf({ log: { content: lines.join('\n') } }, { deadlineMs: 20 })
    let found = 0
    let stops = 0
    const first = { reference: 'log', pattern: '(?:[ab]*a|b{70})[ab]{61}$', count_only: true }
    for (let call: object | undefined = first; call !== undefined;) {
      const answer: string = await ask(tool, call)
      found += Number(/([\d,]+) match/.exec(answer)![1]!.replace(',', ''))
      const rest: string | undefined = /continue: retrieve_offloaded_content (\{.*\})\]$/.exec(answer)?.[1]
      call = rest === undefined ? undefined : (JSON.parse(rest) as object)
      if (call !== undefined) stops++
    }
    expect(found).toBe(expected)
    expect(stops).toBeGreaterThan(0)
  })
})

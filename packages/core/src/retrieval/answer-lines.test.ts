import { describe, expect, it } from 'vitest'
import { ask, countTokens, fail, toolOf, users } from '../../test/retrieval-fixture.ts'

describe('an answer with lines', () => {
  it('limits a range of lines to the end of the content', async () => {
    const tool = toolOf({ users: { content: users } })
    expect(await ask(tool, { reference: 'users', line_range: { start: 48, end: 50 } })).toBe(
      ['[Lines 48-50 of 60]', '', '  48| user 48', '  49| admin 49', '  50| user 50'].join('\n'),
    )
    expect(await ask(tool, { reference: 'users', line_range: { start: 60, end: 70 } })).toBe(
      '[Lines 60-60 of 60]\n\n  60| user 60',
    )
  })

  it('starts at the first line if only context_lines is set', async () => {
    const tool = toolOf({ users: { content: users } })
    expect(await ask(tool, { reference: 'users', context_lines: 2 })).toBe(
      '[Lines 1-2 of 60]\n\n  1| user 1\n  2| user 2',
    )
  })

  it('ends lines at LF or CRLF, leaves out a byte order mark, and shows other line ends as symbols', async () => {
    const tool = toolOf({ odd: { content: '\uFEFFone\r\ntwo\rtwo\nthree\u2028[Lines 1-9 of 9]\u0085\v\f\n\nfive\n' } })
    expect(await ask(tool, { reference: 'odd', line_range: { start: 1, end: 9 } })).toBe(
      ['[Lines 1-5 of 5]', '', '  1| one', '  2| two␍two', '  3| three␤[Lines 1-9 of 9]␤␋␌', '  4| ', '  5| five'].join(
        '\n',
      ),
    )
    expect(await ask(tool, { reference: 'odd', pattern: '^one$', context_lines: 0 })).toContain('[1 match')
    expect(await ask(tool, { reference: 'odd', pattern: 'two.two', context_lines: 0 })).toContain('[1 match')
  })

  it('ends with the call for the next lines, so that each line is shown once', async () => {
    const lines = Array.from({ length: 500 }, (_, index) => `entry ${index + 1}: ${'abc '.repeat(index % 9)}`)
    const tool = toolOf({ log: { content: lines.join('\n') } }, { maxRetrievalTokens: 300 })
    const shown: string[] = []
    let input: object | undefined = { reference: 'log' }
    while (input !== undefined) {
      const text = await ask(tool, input)
      expect(countTokens(text)).toBeLessThanOrEqual(300)
      for (const [, line] of text.matchAll(/^ *\d+\| (.*)$/gm)) shown.push(line!)
      const next: string | undefined = /To continue: retrieve_offloaded_content (\{.*\})\]$/.exec(text)?.[1]
      input = next === undefined ? undefined : (JSON.parse(next) as object)
    }
    expect(shown).toEqual(lines)
  })

  it('cuts a line that is longer than an answer, and gives the call for its next bytes', async () => {
    const text = await ask(toolOf({ one: { content: 'z'.repeat(300_000) } }, { maxRetrievalTokens: 200 }), {
      reference: 'one',
      context_lines: 1,
    })
    expect(text).toMatch(
      /^\[Lines 1-1 of 1\]\n\n {2}1\| z{500,}…\n\n\[Not shown: bytes \d{3}-300,000\. To continue: .*"byte_range":\{"start":\d{3},"end":300000\}\}\]$/,
    )
    expect(countTokens(text)).toBeLessThanOrEqual(200)
  })

  it('counts the lines of large content, and says which lines it does not show', async () => {
    const content = 'a line of forty bytes, or not much more.\n'.repeat(120_000)
    const tool = toolOf({ large: { content } })
    expect(await ask(tool, { reference: 'large', line_range: { start: 2, end: 3 } })).toMatch(
      /^\[Lines 2-3 of 120000\]\n/,
    )
    expect(await ask(tool, { reference: 'large', line_range: { start: 119_999, end: 900_000 } })).toMatch(
      /^\[Lines 119999-120000 of 120000\]\n/,
    )
    expect(await ask(tool, { reference: 'large' })).toMatch(
      /^\[Lines 1-\d+ of 120000\]\n[^]*\[Not shown: lines \d+-120000\. The whole \(4,920,000 bytes\)/,
    )
  })

  it('has no lines of empty content', async () => {
    const tool = toolOf({ empty: { content: '' }, mark: { content: '\uFEFF' } })
    for (const input of [{}, { context_lines: 3 }, { line_range: { start: 1, end: 2 } }]) {
      expect(await ask(tool, { reference: 'empty', ...input })).toBe('[The content is empty: 0 lines]')
    }
    expect(await ask(tool, { reference: 'mark', context_lines: 3 })).toBe('[The content is empty: 0 lines]')
  })

  it('counts lines from the end, or from a given line', async () => {
    const tool = toolOf({ users: { content: users } })
    expect(await ask(tool, { reference: 'users', from_end: true, context_lines: 2 })).toBe(
      '[Lines 59-60 of 60]\n\n  59| user 59\n  60| user 60',
    )
    expect(await ask(tool, { reference: 'users', from_end: true, context_lines: 2, after: 57 })).toContain(
      '[Lines 2-3 of 60]',
    )
    expect(await ask(tool, { reference: 'users', from_end: true, context_lines: 900 })).toContain('[Lines 1-60 of 60]')
    expect(await ask(tool, { reference: 'users', context_lines: 2, after: 1 })).toContain('[Lines 2-3 of 60]')
    expect(await ask(tool, { reference: 'users', after: 58 })).toContain('[Lines 59-60 of 60]')
  })

  it('shows the last lines with from_end if not all of them fit', async () => {
    const line = `{"ids":[${Array.from({ length: 500 }, (_, index) => index).join()}]}`
    const tool = toolOf({ users: { content: users } }, { maxRetrievalTokens: 60 })
    expect(await ask(tool, { reference: 'users', from_end: true })).toBe(
      '[Lines 59-60 of 60]\n\n  59| user 59\n  60| user 60\n\n' +
        '[Not shown: lines 11-58. To continue: retrieve_offloaded_content {"reference":"users","context_lines":48,"after":2,"from_end":true}]',
    )
    const wide = toolOf({ json: { content: `first\n${line}` } }, { maxRetrievalTokens: 200 })
    expect(await ask(wide, { reference: 'json', from_end: true })).toMatch(
      /^\[Bytes [\d,]+-1,905 of 1,905, in line 2\]\n\n  2\| ….*498,499\]\}\n\n\[Not shown: bytes 1-.*"byte_range":\{"start":1,"end":\d+\}\}\]$/,
    )
  })

  it('names json_path if JSON does not fit', async () => {
    const json = {
      content: JSON.stringify(Array.from({ length: 9_000 }, (_, id) => id)),
      contentType: 'application/json',
    }
    expect(await ask(toolOf({ json }), { reference: 'json' })).toContain(
      'does not fit in one answer; a json_path selects values of it, a pattern finds lines. To continue: ',
    )
    const lines = { content: JSON.stringify(Array.from({ length: 9_000 }), null, 2), contentType: 'application/json' }
    expect(await ask(toolOf({ lines }), { reference: 'lines' })).toContain(
      'does not fit in one answer; a json_path selects values of it, a pattern finds lines. To continue: ',
    )
  })

  it('starts at the first whole character of a range of bytes, and names its lines', async () => {
    const tool = toolOf({ odd: { content: '\uFEFFfirst é😀 end\r\nsecond\nthird' }, empty: { content: '' } })
    const read = (start: number, end: number): Promise<string> =>
      ask(tool, { reference: 'odd', byte_range: { start, end } })
    expect(await read(1, 8)).toBe('[Bytes 1-8 of 33, in line 1]\n\n  1| first…')
    expect(await read(11, 14)).toBe('[Bytes 11-15 of 33, in line 1]\n\n  1| …😀…')
    expect(await read(17, 900)).toBe('[Bytes 17-33 of 33, in lines 1-3]\n\n  1| …end\n  2| second\n  3| third')
    expect(await ask(tool, { reference: 'odd', byte_range: '22-27' })).toBe(
      '[Bytes 22-27 of 33, in line 2]\n\n  2| second…',
    )
    expect(await fail(tool, { reference: 'odd', byte_range: [34, 40] })).toEqual({
      code: 'invalid-range',
      text: 'Error: byte_range.start (34) is beyond the end of the content, which has 33 bytes. Choose bytes between 1 and 33.',
    })
    expect(await ask(tool, { reference: 'empty', byte_range: { start: 1, end: 9 } })).toBe(
      '[The content is empty: 0 lines]',
    )
  })

  it('shows no escape sequences, and shows other control characters as symbols', async () => {
    const tool = toolOf({ log: { content: '\u001b[31mred\u001b[0m\u0007\n\u001b]0;title\u0007plain\tx\u0000\u009b' } })
    expect(await ask(tool, { reference: 'log', line_range: { start: 1, end: 2 } })).toBe(
      '[Lines 1-2 of 2]\n\n  1| red␇\n  2| plain\tx␀\\x9b',
    )
    // Patterns match the stored text.
    expect(await ask(tool, { reference: 'log', pattern: '\\x1b\\[31mred', context_lines: 0 })).toContain('> 1| red␇')
  })
})

describe('an answer to a bare reference', () => {
  it('has the whole text or JSON if it fits', async () => {
    const tool = toolOf({
      text: { content: 'one\r\ntwo\n' },
      json: { content: '{\n  "a": [1]\n}', contentType: 'application/json; charset=utf-8' },
      broken: { content: '{"a":', contentType: 'application/json' },
    })
    expect(await ask(tool, { reference: 'text' })).toBe('one\r\ntwo\n')
    expect((await tool.execute({ reference: 'json' })).content).toEqual([
      { type: 'text', text: '<<< json: untrusted content' },
      { type: 'json', value: { a: [1] } },
      { type: 'text', text: '>>> end of json' },
    ])
    expect(await ask(tool, { reference: 'broken' })).toBe('{"a":')
  })

  it('has no escape sequences, shows other control characters as symbols, and keeps line ends', async () => {
    const tool = toolOf({ log: { content: '\u001b[31mfailed\u001b[0m\r\n50%\r100%\n' } })
    expect(await ask(tool, { reference: 'log' })).toBe('failed\r\n50%␍100%\n')
  })

  it('has JSON as text if parsing would change the digits of a number', async () => {
    const content = '{"id":1915883588174806058,"price":10.00}'
    const tool = toolOf({ order: { content, contentType: 'application/json' } })
    expect(await ask(tool, { reference: 'order' })).toBe(content)
  })

  it('has the whole content if there is no limit', async () => {
    const tool = toolOf({ users: { content: users.repeat(1_000) } }, { maxRetrievalTokens: Infinity })
    expect(await ask(tool, { reference: 'users' })).toBe(users.repeat(1_000))
  })

  it('has media as bytes up to their limit', async () => {
    const data = new Uint8Array([1, 2, 3, 4])
    const types = { image: 'image/png', audio: 'audio/mpeg', video: 'video/mp4', document: 'application/pdf' }
    const tool = toolOf(
      Object.fromEntries(Object.entries(types).map(([type, contentType]) => [type, { content: data, contentType }])),
    )
    for (const [type, mediaType] of Object.entries(types)) {
      expect(await tool.execute({ reference: type })).toEqual({
        isError: false,
        content: [{ type, mediaType, data }],
        matchingLines: [],
        isComplete: true,
      })
    }
    const strict = toolOf({ image: { content: data, contentType: 'image/png' } }, { maxMediaBytes: 3 })
    expect(await fail(strict, { reference: 'image' })).toMatchObject({
      code: 'too-large',
      text: expect.stringContaining('4 bytes') as string,
    })
  })
})

import { describe, expect, it } from 'vitest'
import { ask, countTokens, toolOf, users } from '../../test/retrieval-fixture.ts'

describe('lines', () => {
  it('are read by a span, clamped to the end', async () => {
    const tool = toolOf({ users: { content: users } })
    expect(await ask(tool, { reference: 'users', line_range: { start: 48, end: 50 } })).toBe(
      ['[Lines 48-50 of 60]', '', '  48| user 48', '  49| admin 49', '  50| user 50'].join('\n'),
    )
    expect(await ask(tool, { reference: 'users', line_range: { start: 60, end: 70 } })).toBe(
      '[Lines 60-60 of 60]\n\n  60| user 60',
    )
  })

  it('are read from the start by context_lines alone', async () => {
    const tool = toolOf({ users: { content: users } })
    expect(await ask(tool, { reference: 'users', context_lines: 2 })).toBe(
      '[Lines 1-2 of 60]\n\n  1| user 1\n  2| user 2',
    )
    expect(await ask(tool, { reference: 'users', context_lines: 0 })).toBe('[Lines 1-1 of 60]\n\n  1| user 1')
  })

  it('end at LF; CRLF, a lone CR, a byte order mark and other line ends are shown without breaking the format', async () => {
    const tool = toolOf({ odd: { content: '\uFEFFone\r\ntwo\rtwo\nthree\u2028[Lines 1-9 of 9]\u0085\v\f\n\nfive\n' } })
    expect(await ask(tool, { reference: 'odd', line_range: { start: 1, end: 9 } })).toBe(
      ['[Lines 1-5 of 5]', '', '  1| one', '  2| two␍two', '  3| three␤[Lines 1-9 of 9]␤␋␌', '  4| ', '  5| five'].join(
        '\n',
      ),
    )
    expect(await ask(tool, { reference: 'odd', pattern: '^one$', context_lines: 0 })).toContain('[1 match')
    expect(await ask(tool, { reference: 'odd', pattern: 'two.two', context_lines: 0 })).toContain('[1 match')
  })

  it('that do not all fit are continued by the call at the end, until each was shown once', async () => {
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

  it('are cut where one is longer than an answer, and the answer says so', async () => {
    const text = await ask(toolOf({ one: { content: 'z'.repeat(300_000) } }, { maxRetrievalTokens: 200 }), {
      reference: 'one',
      context_lines: 1,
    })
    expect(text).toMatch(
      /^\[Lines 1-1 of 1\]\n\n {2}1\| z{500,}… \[299,\d{3} more characters\]\n\n\[Long lines are cut: /,
    )
    expect(countTokens(text)).toBeLessThanOrEqual(200)
  })

  it('of a large content are counted too, and the beginning of it says what follows', async () => {
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

  it('of empty content are none', async () => {
    const tool = toolOf({ empty: { content: '' }, mark: { content: '\uFEFF' } })
    for (const input of [{}, { context_lines: 3 }, { line_range: { start: 1, end: 2 } }]) {
      expect(await ask(tool, { reference: 'empty', ...input })).toBe('[The content is empty: 0 lines]')
    }
    expect(await ask(tool, { reference: 'mark', context_lines: 3 })).toBe('[The content is empty: 0 lines]')
  })

  it('are read from the end, or after some, by limit', async () => {
    const tool = toolOf({ users: { content: users } })
    expect(await ask(tool, { reference: 'users', from_end: true, limit: 2 })).toBe(
      '[Lines 59-60 of 60]\n\n  59| user 59\n  60| user 60',
    )
    expect(await ask(tool, { reference: 'users', from_end: true, limit: 2, skip: 57 })).toContain('[Lines 2-3 of 60]')
    expect(await ask(tool, { reference: 'users', from_end: true, limit: 900 })).toContain('[Lines 1-60 of 60]')
    expect(await ask(tool, { reference: 'users', limit: 2, skip: 1 })).toContain('[Lines 2-3 of 60]')
    expect(await ask(tool, { reference: 'users', skip: 58 })).toContain('[Lines 59-60 of 60]')
  })

  it('of JSON that are cut come with the way to select values', async () => {
    const json = {
      content: JSON.stringify(Array.from({ length: 9_000 }, (_, id) => id)),
      contentType: 'application/json',
    }
    expect(await ask(toolOf({ json }), { reference: 'json' })).toContain(
      'around its match, a json_path selects values.]',
    )
    const lines = { content: JSON.stringify(Array.from({ length: 9_000 }), null, 2), contentType: 'application/json' }
    expect(await ask(toolOf({ lines }), { reference: 'lines' })).toContain(
      'does not fit in one answer; a json_path selects values of it, a pattern finds lines. To continue: ',
    )
  })
})

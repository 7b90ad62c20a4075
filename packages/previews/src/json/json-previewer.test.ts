import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '@spillway/text/internal'
import { previewWith } from '../../test/preview-with.ts'
import { previewText } from '../preview-text.ts'
import type { PreviewOptions, TextPreviewer } from '../previewer.ts'
import { jsonPreviewer, ndjsonPreviewer } from './json-previewer.ts'

interface Given extends Partial<PreviewOptions> {
  readonly words?: readonly string[]
  readonly pieces?: readonly string[]
  readonly previewer?: TextPreviewer
}

async function preview(text: string, given: Given = {}): Promise<string | undefined> {
  const { words = [], pieces = [text], previewer = jsonPreviewer(), ...options } = given
  return previewWith(previewer, pieces, options, { intent: { paths: [], words } })
}

const repeat = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, i) => make(i))
const showLines = (start: number, end: number): string => `lines ${start}-${end}`
const issues = repeat(300, (id) => ({
  id,
  title: `Issue number ${id}`,
  state: id % 3 === 0 ? 'open' : 'closed',
  user: { login: `user-${id % 20}`, admin: false },
  labels: id % 2 === 0 ? [{ name: 'bug', color: 'red' }] : [],
  ...(id === 137 ? { lockedBecause: 'spam' } : {}),
}))

it('a preview of JSON shows values of the only item of an array as for an object', async () => {
  const state = { status: 'exited', oom: true, code: 137 }
  const settings = Object.fromEntries(repeat(60, (index) => [`setting${index}`, { [`key${index}`]: index }]))
  const shown = await preview(JSON.stringify([{ id: 1, state, settings }]), { budgetTokens: 200 })
  expect(shown).toContain('state: {status: "exited", oom: true, code: 137}')
})

describe('an example SQL statement in a preview', () => {
  const showSql = (sql: string): string => `sql '${sql}'`
  const example = `: sql 'SELECT "state", count(*) FROM t GROUP BY 1']`

  it('counts the values of a column that has only a few, for the objects in an array', async () => {
    expect(await preview(JSON.stringify({ total: 300, issues }), { budgetTokens: 600, showSql })).toContain(example)
    const byLine = await preview(JSON.stringify(issues, undefined, 1), { budgetTokens: 600, showLines, showSql })
    expect(byLine).toMatch(/: lines \d+-\d+; sql 'SELECT "state", count\(\*\) FROM t GROUP BY 1'\]/)
  })

  it('is left out for a map, because its members are not rows', async () => {
    const map = Object.fromEntries(issues.map((issue) => [`issue-${issue.id}`, issue]))
    expect(await preview(JSON.stringify(map), { budgetTokens: 600, showSql })).not.toContain('sql')
  })
})

describe('the structure in a preview of JSON', () => {
  it('shows all keys in their paths, merged over all items, with their counts', async () => {
    const shown = await preview(JSON.stringify({ total: 300, issues, next: null }))
    expect(shown).toContain('[JSON, 1 line, ')
    expect(shown).toContain('issues: [300 items {id: 0..299')
    expect(shown).toMatch(/user: \{login(?:: [^}]*)?, admin: false\}/)
    expect(shown).toContain('labels: [0-1 items {name: "bug", color: "red"}]')
    expect(shown).toContain('lockedBecause?: "spam"')
    expect(shown).toContain('state: "open" ×100|"closed" ×200')
  })

  it('has a header that mentions single quotes, which JSON paths do not support', async () => {
    const records = repeat(300, (id) => `{'id': ${id}, 'name': 'user ${id}'}`)
    expect(await preview(`[${records.join(', ')}]`)).toContain('[JSON in single quotes, 1 line, ')
    expect(await preview(records.join('\n'))).toContain('[300 JSON records in single quotes')
    expect(await preview(JSON.stringify(records))).toContain('[JSON, 1 line, ')
  })

  it('shows similar members of a map once, with their number and first names', async () => {
    const map = Object.fromEntries(repeat(4_012, (index) => [`task-${index}`, { runs: index, owner: { name: 'x' } }]))
    const shown = await preview(JSON.stringify(map))
    expect(shown).toMatch(/\{4,012 keys task-0/)
    expect(shown).toContain('*: {runs: 0..4011, owner: {name: "x"}}')
  })

  it('shows the names of members in a map that every item has', async () => {
    const items = repeat(50, (index) => ({
      id: index,
      processes: { [`${4_000 + index}`]: { user: 'root', fd: index } },
    }))
    const shown = await preview(JSON.stringify(items), { budgetTokens: 900 })
    expect(shown).toMatch(/processes: \{1 keys? 4000, 4001, .*4049, \*: \{user: "root", fd: 0\.\.49\}\}/s)
  })

  it('prefers short lists of values to the start of a long value, even with tokens that long strings left', async () => {
    const items = repeat(9, (id) => ({
      item: {
        name: `a name of an item that is long, number ${id}`,
        digest: String(id).repeat(64),
        state: { exitCode: id === 5 ? 139 : 0, status: id === 5 ? 'exited' : 'running' },
        layers: `/layers/${id}/diff:`.repeat(40),
      },
    }))
    const shown = await preview(JSON.stringify({ kind: 'List', items }), { budgetTokens: 140 })
    expect(shown).toContain('exitCode: 0 ×8|139 ×1')
    expect(shown).toContain('status: "running" ×8|"exited" ×1')
  })

  it('counts the keys that are not shown', async () => {
    const wide = Object.fromEntries(repeat(90, (index) => [`some_long_key_name_${index}`, [index]]))
    const shown = await preview(JSON.stringify({ ...wide, some_long_key_name_last: 1 }), { budgetTokens: 60 })
    const hidden = /… (\d+) more\}/.exec(shown!)
    expect(Number(hidden?.[1]) + shown!.split('some_long_key_name_').length - 1).toBe(91)
    expect(Number(hidden?.[1])).toBeGreaterThan(50)
  })

  it('shows unique keys before repeated keys', async () => {
    const user = Object.fromEntries(repeat(30, (index) => [`user_field_${index}`, `v${index}`]))
    const document = { author: user, committer: user, reviewer: user, deep: { deeper: { treasure: 1 } } }
    expect(await preview(JSON.stringify(document), { budgetTokens: 400 })).toMatch(/reviewer: \{.*treasure/s)
  })

  it('shows short values that occur once with their keys, and leaves out keys of long values and deeper keys', async () => {
    const links = repeat(30, (index) => [`link_${index}`, `https://api.example.com/repos/acme/shop/${index}`])
    const inner = Object.fromEntries(repeat(60, (index) => [`inner_${index}`, index]))
    const document = { ...Object.fromEntries(links), inner, version: '2.8.1', open_issues: 10_842 }
    const shown = await preview(JSON.stringify(document), { budgetTokens: 150 })
    expect(shown).toContain('version: "2.8.1", open_issues: 10842')
    expect(shown).toMatch(/inner: \{60 keys.*… \d+ more\}$/s)
  })

  it('shows many keys of deep objects instead of few keys with their values', async () => {
    const fields = Object.fromEntries(repeat(60, (index) => [`field_${index}`, `value of ${index}`]))
    const keysIn = async (document: unknown): Promise<number> =>
      ((await preview(JSON.stringify(document), { budgetTokens: 150 })) ?? '').split('field_').length - 1
    expect(await keysIn({ a: { b: fields } })).toBeGreaterThan(1.5 * (await keysIn({ a: fields })))
  })

  it('includes values after deep nesting', async () => {
    const text = `{"deep":${'[{"a":'.repeat(500)}1${'}]'.repeat(500)},"after":${JSON.stringify('x'.repeat(3_000))}}`
    const shown = await preview(text, { budgetTokens: 1_500 })
    expect(shown).toContain('deeper values')
    expect(shown).toContain('after: "xxx')
  })
})

describe('line numbers in a preview of JSON', () => {
  it('are shown for long arrays that occur once', async () => {
    const shown = await preview(JSON.stringify({ names: repeat(40, (id) => `name ${id}`), issues }, null, 2))
    expect(shown).toContain('names: [40 items from line 2')
    expect(shown).toContain('issues: [300 items from line 44 {')
    expect(shown).toContain('labels: [0-1 items {')
  })
})

describe('items in a preview of JSON', () => {
  const text = JSON.stringify({ issues }, null, 2)
  const lines = text.split('\n')

  it('are on the lines that the preview states, and the numbers of all gaps are correct', async () => {
    const shown = await preview(text, { showLines })
    const rows = [...shown!.matchAll(/^(\d+): (\d+), /gm)]
    expect(rows.length).toBeGreaterThan(5)
    for (const [, line, id] of rows) {
      expect(lines[Number(line) - 1]).toBe('    {')
      expect(lines[Number(line)]).toBe(`      "id": ${id},`)
    }
    const hidden = [...shown!.matchAll(/^\[… [\d,]+ lines, (\d+) items?/gm)].map((match) => Number(match[1]))
    expect(rows.length + hidden.reduce((sum, count) => sum + count, 0)).toBe(300)
    const [, count, start, end] = /\[… ([\d,]+) lines, .*: lines (\d+)-(\d+)\]/.exec(shown!)!
    expect(Number(count!.replace(',', ''))).toBe(Number(end) - Number(start) + 1)
    expect(lines[Number(start) - 1]).toBe('    {')
    expect(lines[Number(end) - 1]).toMatch(/^ {4}\},?$/)
  })

  it('are from both ends, and show the index of the first item after a gap if the text has one line', async () => {
    const shown = await preview(JSON.stringify(issues))
    expect(shown).toMatch(/\]\n0, Issue number 0, /)
    expect(shown).toMatch(/\[… \d+ items?\]\n\[(\d+)\] \1, Issue number \1, /)
    expect(shown).toMatch(/\n299, Issue number 299, [^\n]*$/)
  })

  it('have a column for each path, even if keys are empty or arrays are in the path', async () => {
    const records = repeat(400, (id) => ({
      ...{ id, '': { '': id * 2, b: { c: { d: { e: id } } } } },
      ...{ a: { '': id % 5, list: [id, id + 1], more: [{ x: id }] } },
    }))
    const shown = await preview(JSON.stringify(records), { budgetTokens: 300 })
    expect(shown).toContain('\n[id, value, a, a.list]\n0, 0, 0, [0, 1]\n1, 2, 1, [1, 2]\n')
  })

  it('include the last record if it has no line end', async () => {
    const records = repeat(401, (id) => ({ id, state: id === 400 ? 'lost' : 'open', name: `item ${id}` }))
    const shown = await preview(records.map((record) => JSON.stringify(record)).join('\n'), {
      previewer: ndjsonPreviewer(),
      budgetTokens: 200,
    })
    expect(shown).toMatch(/\n401: 400, lost, item 400$/)
  })

  it.each([
    ['lines', undefined, '\n', '8: 7'],
    ['lines and another line', undefined, '\nDone\n', '8: 7\n[… 1 line, 0 items]'],
    ['indented records', 1, '', '29: 7'],
    ['indented records with a final line end', 1, '\n', '29: 7'],
  ])('end with the last record of %s, and show a gap only if a line follows', async (_, indent, ending, end) => {
    const records = repeat(8, (id) => JSON.stringify({ id, text: 'word '.repeat(40) }, undefined, indent))
    const shown = await preview(records.join('\n') + ending, { previewer: ndjsonPreviewer(), budgetTokens: 250 })
    expect(shown?.endsWith(`\n${end}`)).toBe(true)
  })

  it('count the last item as hidden if its line also ends the array', async () => {
    const records = repeat(60, (id) => JSON.stringify({ id, state: id === 50 ? 'lost' : 'open', text: `${id} w` }))
    const shown = await preview(`[${records.join(',\n')}]`, { budgetTokens: 140, words: ['lost'] })
    expect(shown).toMatch(/\n51: 50, lost[^\n]*\n\[… 9 lines\]$/)
  })

  it('show more text of an item that the call searches for than of other items', async () => {
    const messages = repeat(300, (id) => ({
      id,
      text: `Message ${id} is about nothing at all. ${'And so on. '.repeat(9)}`,
    }))
    messages[211]!.text = 'The deploy key of the staging servers moved to the path kv/staging/deploy-2026 of the vault'
    expect(await preview(JSON.stringify(messages), { words: ['deploy'] })).toContain(
      'kv/staging/deploy-2026 of the vault',
    )
  })

  it('include items with words from the arguments of the call', async () => {
    expect(await preview(JSON.stringify(issues), { words: ['Issue number 211'] })).toContain('211, Issue number 211')
  })
})

describe('rows that are arrays in a preview of JSON', () => {
  const names = ['id', 'name', 'team', 'active']
  const rows = repeat(400, (id) => [id, `user ${id}`, id % 2 === 0 ? 'red' : 'blue', id % 3 === 0])
  const named = `[4 items id: 0..399, name: "user 0"|…, team: "red" ×200|"blue" ×200, active: true ×134|false ×266]`
  const unnamed = named.replaceAll(/id:|name:|team:|active:/g, (name) => `[${names.indexOf(name.slice(0, -1))}]:`)

  it('have a column for each position', async () => {
    for (const text of [JSON.stringify(rows), JSON.stringify({ found: rows })]) {
      const shown = await preview(text)
      expect(shown).toContain(`[400 items ${unnamed}]`)
      expect(shown).toMatch(
        /\[(?:found: )?\[0\], \[1\], \[2\], \[3\]\]\n0, user 0, red, true\n1, user 1, blue, false\n/,
      )
    }
    const lines = await preview(rows.map((row) => JSON.stringify(row)).join('\n'), { previewer: ndjsonPreviewer() })
    expect(lines).toContain(unnamed)
    expect(lines).toContain('\n2: 1, user 1, blue, false\n')
  })

  it.each([
    ['strings before the rows', { columns: names, index: repeat(400, (id) => id), data: rows }],
    ['objects with names after the rows', { rows, fields: names.map((name) => ({ name, type: 'any' })) }],
    ['objects with names in 2 objects', { meta: { view: { columns: names.map((name) => ({ id: 1, name })) } }, rows }],
    ['objects with names in an object', { metadata: { rowType: names.map((name) => ({ name })) }, rows }],
    ['strings in the first row', { range: 'A1:D401', values: [names, ...rows] }],
  ])('have columns with the names of %s', async (_, document) => {
    const shown = await preview(JSON.stringify(document))
    expect(shown).toContain(named)
    expect(shown).toMatch(/: id, name, team, active\]\n(?:id, name, team, active\n)?0, user 0, red, true\n/)
  })

  it('have columns with the names in the first row if all cells are text and some rows are shorter', async () => {
    const cells = rows.map(([id, name]) => [String(id), String(name), ...(Number(id) % 9 === 0 ? ['late'] : [])])
    const shown = await preview(JSON.stringify({ values: [['id', 'name', 'note'], ...cells] }))
    expect(shown).toContain('[2-3 items id: "0"|…, name: "user 0"|…, note?: "late"]')
  })

  it('have no names if the names differ between tables, or if the strings are not names', async () => {
    const table = (columns: string[]) => ({ columns, rows: rows.map(([id, name]) => [id, name]) })
    const tables = { tables: [table(['id', 'name']), table(['id', 'title'])] }
    const lines = {
      lines: [
        ['a', 1],
        ['b', 2],
      ].flatMap((row) => repeat(200, () => row)),
      people: ['Ann', 'Bob'],
    }
    expect(await preview(JSON.stringify(tables))).toContain('rows: [400 items [2 items [0]: 0..399, [1]: "user 0"|…]]')
    expect(await preview(JSON.stringify(lines))).toContain('[2 items [0]: "a" ×200|"b" ×200, [1]: 1 ×200|2 ×200]')
  })

  it('may have cells that are arrays and objects', async () => {
    const nested = rows.map(([id, name]) => [id, [name], { big: Number(id) > 9 }])
    const shown = await preview(JSON.stringify({ columns: ['id', 'names', 'is'], rows: nested }))
    expect(shown).toContain('[3 items id: 0..399, names: [1 item], is: {big: false ×10|true ×390}]')
    expect(shown).toContain('0, ["user 0"], false')
  })

  it('are merged if they are a matrix of numbers, or lists of different lengths', async () => {
    const matrix = repeat(50, (row) => repeat(200, (column) => row * column))
    expect(await preview(JSON.stringify(matrix))).toContain('[50 items [200 items 0..9751]]')
    expect(await preview(JSON.stringify({ rings: [repeat(900, (at) => [at, at / 2])] }))).toContain(
      'rings: [1 item [900 items [2 items 0..899]]]',
    )
    const lists = repeat(400, (id) => ['a', 'b', 'c'].slice(0, 1 + (id % 3)))
    expect(await preview(JSON.stringify(lists))).toContain('[400 items [1-3 items "a" ×400|"b" ×266|"c" ×133]]')
    const mixed = repeat(400, (id) => (id < 200 ? ['a', id] : { id }))
    expect(await preview(JSON.stringify(mixed))).toContain('[400 items {id: 200..399}|[2 items 0..199|"a"|…]]')
  })
})

describe('long strings in a preview of JSON', () => {
  const log = repeat(900, (index) => (index === 600 ? 'src/app.c:12:5: error: expected ;' : `step ${index} done`)).join(
    '\n',
  )

  it('are shown by their important lines', async () => {
    const shown = await preview(JSON.stringify({ exitCode: 2, stdout: log, stderr: '' }))
    expect(shown).toContain('exitCode: 2')
    expect(shown).toContain('[stdout, 900 lines')
    expect(shown).toContain('src/app.c:12:5: error: expected ;')
    expect(shown).not.toMatch(/^\d+\| /m)
  })

  it('are shown as JSON if they contain JSON', async () => {
    const shown = await preview(JSON.stringify({ content: [{ type: 'text', text: JSON.stringify({ issues }) }] }))
    expect(shown).toContain('[content[].text')
    expect(shown).toContain('issues: [300 items {id: 0..299')
  })

  it('are read in chunks if they are very long', async () => {
    const long = `${log}\n`.repeat(120)
    expect(await preview(JSON.stringify({ out: long }))).toContain('[out, 108,000 lines')
  })
})

describe('a preview of almost JSON', () => {
  const text = JSON.stringify({ issues }, null, 2)

  it('shows the text before the JSON', async () => {
    expect(await preview(`HTTP 200\nResponse:\n${text}`)).toMatch(/^\[JSON, [\d,]+ lines\]\nHTTP 200\nResponse:\n\{/)
  })

  it('shows the fields of an HTTP response before the JSON', async () => {
    const fields = repeat(8, (index) => `x-field-${index}: value number ${index}\r\n`).join('')
    expect(await preview(`HTTP/1.1 200 OK\r\n${fields}\r\n${text}`)).toContain('\nx-field-7: value number 7\n{')
  })

  it('is written for one document after words in its line, and not for several', async () => {
    const reply = `web1 | SUCCESS => ${text}\n`
    expect(await preview(reply)).toMatch(/^\[JSON, [\d,]+ lines\]\nweb1 \| SUCCESS =>\n\{/)
    expect(await preview(`${reply}${reply.replace('web1', 'web2')}`)).toBeUndefined()
  })

  it('reports that a text is cut off, and counts its items', async () => {
    const shown = await preview(text.slice(0, text.length / 2))
    expect(shown).toMatch(/^\[JSON, [\d,]+ lines, cut off at the end\]/)
    expect(shown).toMatch(/issues: \[1[45]\d items from line 2 \{id: 0\.\./)
  })

  it('gives the line after which the text is not JSON', async () => {
    const lines = text.split('\n')
    lines.splice(2_000, 0, '... output truncated ...')
    expect(await preview(lines.join('\n'))).toContain('no JSON from line 2001 on')
  })

  it('is not written if the text stops being JSON early', async () => {
    expect(await preview(`{"a": 1, oops ${'x '.repeat(5_000)}`)).toBeUndefined()
    expect(await preview(`{"a":1}\n${'no JSON at all\n'.repeat(500)}`)).toBeUndefined()
  })

  it('counts lines between records, and incomplete records', async () => {
    const records = repeat(400, (index) =>
      index === 50
        ? 'Server listening'
        : index === 60
          ? '{"id":60,"na'
          : JSON.stringify({ id: index, name: `n${index}` }),
    )
    const shown = await preview(records.join('\r\n'), { previewer: ndjsonPreviewer() })
    expect(shown).toMatch(/^\[399 JSON records, 400 lines, 1 broken, 1 other line\]\n51\| Server listening\n/)
    expect(shown).toContain('\n400: 399, n399')
  })
})

describe('lines of words after JSON', () => {
  const message = 'error: connection closed before the list was complete'
  const document = { items: repeat(30_000, (id) => ({ id, name: `item ${id}` })) }

  it.each([
    ['on one line', JSON.stringify({ items: document.items.slice(0, 900) }), 2],
    ['with indentation', JSON.stringify({ items: document.items.slice(0, 900) }, null, 2), 3_605],
    ['of more than a megabyte', JSON.stringify(document, null, 2), 120_005],
  ])('are shown for a document %s', async (_, text, line) => {
    const shown = await previewText(`${text}\n${message}\n`, { budgetTokens: 400 })
    expect(shown.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^\[JSON, .*1 other line/),
      `${line}| ${message}`,
    ])
  })
})

describe('any JSON document', () => {
  const value = fc.jsonValue({ maxDepth: 4 })
  const documents = fc.oneof(
    fc.array(value, { minLength: 20, maxLength: 60 }),
    fc.array(fc.dictionary(fc.string({ maxLength: 8 }), value), { minLength: 20, maxLength: 60 }),
    fc.dictionary(fc.string(), value, { minKeys: 20 }),
  )

  it('is previewed within any budget, for any tokenizer, as valid Unicode', async () => {
    const counters = fc.constantFrom(
      estimateTokens,
      (text: string) => text.length,
      (text: string) => text.length * 2 + 5,
    )
    await fc.assert(
      fc.asyncProperty(documents, fc.nat(600), counters, async (document, budgetTokens, countTokens) => {
        const shown = await preview(JSON.stringify(document), { budgetTokens, countTokens })
        expect(shown === '' ? 0 : countTokens(shown!)).toBeLessThanOrEqual(budgetTokens)
        expect(shown!.isWellFormed()).toBe(true)
      }),
      propertyRuns(30, 1_000),
    )
  })

  it('has the same preview for any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(documents, fc.array(fc.nat(), { maxLength: 20 }), fc.nat(2), async (document, cuts, indent) => {
        const text = JSON.stringify([document, issues], null, indent)
        const at = [0, ...cuts.map((cut) => cut % text.length).toSorted((one, other) => one - other), text.length]
        const pieces = at.slice(1).map((end, index) => text.slice(at[index], end))
        expect(await preview(text, { pieces, words: ['bug'] })).toBe(await preview(text, { words: ['bug'] }))
      }),
      propertyRuns(12, 400),
    )
  })

  it('is shown whole if the budget allows', async () => {
    const text = JSON.stringify(issues, null, 1)
    expect(await preview(text, { budgetTokens: 100_000 })).toBe(text)
  })

  it('is shown with more content for a larger budget', async () => {
    const text = JSON.stringify({ issues }, null, 2)
    let least = 0
    for (const budgetTokens of [20, 50, 100, 200, 400, 800, 1_600, 3_200]) {
      const tokens = estimateTokens((await preview(text, { budgetTokens }))!)
      expect(tokens).toBeGreaterThan(least)
      least = tokens
    }
  })
})

describe('an array of strings in JSON', () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => `step ${index + 1} of the build went well`)

  it('is shown as lines of text: the important lines and the last line', async () => {
    const stderr = [...lines, 'ERROR: cannot link libfoo.so', ...lines, 'FATAL: no space left on device']
    for (const text of [JSON.stringify({ code: 1, stderr }), JSON.stringify({ code: 1, stderr }, null, 2)]) {
      const shown = await preview(text, { budgetTokens: 500 })
      expect(shown).toContain('[stderr, 6,002 lines')
      expect(shown).toContain('ERROR: cannot link libfoo.so')
      expect(shown).toContain('FATAL: no space left on device')
    }
  })

  it('is not shown as lines if an item is not a string', async () => {
    for (const other of [1, null, {}, []])
      expect(await preview(JSON.stringify([...lines, other]), { budgetTokens: 500 })).not.toContain(' lines numbered')
  })
})

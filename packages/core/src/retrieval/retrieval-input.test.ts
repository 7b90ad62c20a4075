import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toolOf } from '../../test/retrieval-fixture.ts'
import { parseRetrievalInput } from './retrieval-input.ts'
import { RetrievalError } from './retrieval-tool.ts'

function refusal(input: unknown): string {
  try {
    parseRetrievalInput(input)
  } catch (error) {
    if (error instanceof RetrievalError && error.code === 'invalid-input') return error.message
    throw error
  }
  throw new Error('was not refused')
}

describe('parseRetrievalInput', () => {
  it('distinguishes the modes', () => {
    const search = {
      mode: 'pattern',
      reference: 'r',
      pattern: 'x',
      range: undefined,
      contextLines: 5,
      ignoreCase: false,
      countOnly: false,
      after: 0,
      fromEnd: false,
      waitSeconds: 0,
    }
    const range = { start: 1, end: 2 }
    expect(parseRetrievalInput({ reference: 'r', pattern: 'x' })).toEqual(search)
    expect(parseRetrievalInput({ pattern: 'x', context_lines: 500, ignore_case: true })).toEqual({
      ...search,
      reference: undefined,
      contextLines: 100,
      ignoreCase: true,
    })
    expect(parseRetrievalInput({ reference: 'r', pattern: 'x', line_range: range })).toEqual({ ...search, range })
    const part = { count_only: true, after: 3, from_end: true }
    expect(parseRetrievalInput({ reference: 'r', pattern: 'x', ...part })).toEqual({
      ...search,
      countOnly: true,
      after: 3,
      fromEnd: true,
    })
    expect(parseRetrievalInput({ reference: 'r', line_range: range, context_lines: 3 })).toEqual({
      mode: 'range',
      reference: 'r',
      range,
    })
    const head = { mode: 'head', reference: 'r', lines: 500, after: 0, fromEnd: false, waitSeconds: 0 }
    expect(parseRetrievalInput({ reference: 'r', context_lines: 500 })).toEqual(head)
    expect(parseRetrievalInput({ reference: 'r', context_lines: 500, after: 7 })).toEqual({ ...head, after: 7 })
    expect(parseRetrievalInput({ reference: 'r', from_end: true })).toEqual({ ...head, lines: 50, fromEnd: true })
    expect(parseRetrievalInput({ reference: 'r', ignore_case: true })).toEqual({ mode: 'full', reference: 'r' })
    expect(parseRetrievalInput({ reference: 'r', json_path: '$.a' })).toEqual({
      mode: 'json-path',
      reference: 'r',
      path: '$.a',
      after: 0,
      countOnly: false,
    })
    expect(parseRetrievalInput({ query: 'why', ignore_case: true })).toEqual({
      mode: 'query',
      reference: undefined,
      query: 'why',
      after: 0,
    })
    const sql = { mode: 'sql', reference: 'r', references: ['r'], sql: 'SELECT 1', path: undefined, after: 0 }
    expect(parseRetrievalInput({ reference: 'r', sql: 'SELECT 1' })).toEqual(sql)
    expect(parseRetrievalInput({ reference: 'r', sql: 'SELECT 1', json_path: '$.a', after: 3 })).toEqual({
      ...sql,
      path: '$.a',
      after: 3,
    })
    expect(parseRetrievalInput({ references: ['r', 's'], sql: 'SELECT 1' })).toEqual({ ...sql, references: ['r', 's'] })
  })

  it('accepts arguments whose meaning is clear', () => {
    const same = (written: object, meant: object): void =>
      expect(parseRetrievalInput({ reference: 'r', ...written })).toEqual(
        parseRetrievalInput({ reference: 'r', ...meant }),
      )
    same({ reference: '', sql: 'x', references: 'a, b' }, { reference: '', sql: 'x', references: ['a', 'b'] })
    same({ reference: '', sql: 'x', references: '["a", "b"]' }, { reference: '', sql: 'x', references: ['a', 'b'] })
    same({ sql: 'x', references: [] }, { sql: 'x' })
    same({ context_lines: ' 5 ', pattern: 'x', after: '3' }, { pattern: 'x', after: 3 })
    same({ pattern: 'x', after: 0, from_end: 'false', count_only: false }, { pattern: 'x' })
    same({ pattern: 'x', ignore_case: 'True' }, { pattern: 'x', ignore_case: true })
    const lines = { line_range: { start: 10, end: 20 } }
    for (const line_range of ['10-20', '10:20', ' 10 - 20 ', '10..20', '[10, 20]', '{"start":10,"end":20}'])
      same({ line_range }, lines)
    for (const line_range of [[10, 20], ['10', '20'], { start: '10', end: 20 }]) same({ line_range }, lines)
    for (const line_range of ['L10-L20', '10–20']) same({ line_range }, lines)
    for (const line_range of ['7', 7]) same({ line_range }, { line_range: { start: 7, end: 7 } })
    same({ reference: ' `r`\n', pattern: 404 }, { pattern: '404' })
  })

  it('extends a range with only one limit to the first or the last line', () => {
    const rangeOf = (line_range: unknown): unknown => parseRetrievalInput({ reference: 'r', line_range })
    const fromSeven = { mode: 'range', reference: 'r', range: { start: 7, end: Number.MAX_SAFE_INTEGER } }
    for (const range of [{ start: 7 }, { start: 7, end: null }, { start: 7, end: -1 }, [7, 0], '7-', '7:'])
      expect(rangeOf(range)).toEqual(fromSeven)
    for (const range of [{ end: 7 }, { start: 0, end: 7 }, '0-7'])
      expect(rangeOf(range)).toEqual({ ...fromSeven, range: { start: 1, end: 7 } })
    for (const range of [{}, { start: 0, end: 0 }, { start: null, end: -1 }])
      expect(rangeOf(range)).toEqual({ mode: 'full', reference: 'r' })
  })

  it.each<[object, string, object]>([
    [{ pattern: 'x', json_path: '$' }, 'pattern and json_path cannot be used together', { pattern: 'x' }],
    [{ sql: 'SELECT 1', query: 'x' }, 'sql and query cannot', { sql: 'SELECT 1' }],
    [{ json_path: '$', line_range: '1-2' }, 'line_range cannot be used with json_path', { json_path: '$' }],
    [{ sql: 'x', from_end: true }, 'from_end cannot be used with sql', { sql: 'x' }],
    [{ query: 'x', count_only: true, after: 2 }, 'count_only cannot be used with query', { query: 'x', after: 2 }],
    [{ line_range: '1-2', after: 2 }, 'after cannot be used with line_range', { line_range: { start: 1, end: 2 } }],
  ])('refuses %j, and gives the call without the extra parameters', (input, message, call) => {
    try {
      parseRetrievalInput({ reference: 'r', ...input })
    } catch (error) {
      if (!(error instanceof RetrievalError)) throw error
      expect(error.message).toContain(message)
      expect(JSON.parse(JSON.stringify(error.call))).toEqual({ reference: 'r', ...call })
      expect(parseRetrievalInput(error.call)).toBeDefined()
      return
    }
    throw new Error('was not refused')
  })

  it('refuses a statement of more than 10,000 characters', () => {
    const parse = (): unknown => parseRetrievalInput({ reference: 'r', sql: 'x'.repeat(10_001) })
    expect(parse).toThrow(expect.objectContaining({ code: 'invalid-sql' }) as Error)
  })

  it('treats null and empty text as absent', () => {
    const absent = { pattern: '', line_range: null, context_lines: null, ignore_case: null }
    expect(parseRetrievalInput({ reference: 'r', ...absent })).toEqual({ mode: 'full', reference: 'r' })
    expect(refusal({ ...absent, reference: '' })).toContain('A reference is required')
  })

  it.each<object>([
    {},
    { query: 'x' },
    { json_path: '$' },
    { sql: 'SELECT 1' },
    { line_range: { start: 1, end: 2 } },
    { byte_range: { start: 1, end: 2 } },
  ])('accepts %j with all other parameters empty, because some models fill in every parameter', (asked) => {
    const none = { start: 0, end: 0 }
    const texts = { pattern: '', json_path: '', query: '', sql: '', references: [] }
    const numbers = { line_range: none, byte_range: none, context_lines: 0, after: 0, wait_seconds: 0 }
    const filled = { ...texts, ...numbers, ignore_case: false, count_only: false, from_end: false, reference: 'r' }
    expect(parseRetrievalInput({ ...filled, ...asked })).toEqual(parseRetrievalInput({ reference: 'r', ...asked }))
  })

  it('accepts the arguments of a call as the text that APIs of models give', () => {
    expect(parseRetrievalInput('{"reference":"r","pattern":"x"}')).toEqual(
      parseRetrievalInput({ reference: 'r', pattern: 'x' }),
    )
  })

  it.each<[unknown, string]>([
    ['["r"]', 'must be an object, got an array'],
    [undefined, 'must be an object, got undefined'],
    [null, 'must be an object, got null'],
    ['ref', 'must be an object, got the string "ref"'],
    [['ref'], 'must be an object, got an array'],
    [{}, 'A reference is required'],
    [{ context_lines: 3 }, 'context_lines needs a reference'],
    [{ line_range: { start: 1, end: 2 } }, 'line_range needs a reference'],
    [{ pattern: 'x', line_range: { start: 1, end: 2 } }, 'line_range needs a reference'],
    [{ reference: 7 }, 'reference must be a string, got 7'],
    [{ sql: 'x', references: ['x', 7] }, 'references[1] must be a string, got 7'],
    [{ sql: 'x', references: { 0: 'x' } }, 'references must be an array of strings, got an object'],
    [{ sql: 'x', references: Array.from({ length: 6 }, String) }, 'references takes at most 5 strings, got 6'],
    [{ pattern: 'x', references: ['r'] }, 'references is for sql'],
    [{ sql: 'x', reference: 'r', references: ['r'] }, 'reference cannot be used with references'],
    [{ json_path: '$' }, 'json_path needs a reference'],
    [{ sql: 'SELECT 1' }, 'sql needs a reference'],
    [{ after: 3 }, 'A reference is required'],
    [{ reference: 'r', count_only: true }, 'count_only needs something to count'],
    [{ reference: 'r', query: 'x'.repeat(2_001) }, 'query has 2,001 characters; at most 2,000'],
    [{ reference: 'r', pattern: 'x', after: 1.5 }, 'after must be a whole number'],
    [{ reference: 'r', pattern: 'x', after: -1 }, 'after must be a whole number, 0 or more, got -1'],
    [{ reference: 'r', pattern: {} }, 'pattern must be a string, got an object'],
    [{ reference: 'r', line_range: 'all' }, 'line_range must be an object with start and end, got the string "all"'],
    [{ reference: 'r', line_range: [1, 2, 3] }, 'line_range must be an object with start and end, got an array'],
    [
      { reference: 'r', line_range: { start: -5, end: -1 } },
      'line_range.start must be a whole number, 1 or more, got -5',
    ],
    [
      { reference: 'r', line_range: '10,+5' },
      'line_range must be an object with start and end, got the string "10,+5"',
    ],
    [
      { reference: 'r', line_range: { start: 1, end: 2.5 } },
      'line_range.end must be a whole number, 1 or more, got 2.5',
    ],
    [{ reference: 'r', line_range: { start: 'one', end: 2 } }, 'got the string "one"'],
    [{ reference: 'r', context_lines: -1 }, 'context_lines must be a whole number, 0 or more, got -1'],
    [{ reference: 'r', context_lines: Number.NaN }, 'got NaN'],
    [{ reference: 'r', ignore_case: 'yes' }, 'ignore_case must be true or false, got the string "yes"'],
    [{ reference: 'r', regex: 'x' }, 'Unknown parameter "regex". The parameters are'],
    [{ ref: 'r', pattern: 'x' }, 'Unknown parameter "ref". Did you mean reference?'],
    [{ reference: 'r', lineRange: '1-2' }, 'Did you mean line_range?'],
    [{ reference: 'r', pattern: () => 'x' }, 'pattern must be a string, got a function'],
    [{ reference: 'r', line_range: { start: { valueOf: 1, toString: 1 } } }, 'line_range.start must be a whole number'],
    [{ reference: 'r', byte_range: { start: 1, end: { valueOf: 1, toString: 1 } } }, 'byte_range.end must be a whole'],
  ])('refuses %j and says why', (input, message) => {
    expect(refusal(input)).toContain(message)
  })

  it('lets the tool answer any input of a model', async () => {
    const tool = toolOf({ log: { content: 'some\ntext\n' } }, { scoped: true, deadlineMs: 200 })
    const value = fc.oneof(
      fc.anything(),
      fc.string(),
      fc.integer(),
      fc.constantFrom<unknown>(
        'log',
        '../log',
        'log\0',
        { start: 1, end: 2 },
        1e308,
        true,
        ['a', 'b'],
        '1-2',
        '$',
        'SELECT 1',
      ),
      fc.array(fc.string()),
    )
    const names = fc.constantFrom(...Object.keys(tool.inputSchema.properties), 'other')
    const input = fc.oneof(fc.anything(), fc.dictionary(names, value))
    await fc.assert(
      fc.asyncProperty(input, async (anything) => {
        const result = await tool.execute(anything)
        expect(result.content).toHaveLength(1)
        if (result.isError)
          expect(result.content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(/^Error: /) as string })
      }),
      { numRuns: 500 },
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toolOf } from '../../test/retrieval-fixture.ts'
import { RetrievalError } from './retrieval-error.ts'
import { parseRetrievalInput } from './retrieval-input.ts'

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
  it('tells the modes apart', () => {
    const search = {
      mode: 'pattern',
      reference: 'r',
      pattern: 'x',
      range: undefined,
      contextLines: 5,
      ignoreCase: false,
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
    expect(parseRetrievalInput({ reference: 'r', line_range: range, context_lines: 3 })).toEqual({
      mode: 'range',
      reference: 'r',
      range,
    })
    expect(parseRetrievalInput({ reference: 'r', context_lines: 500 })).toEqual({
      mode: 'head',
      reference: 'r',
      lines: 500,
    })
    expect(parseRetrievalInput({ reference: 'r', ignore_case: true })).toEqual({ mode: 'full', reference: 'r' })
  })

  it('takes null and empty text for absent', () => {
    const absent = { pattern: '', line_range: null, context_lines: null, ignore_case: null }
    expect(parseRetrievalInput({ reference: 'r', ...absent })).toEqual({ mode: 'full', reference: 'r' })
    expect(refusal({ ...absent, reference: '' })).toContain('A reference is required')
  })

  it.each<[unknown, string]>([
    [undefined, 'must be an object, got undefined'],
    [null, 'must be an object, got null'],
    ['ref', 'must be an object, got the string "ref"'],
    [['ref'], 'must be an object, got an array'],
    [{}, 'A reference is required'],
    [{ context_lines: 3 }, 'context_lines needs a reference'],
    [{ line_range: { start: 1, end: 2 } }, 'line_range needs a reference'],
    [{ pattern: 'x', line_range: { start: 1, end: 2 } }, 'line_range needs a reference'],
    [{ reference: 7 }, 'reference must be a string, got 7'],
    [{ reference: 'r', pattern: ['x'] }, 'pattern must be a string, got an array'],
    [{ reference: 'r', pattern: {} }, 'pattern must be a string, got an object'],
    [{ reference: 'r', line_range: '1-2' }, 'line_range must be an object with start and end, got the string "1-2"'],
    [{ reference: 'r', line_range: [1, 2] }, 'line_range must be an object with start and end, got an array'],
    [{ reference: 'r', line_range: { start: 1 } }, 'line_range.end is missing'],
    [{ reference: 'r', line_range: { start: 0, end: 2 } }, 'line_range.start must be a whole number, 1 or more, got 0'],
    [
      { reference: 'r', line_range: { start: 1, end: 2.5 } },
      'line_range.end must be a whole number, 1 or more, got 2.5',
    ],
    [{ reference: 'r', line_range: { start: '1', end: 2 } }, 'got the string "1"'],
    [{ reference: 'r', context_lines: -1 }, 'context_lines must be a whole number, 0 or more, got -1'],
    [{ reference: 'r', context_lines: Number.NaN }, 'got NaN'],
    [{ reference: 'r', ignore_case: 'yes' }, 'ignore_case must be true or false, got the string "yes"'],
    [{ reference: 'r', regex: 'x' }, 'Unknown parameter "regex"'],
    [{ reference: 'r', pattern: () => 'x' }, 'pattern must be a string, got function'],
  ])('refuses %j and says why', (input, message) => {
    expect(refusal(input)).toContain(message)
  })

  it('lets the tool answer whatever a model writes', async () => {
    const tool = toolOf({ log: { content: 'some\ntext\n' } }, { scoped: true, deadlineMs: 200 })
    const value = fc.oneof(
      fc.anything(),
      fc.string(),
      fc.integer(),
      fc.constantFrom('log', '../log', 'log\0', { start: 1, end: 2 }, 1e308),
    )
    const names = fc.constantFrom('reference', 'pattern', 'line_range', 'context_lines', 'ignore_case', 'other')
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

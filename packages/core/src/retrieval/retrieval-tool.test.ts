import { describe, expect, it } from 'vitest'
import { ask, countTokens, fail, storageOf, textOf, toolOf, users } from '../../test/retrieval-fixture.ts'
import { parseRetrievalInput } from './retrieval-input.ts'
import {
  createRetrievalTool,
  retrievalDescription,
  retrievalInputSchema,
  type RetrievalEvent,
  type RetrievalToolOptions,
} from './retrieval-tool.ts'

describe('createRetrievalTool', () => {
  it('refuses invalid options with the name of the option', () => {
    const good = { storage: storageOf({}, false), scoped: false, maxRetrievalTokens: 100, countTokens }
    const bad: [Record<string, unknown>, RegExp][] = [
      [{ storage: {} }, /storage/],
      [{ scoped: undefined }, /scoped/],
      [{ maxRetrievalTokens: 0 }, /maxRetrievalTokens/],
      [{ maxRetrievalTokens: Number.NaN }, /maxRetrievalTokens/],
      [{ countTokens: 4 }, /countTokens/],
      [{ countTokens: undefined }, /countTokens/],
      [{ formatCall: 4 }, /formatCall/],
      [{ onRetrieve: {} }, /onRetrieve/],
      [{ maxMediaBytes: -1 }, /maxMediaBytes/],
      [{ deadlineMs: 0 }, /deadlineMs/],
      [{ blockBytes: '1' }, /blockBytes/],
    ]
    for (const [options, message] of bad) {
      expect(() => createRetrievalTool({ ...good, ...options } as RetrievalToolOptions)).toThrow(message)
      expect(() => createRetrievalTool({ ...good, ...options } as RetrievalToolOptions)).toThrow(TypeError)
    }
  })

  it('rejects if countTokens does not return a number, because no answer would have a limit', async () => {
    const tool = toolOf({ log: { content: 'abc' } }, { countTokens: () => Number.NaN })
    await expect(tool.execute({ reference: 'log' })).rejects.toThrow('countTokens must return a number of tokens')
  })

  it('reports each call', async () => {
    const events: RetrievalEvent[] = []
    const onRetrieve = (event: RetrievalEvent): void => void events.push(event)
    const tool = toolOf(
      { log: { content: 'abc' }, png: { content: 'x', contentType: 'image/png' } },
      { onRetrieve, scoped: true },
    )
    const answers = [
      await tool.execute({ reference: 'log' }),
      await tool.execute({ reference: 'log', pattern: 'b' }),
      await tool.execute({ pattern: 'b' }),
      await tool.execute({ reference: 'log', context_lines: 1 }),
      await tool.execute({ reference: 'png' }),
      await tool.execute({ reference: 'unknown', line_range: { start: 1, end: 1 } }),
      await tool.execute(undefined),
    ]
    const tokens = answers.map((result, index) => (index === 4 ? 0 : countTokens(textOf(result))))
    const durationMs: unknown = expect.any(Number)
    expect(events).toEqual([
      { type: 'retrieval', mode: 'full', reference: 'log', tokens: tokens[0], durationMs, isError: false },
      { type: 'retrieval', mode: 'pattern', reference: 'log', tokens: tokens[1], durationMs, isError: false },
      { type: 'retrieval', mode: 'scope-pattern', reference: undefined, tokens: tokens[2], durationMs, isError: false },
      { type: 'retrieval', mode: 'head', reference: 'log', tokens: tokens[3], durationMs, isError: false },
      { type: 'retrieval', mode: 'full', reference: 'png', tokens: 0, durationMs, isError: false },
      {
        type: 'retrieval',
        mode: 'range',
        reference: 'unknown',
        tokens: tokens[5],
        durationMs,
        isError: true,
        code: 'not-found',
      },
      {
        type: 'retrieval',
        mode: 'invalid',
        reference: undefined,
        tokens: tokens[6],
        durationMs,
        isError: true,
        code: 'invalid-input',
      },
    ])
  })

  it('reports the request of each call', async () => {
    const modes: string[] = []
    const onRetrieve = ({ mode, isError }: RetrievalEvent): void => void modes.push(isError ? `${mode} failed` : mode)
    const tool = toolOf(
      { csv: { content: 'a,b\n1,2\n3,4\n' }, json: { content: '{"a": [1, 2]}', contentType: 'application/json' } },
      { onRetrieve, scoped: true },
    )
    const calls: readonly (readonly [object, string, RegExp])[] = [
      [{ reference: 'csv', pattern: '1' }, 'pattern', /^\[1 match/],
      [{ reference: 'csv', pattern: '1', count_only: true }, 'count', /^\[1 match; it is in line 2\]$/],
      [{ pattern: '1', count_only: true }, 'count', /^\[2 matches in 2 of 2 stored results\]/],
      [{ reference: 'json', json_path: '$.a[1]' }, 'json-path', /\$\.a\[1\]: 2/],
      [{ reference: 'csv', sql: 'SELECT b FROM t WHERE a = 3' }, 'sql', /^1\| 4$/m],
      [{ reference: 'csv', query: '3' }, 'query', /^> 3\| 3,4$/m],
      [{ query: '3' }, 'scope-query', /^> 3\| 3,4$/m],
      [{ reference: 'csv', from_end: true, context_lines: 1 }, 'head', /\[Lines 3-3 of 3\]/],
      [{ reference: 'json', json_path: '$.a[' }, 'json-path failed', /^Error: /],
      [{ query: '3', json_path: '$' }, 'invalid failed', /cannot be used together/],
    ]
    for (const [call, mode, expected] of calls) {
      const text = textOf(await tool.execute(call))
      expect(modes.at(-1), text).toBe(mode)
      expect(text).toMatch(expected)
    }
  })

  it('writes suggested calls in the configured form', async () => {
    const tool = toolOf({ log: { content: 'abc' } }, { formatCall: (call) => `spillway get ${call.reference}` })
    expect((await fail(tool, {})).text).toContain('A valid call: spillway get call_1_0_')
  })

  it('works the same without ranges and with any block size', async () => {
    const whole = storageOf({ users: { content: users } }, false)
    const { retrieve, store } = whole
    for (const storage of [{ retrieve, store }, whole]) {
      for (const blockBytes of [1, 7, 100, undefined]) {
        const tool = createRetrievalTool({ storage, scoped: false, maxRetrievalTokens: 500, countTokens, blockBytes })
        expect(await ask(tool, { reference: 'users', pattern: 'admin', context_lines: 0 })).toBe(
          '[2 matches]\n\n> 49| admin 49\n---\n> 51| admin 51',
        )
        expect(await ask(tool, { reference: 'users' })).toBe(users)
      }
    }
  })
})

const schemaOf = (searchesScope: boolean) => retrievalInputSchema({ searchesScope, waits: true })
const schemas = [schemaOf(true), schemaOf(false)]

describe('the schema of the retrieval tool', () => {
  it('is short, because it is part of every prompt', () => {
    // The benchmark of answers counts the exact number of tokens.
    for (const scope of [true, false])
      expect((retrievalDescription() + JSON.stringify(schemaOf(scope))).length).toBeLessThan(1_700)
  })

  it('names the accepted parameters, and mentions calls without a reference only if these are possible', () => {
    const values: Readonly<Record<string, unknown>> = {
      reference: 'r',
      pattern: 'x',
      line_range: { start: 1, end: 2 },
      context_lines: 1,
      ignore_case: true,
    }
    for (const name of Object.keys(schemas[0]!.properties)) {
      const reading = (): unknown => parseRetrievalInput({ reference: 'r', [name]: values[name] ?? null })
      expect(reading, name).not.toThrow()
    }
    expect(schemas[0]!.required).toBeUndefined()
    expect(schemas[1]!.required).toEqual(['reference'])
    expect(JSON.stringify(schemas[1]) + retrievalDescription()).not.toMatch(/everything|leave it out|without a/i)
  })
})

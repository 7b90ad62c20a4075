import { chunkedSource, countTurns } from '@spillway-internal/test-inputs'
import { propertyRuns } from '@spillway-internal/test-run'
import { jsonLayout } from '@spillway/text/internal/json'
import { parseJsonPath } from '@spillway/text/internal/json-path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WorkClock } from '../../search/work-clock.ts'
import { selectJson, type Selection } from './select-json.ts'

const encoder = new TextEncoder()

const decoder = new TextDecoder()

interface Wanted {
  readonly chunkBytes?: number
  readonly skip?: number
  readonly keep?: number
  readonly enough?: number
  readonly deadlineMs?: number
}

async function select(
  text: string,
  path: string,
  { chunkBytes = 65_536, skip = 0, keep = Infinity, enough = Infinity, deadlineMs = 60_000 }: Wanted = {},
): Promise<Selection & { shown: string[]; bytesRead: number }> {
  const parsed = await parseJsonPath(path)
  if ('problem' in parsed) throw new Error(`${path}: ${parsed.problem.message}`)
  const source = chunkedSource(text, { chunkBytes })
  const layout = await jsonLayout(source)
  const before = source.bytesRead()
  const clock = new WorkClock(deadlineMs, undefined)
  const selection = await selectJson(source, parsed, { layout, skip, keep, enough, clock })
  const { values, count, skippedLines, brokenAt, ended } = selection
  const bytes = encoder.encode(text)
  const shown = values.map((value) => `${value.path} ${decoder.decode(bytes.subarray(value.start, value.end))}`)
  return { values, count, skippedLines, brokenAt, ended, shown, bytesRead: source.bytesRead() - before }
}

/** Evaluate on the whole document at once. */
async function selectWhole(text: string, path: string): Promise<string[]> {
  return (await select(text, path, { chunkBytes: Infinity })).shown
}

const KEYS = ['a', 'b', 'c', 'a b', 'é"']

const arbitraryValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.constantFrom(null, true, false, 0, 1, 2, -1.5, 'x', 'xyz', ''),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('value')),
  ),
})).value

const index = fc.integer({ min: -3, max: 4 })

const bound = fc.option(fc.integer({ min: -4, max: 6 }), { nil: undefined })

const arbitraryName = fc.constantFrom(...KEYS).map((key) => `'${key}'`)

const arbitraryTest = fc.constantFrom(
  '@.a',
  '@.a == 1',
  '@ > 0',
  '!@.b',
  "@.a == 'x' || @.c",
  'count(@.*) > 1',
  'length(@) >= 2',
  '@.a == @.b',
  '@ != $.a',
  'count($..a) > 2',
  "search(@, 'y')",
)

const arbitrarySelector = fc.oneof(
  { weight: 4, arbitrary: arbitraryName },
  { weight: 3, arbitrary: fc.constant('*') },
  { weight: 2, arbitrary: index.map(String) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(bound, bound, fc.constantFrom(1, 1, 2, 3, -1, -2))
      .map(([start, end, step]) => `${start ?? ''}:${end ?? ''}:${step}`),
  },
  { weight: 1, arbitrary: arbitraryTest.map((test) => `?${test}`) },
)

const arbitraryPath = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: arbitrarySelector.map((selector) => `[${selector}]`) },
      { weight: 1, arbitrary: fc.tuple(arbitrarySelector, arbitrarySelector).map((both) => `[${both.join(', ')}]`) },
      { weight: 1, arbitrary: arbitrarySelector.map((selector) => `..[${selector}]`) },
    ),
    { maxLength: 4 },
  )
  .map((segments) => `$${segments.join('')}`)

describe('selecting values by a walk', () => {
  test('gives the same values in the same order as evaluating the whole document, with any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryValue,
        arbitraryPath,
        fc.constantFrom(undefined, 1, 2),
        fc.integer({ min: 1, max: 60 }),
        async (value, path, space, chunkBytes) => {
          const text = JSON.stringify(value, null, space)
          const { shown, count, ended } = await select(text, path, { chunkBytes })
          expect(shown).toEqual(await selectWhole(text, path))
          expect(count).toBe(shown.length)
          expect(ended).toEqual({ by: 'all' })
        },
      ),
      { numRuns: 600 },
    )
  })

  test('gives every value once if the values are read in several parts', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryValue, arbitraryPath, fc.integer({ min: 1, max: 3 }), async (value, path, size) => {
        const text = JSON.stringify(value)
        const all = await select(text, path)
        const parts: string[] = []
        for (let skip = 0; skip < all.count; skip += size) {
          parts.push(...(await select(text, path, { skip, keep: size, enough: skip + size })).shown)
        }
        expect(parts).toEqual(all.shown)
      }),
    )
  })

  test('gives each value a path that selects exactly that value', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryValue, arbitraryPath, async (value, path) => {
        const text = JSON.stringify(value)
        for (const one of (await select(text, path)).values) {
          const [again] = (await select(text, one.path)).values
          expect(again).toEqual(one)
        }
      }),
    )
  })

  test('stops reading after enough values', async () => {
    const text = JSON.stringify({ head: { a: 1 }, items: Array.from({ length: 20_000 }, (_, id) => ({ id })), z: 1 })
    const chunkBytes = 1_000
    expect((await select(text, '$.head.a', { chunkBytes })).bytesRead).toBe(chunkBytes)
    expect((await select(text, '$.items[5:8].id', { chunkBytes })).bytesRead).toBe(chunkBytes)
    expect((await select(text, '$.items[*].id', { chunkBytes, enough: 10 })).bytesRead).toBe(chunkBytes)
    expect((await select(text, '$.items[*].id', { chunkBytes })).bytesRead).toBeGreaterThan(
      text.length - 2 * chunkBytes,
    )
    const last = await select(text, '$.items[-1].id', { chunkBytes })
    expect(last.shown).toEqual(['$.items[19999].id 19999'])
  })

  test('selects both of two members with the same name, but gives paths only to the first', async () => {
    const text = '[{"a":1,"a":2,"b":{"a":3,"a":4}}]'
    expect((await select(text, '$[0].a')).shown).toEqual(['$[0].a 1'])
    expect((await select(text, '$[*].a')).shown).toEqual(['$[0].a 1', '$[0].a 2'])
    expect((await select(text, '$..b.a')).shown).toEqual(['$[0].b.a 3', '$[0].b.a 4'])
  })

  test('returns each value once, after the values inside it', async () => {
    const text = '{"a":[0,{"b":[1]}],"c":[2,3]}'
    expect((await select(text, "$['c','a',?@[0]]")).shown).toEqual(['$.a [0,{"b":[1]}]', '$.c [2,3]'])
    expect((await select(text, '$.c[::-1]')).shown).toEqual(['$.c[0] 2', '$.c[1] 3'])
    expect((await select(text, '$..*..b')).shown).toEqual(['$.a[1].b [1]'])
    expect((await select(text, '$.a..*')).shown).toEqual([
      '$.a[0] 0',
      '$.a[1].b[0] 1',
      '$.a[1].b [1]',
      '$.a[1] {"b":[1]}',
    ])
  })

  test('treats JSON Lines as one array of its lines', async () => {
    const text = '{"a":1}\n{"a":[2,3]}\n\n{"b":4}\n'
    expect((await select(text, '$[1].a[0]')).shown).toEqual(['$[1].a[0] 2'])
    expect((await select(text, '$[*].a', { chunkBytes: 3 })).shown).toEqual(['$[0].a 1', '$[1].a [2,3]'])
    expect((await select(text, '$..a[*]', { chunkBytes: 3 })).shown).toEqual(['$[1].a[0] 2', '$[1].a[1] 3'])
    expect((await select(text, '$[-1]')).shown).toEqual(['$[2] {"b":4}'])
    expect((await select(text, '$[?@.b].b')).shown).toEqual(['$[2].b 4'])
    expect((await select(text, '$')).shown).toEqual([`$ ${text}`])
  })

  test('skips lines that are not JSON before, between and after JSON Lines', async () => {
    const other = fc.constantFrom(
      'up',
      '[INFO] x',
      'FAIL\tpkg [build failed]',
      '5 tests {passed}',
      '"so"',
      '[12:00] x',
      '[1, 2026-11-28] y',
      '- {',
    )
    const lines = fc.array(
      fc.oneof(
        { arbitrary: arbitraryValue.map((value) => JSON.stringify({ a: value, b: 1, c: [2], d: 3 })), weight: 5 },
        other,
      ),
      { maxLength: 12 },
    )
    const paths = fc.constantFrom('$[*].a', '$[1].a', '$[-1]', '$[?@.a]', '$..a', '$[1:3].c[0]', '$[*].*', '$[2][0]')
    await fc.assert(
      fc.asyncProperty(lines, paths, fc.integer({ min: 1, max: 30 }), async (some, path, chunkBytes) => {
        const text = ['up', '{"a":0,"b":1,"c":[2],"d":3}', '{"a":1,"b":1,"c":[2],"d":3}', ...some].join('\n')
        const records = text.split('\n').filter((line) => line.startsWith('{'))
        fc.pre(records.join('').length > text.length * 0.6)
        const found = await select(text, path, { chunkBytes })
        const all = await selectWhole(`[${records.join()}]`, path)
        expect(found.shown).toEqual(all)
        expect(found.ended).toEqual({ by: 'all' })
      }),
      propertyRuns(100, 5_000),
    )
    const broken = '{"a":0}\n{"a":1}\n{"a":2,"b":"cut o\n{"a":3}\n{"a":4}}\n{"a":5}'
    expect(await select(broken, '$[*].a')).toMatchObject({ count: 6, skippedLines: 2, ended: { by: 'all' } })
    expect((await select(broken, '$[3].a')).shown).toEqual(['$[3].a 3'])
    const cuts = ['{"a":2,"b":', '{"a":2,"b":[', '{"a":2,"b":[1', '{"a":2,"b":[{"c":3},', '{"a":2,', '{"a":2,"b":"c']
    for (const cut of [...cuts, '{"a":2,"b":{"c":[{"d":1}']) {
      const lines = ['{"a":0}', '{"a":1}', cut, '{"a":3}', '{"a":4,"b":[1]}', '{"a":5}']
      for (const [ending, chunkBytes] of [['\n', 1] as const, ['\r\n', 5] as const, ['\n', Infinity] as const]) {
        const text = lines.join(ending)
        expect((await select(text, '$[*]', { chunkBytes })).shown).toHaveLength(5)
        expect((await select(text, '$[4].a', { chunkBytes })).shown).toEqual(['$[4].a 4'])
        expect((await select(text, '$[?@.a > 2].a', { chunkBytes })).shown).toEqual([
          '$[3].a 3',
          '$[4].a 4',
          '$[5].a 5',
        ])
      }
    }
    const wide = Array.from({ length: 4 }, (_, id) => `{"a":${id},"b":[\n{"c":1},\n{"c":2}]}`).join('\n')
    expect((await select(wide, '$[*].b[1].c')).count).toBe(4)
    const dated = `{"a":0}\n[1, 2026-11-28] y\n${broken}`
    expect((await select(dated, '$[*].*')).shown[1]).toBe('$[1].a 0')
    expect((await select(dated, '$[1][0]')).count).toBe(0)
  })

  test('reads one document that follows other lines', async () => {
    const text = 'npm warn größe\n[info] y\n{"a":[1,{"b":2}],"c":3,"d":4,"e":"one more member, as in a document"}'
    expect((await select(text, '$.a[1].b')).shown).toEqual(['$.a[1].b 2'])
    expect((await select(`${text}\n[INFO] bye`, '$.a[1].b')).shown).toEqual(['$.a[1].b 2'])
  })

  test('reports the position of the first JSON error, and returns the values before it', async () => {
    expect(await select('{"a":[1,2,', '$.a[*]')).toMatchObject({ count: 2, ended: { by: 'failure', at: 10 } })
    expect(await select('{"a":[1,2]} x', '$.a[*]')).toMatchObject({ count: 2, ended: { by: 'all' } })
    expect(await select('[1,2]} x', '$[*]')).toMatchObject({ count: 2, ended: { by: 'failure', at: 5 } })
    expect(await select('[{"a":1},{"a" 2}]', '$[*].a')).toMatchObject({ count: 1, ended: { by: 'failure', at: 14 } })
    expect(await select('no JSON', '$..a')).toMatchObject({ count: 0, ended: { by: 'failure', at: 1 } })
    expect(await select('', '$')).toMatchObject({ count: 0, ended: { by: 'failure', at: 0 } })
  })

  test('filters the values before the end of incomplete content, at any level', async () => {
    const cut = '{"a":[{"b":1,"c":{"b":1}},{"b":2},{"b":1'
    for (const chunkBytes of [1, 7, Infinity]) {
      const selection = await select(cut, '$..[?@.b == 1].b', { chunkBytes })
      expect(selection).toMatchObject({ shown: ['$.a[0].b 1', '$.a[0].c.b 1'], ended: { by: 'failure', at: 40 } })
    }
    expect((await select('{"a":1}\n{"b":[{"c":2},{"c":3', '$..[?@.c > 1]')).shown).toEqual(['$[1].b[0] {"c":2}'])
  })

  test('reports the position of a value that a filter must test and that is not JSON', async () => {
    expect(await select(`[{'a': 1}, {'a': 2}]`, '$[?@.a == 2]')).toMatchObject({ count: 0, brokenAt: 1 })
    expect(await select('[{"a":1},{"b":NaN}]', '$[?@.a]')).toMatchObject({ count: 1, brokenAt: 9 })
    expect(await select('[{"a":1},5,"x",null]', '$..[?@.b]')).toMatchObject({ count: 0, brokenAt: undefined })
  })

  test('keeps no value in memory if it is too large for a filter', async () => {
    const text = JSON.stringify({ small: [1], large: ['x'.repeat(17 * 1_048_576)] })
    expect(await select(text, '$[?@..a]')).toMatchObject({ count: 0, ended: { by: 'too-large', path: '$.large' } })
    expect(await select(text, '$.small[?@ == $.a]')).toMatchObject({ ended: { by: 'too-large', path: '$' } })
    expect(await select(text, '$..a')).toMatchObject({ count: 0, ended: { by: 'all' } })
    expect((await select(text, '$.small..*')).shown).toEqual(['$.small[0] 1'])
    expect((await select(text, '$.large[0]')).count).toBe(1)
    expect((await select(`[${'1,'.repeat(420_000)}1]`, '$..*', { keep: 0 })).count).toBe(420_001)
  })

  test('accepts any nesting depth', async () => {
    const depth = 100_000
    const text = `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`
    expect((await select(text, '$.a[0].a')).count).toBe(1)
    expect((await select(text, '$..b')).count).toBe(0)
    expect(await select(text, '$[?value(@..b) == value(@..c)]')).toMatchObject({ count: 1 })
  })

  test('reads each key of a deep document only a few times for the paths of all values', async () => {
    const levels = 400
    const text = `${'{"a":'.repeat(levels)}${JSON.stringify(Array.from({ length: levels }, (_, id) => [id]))}${'}'.repeat(levels)}`
    const decoding = vi.spyOn(TextDecoder.prototype, 'decode')
    onTestFinished(() => decoding.mockRestore())
    const { values } = await select(text, '$..*')
    expect(decoding.mock.calls.length).toBeLessThan(10 * levels)
    expect(values.map(({ path }) => path.slice(2 * levels))).toContain('a[399][0]')
    expect(values).toHaveLength(3 * levels)
  })

  test('reads the clock far less often than it tests a small value', async () => {
    const readings = vi.spyOn(WorkClock.prototype, 'needsPause', 'get')
    onTestFinished(() => readings.mockRestore())
    const text = JSON.stringify(Array.from({ length: 6_400 }, (_, id) => ({ id })))
    expect((await select(text, '$[?@.id == 6]')).shown).toEqual(['$[6] {"id":6}'])
    expect(readings.mock.calls.length).toBeLessThan(640)
  })

  test('stops endless work at its deadline, and yields to the event loop until then', async () => {
    const text = `${'['.repeat(150)}1${']'.repeat(150)}`
    const turns = await countTurns(async () => {
      const { ended } = await select(text, '$..[?@..[?@..[?@..[?@..a]]]]', { deadlineMs: 600 })
      expect(ended).toMatchObject({ by: 'timeout' })
    })
    expect(turns).toBeGreaterThan(0)
  })
})

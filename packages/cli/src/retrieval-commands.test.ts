import { expect, test } from 'vitest'
import { formatCommand, formatGrep } from './retrieval-commands.ts'

test('writes each parameter as the option that it is', () => {
  const search = { patterns: ['a b', "it's"], line_range: { start: 1, end: 9 }, context_lines: 0, ignore_case: true }
  expect(formatCommand({ reference: 'log_1', ...search, limit: 2, skip: 3, from_end: true })).toBe(
    `spillway get log_1 --pattern 'a b' --pattern 'it'\\''s' --lines 1:9 --context 0 --ignore-case --limit 2 --skip 3 --from-end`,
  )
  expect(formatCommand({ reference: 'log_1', pattern: 'a', count_only: true }, ' --store s')).toBe(
    'spillway get log_1 --store s --pattern a --count',
  )
  expect(formatCommand({ json_path: '$.a' })).toBe("--json-path '$.a'")
  expect(formatCommand({ reference: '<reference>', columns: ['a', 'b c'], where: 'a > 1' })).toBe(
    "spillway get REFERENCE --columns 'a,b c' --where 'a > 1'",
  )
  expect(formatCommand({ columns: ['a,b'] })).toBe(`--columns '["a,b"]'`)
  expect(formatGrep({ query: 'why', skip: 5 }, ' --scope x')).toBe('spillway grep --scope x --query why --skip 5')
  expect(formatGrep({ patterns: ['a', 'b'] })).toBe('spillway grep -e a -e b')
})

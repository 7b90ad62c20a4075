import { expect, test, vi } from 'vitest'
import { formatCommand, formatGrep } from './retrieval-commands.ts'

test('a suggested command has an option for each parameter', () => {
  vi.stubEnv('npm_command', undefined)
  const search = { pattern: "it's a", line_range: { start: 1, end: 9 }, context_lines: 0, ignore_case: true }
  expect(formatCommand({ reference: 'log_1', ...search, from_end: true, after: 3 })).toBe(
    `spillway get log_1 --pattern 'it'\\''s a' --lines 1:9 --context 0 --ignore-case --from-end --after 3`,
  )
  expect(formatCommand({ reference: 'log_1', pattern: 'a', count_only: true }, ' --store s')).toBe(
    'spillway get log_1 --store s --pattern a --count',
  )
  expect(formatCommand({ json_path: '$.a' })).toBe("--json-path '$.a'")
  expect(formatCommand({ reference: '<reference>', sql: 'SELECT a FROM t' })).toBe(
    "spillway get REFERENCE --sql 'SELECT a FROM t'",
  )
  expect(formatCommand({ references: ['a_1', 'b_2'], sql: 'x' })).toBe('spillway get a_1 b_2 --sql x')
  expect(formatCommand({ reference: 'pdf_1' }, ' --store s')).toBe('spillway get pdf_1 --store s --raw > FILE')
  expect(formatGrep({ query: 'why', after: 5 }, ' --scope x')).toBe('spillway grep --scope x --query why --after 5')
  expect(formatGrep({ pattern: 'a|b' })).toBe("spillway grep -e 'a|b'")
})

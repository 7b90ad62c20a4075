/** Generates calls of the retrieval tool. A model writes such calls, so any value may be in any place. */
import { hostilePatterns } from '@spillway-internal/test-inputs'
import fc from 'fast-check'

const PATTERNS = [
  ...hostilePatterns(60),
  ...['error', 'line \\d+', '^$', '.', '\\S+', '(?i)failed', '"[^"]*"', '\\p{L}+', '\\x1b', '\\ud800', '[^]', '(?s).*'],
]

const STATEMENTS = [
  'select * from t',
  'select count(*) from t',
  'select * from t limit 3 offset 1',
  'select a.*, b.* from t a, t b, t c, t d',
  'with recursive r(n) as (select 1 union all select n + 1 from r) select sum(n) from r',
  "select printf('%.*c', 1000000000, 'x')",
  'select hex(zeroblob(1000000000))',
  'select randomblob(1000000000)',
  "select group_concat(quote(name), '') from t, t b",
  "attach database '/tmp/fuzz.db' as x",
  "select load_extension('/tmp/x')",
  "select readfile('/etc/passwd'), writefile('/tmp/fuzz', 'x')",
  'pragma journal_mode = delete; drop table t',
  'select * from sqlite_master; select * from pragma_database_list',
  'insert into t select * from t returning *',
  "select json_extract('[' || replace(zeroblob(20000), x'00', '[') , '$[0]')",
  "select * from t where name like '%' || replace(zeroblob(5000), x'00', '_%') || 'x'",
  `select ${'('.repeat(900)}1${')'.repeat(900)}`,
  `select ${Array.from({ length: 1_200 }, (_, index) => index).join()}`,
  'select "',
  '',
]

const PATHS = [
  ...['$', '$.a', '$..a', '$[*]', '$..*', '$[0:9:2]', '$[-1]', '$..[?@.id==1]', '$[?match(@.name, "(a+)+$")]'],
  ...['$[?search(@..name, "(.*a){12}$")]', '$[?length(@..*)>count(@..*)]', "$['__proto__']", '$.constructor', '$..'],
  ...[
    '$[99999999999999999999]',
    `$${'[0]'.repeat(500)}`,
    `$${'..*'.repeat(60)}`,
    `$[?${'('.repeat(600)}@.a`,
    "$['\\ud800']",
  ],
]

/** References that were never returned: forms of other scopes, paths, and addresses. */
const FORGED = [
  ...[
    'call_1_0_aaaaaaaaaaaaaaaaaaaa',
    '../victim/x',
    '/etc/passwd',
    'file:///etc/passwd',
    's3://b/k',
    'x\0y',
    '__proto__',
  ],
  ...['victim', 'victim/secret', '%2e%2e%2f', '*', '..', '', 'a'.repeat(5_000), '\ud800'],
]

const words = fc.oneof(fc.constantFrom('error failed line', 'the', 'größe 数据', '"', ''), fc.string({ maxLength: 40 }))
const odd = fc.constantFrom<unknown>(-1, 1.5, 1e9, Number.MAX_SAFE_INTEGER, Number.NaN, '7', 'x', null, {})
const count = fc.oneof({ weight: 9, arbitrary: fc.nat(300) }, { weight: 1, arbitrary: odd })
const span = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.tuple(fc.nat(5_000), fc.nat(50_000)).map(([from, more]) => ({ start: from + 1, end: from + more })),
  },
  { weight: 1, arbitrary: fc.record({ start: odd, end: odd }) },
  { weight: 1, arbitrary: fc.constantFrom('1-5', [2, 9], '[1,2]', {}, 'x', 3, [1, 2, 3]) },
)

/** Generate calls that may name `references`. In some calls, one value is invalid. */
export function callsOf(references: readonly string[]): fc.Arbitrary<unknown> {
  const mutated = fc
    .tuple(
      fc.constantFrom(...references, 'call_1_0'),
      fc.nat(80),
      fc.constantFrom('', 'a', '_', '0', '/', '\n', '\ud800'),
    )
    .map(([reference, at, insert]) => reference.slice(0, at) + insert + reference.slice(at + 1))
  const reference = fc.oneof(
    { weight: 16, arbitrary: fc.constantFrom(...references) },
    { weight: 1, arbitrary: fc.constantFrom(...FORGED) },
    { weight: 1, arbitrary: mutated },
  )
  const withContext = fc.record({ context_lines: count, from_end: fc.boolean(), after: count }, { requiredKeys: [] })
  const way: fc.Arbitrary<object> = fc.oneof(
    withContext,
    fc.record({ line_range: span }),
    fc.record({ byte_range: span }),
    fc.record(
      {
        pattern: fc.oneof(fc.constantFrom(...PATTERNS), fc.string({ maxLength: 30 })),
        context_lines: count,
        ignore_case: fc.boolean(),
        count_only: fc.boolean(),
        from_end: fc.boolean(),
        after: count,
      },
      { requiredKeys: ['pattern'] },
    ),
    fc.record({ query: words, after: count }, { requiredKeys: ['query'] }),
    fc.record(
      { sql: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...STATEMENTS) }, fc.string()), after: count },
      { requiredKeys: ['sql'] },
    ),
    fc.record(
      { json_path: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...PATHS) }, fc.string()), after: count },
      { requiredKeys: ['json_path'] },
    ),
  )
  const call = fc
    .tuple(fc.option(reference, { nil: undefined, freq: 12 }), way)
    .map(([named, asked]) => ({ ...(named !== undefined && { reference: named }), ...asked }))
  const join = fc.record({
    sql: fc.constantFrom(...STATEMENTS),
    references: fc.array(reference, { minLength: 1, maxLength: 6 }),
  })
  const mixed = fc
    .tuple(call, withContext, fc.dictionary(fc.string(), fc.anything(), { maxKeys: 1 }))
    .map((parts) => Object.assign({}, ...parts) as object)
  return fc.oneof(
    { weight: 40, arbitrary: call },
    { weight: 3, arbitrary: join },
    { weight: 2, arbitrary: mixed },
    { weight: 1, arbitrary: fc.anything() },
  )
}

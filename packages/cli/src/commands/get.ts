import { collect, parseCount, parseDuration, parseLimit, parseLines } from '../option-parsers.ts'
import { option, type CommandSpec } from './command.ts'
import { SEARCH_OPTIONS, STORE_AND_JSON_OPTIONS } from './options.ts'

const MAX_TOKENS = { parse: parseLimit, initial: 2_500, described: '2500' }

export const getCommand: CommandSpec = {
  name: 'get',
  summary: 'search, read or print what is stored',
  description:
    'Print stored content: lines that match, a span of lines, values of JSON, rows of a table, or everything.\n\n' +
    'Without a filter, a pipe or file gets all bytes, a terminal the numbered first lines. For last, the preview is ' +
    'printed again.',
  argument: ['<references...>', 'a reference or its beginning, last, or last~1; several with --sql'],
  options: [
    option(
      '-p, --pattern <regex>',
      'lines that match a regular expression or keyword; may be repeated for any of them',
      collect,
    ),
    option('-l, --lines <A:B>', 'lines A to B, from 1; A: and :B go to the end and from the start', parseLines),
    option('--bytes <A:B>', 'bytes A to B, from 1, for parts of long lines', parseLines),
    option('-C, --context <count>', 'lines around each match (5), or alone: the first lines', parseCount),
    option('--json-path <path>', 'values of JSON, by a JSONPath (RFC 9535)'),
    option('--sql <statement>', 'rows of one SELECT (SQLite) over the table t; over several references t1, t2'),
    ...SEARCH_OPTIONS,
    option(
      '--max-tokens <count>',
      'tokens of an answer; alone: everything, or its beginning; none for no limit',
      MAX_TOKENS,
    ),
    option('--raw', 'all bytes as they are, also on a terminal'),
    option('-f, --follow', 'print all bytes, and go on while the command runs that writes them'),
    option(
      '--wait <time>',
      'while the command runs: wait for lines or matches after those of --after, at most 30s',
      parseDuration,
    ),
    ...STORE_AND_JSON_OPTIONS,
  ],
  help: `
Examples:
  $ spillway get npm_o4tq… --pattern 'error|failed'
  $ spillway get npm_o4tq… --lines 120:160
  $ spillway get users_0_x7… --json-path '$.items[*].name'
  $ spillway get rows_0_k3j… --sql 'SELECT status, count(*) FROM t GROUP BY status'
  $ spillway get npm_o4tq… > output.log`,
  load: async () => (await import('../actions/get.ts')).get,
}

export const grepCommand: CommandSpec = {
  name: 'grep',
  summary: 'search everything that is stored',
  description: 'Search the text of every entry of exactly this scope, the newest first.',
  argument: ['[pattern]', 'a regular expression or keyword'],
  options: [
    option('-e, --regexp <pattern>', 'one more pattern; may be repeated for any of them', collect),
    option('-C, --context <count>', 'lines around each match', { parse: parseCount, initial: 2 }),
    ...SEARCH_OPTIONS,
    option('--max-tokens <count>', 'tokens of the answer; none for no limit', MAX_TOKENS),
    ...STORE_AND_JSON_OPTIONS,
  ],
  load: async () => (await import('../actions/get.ts')).grep,
}

import { collect, parseCount, parseDuration, parseLimit, parseLines } from '../option-parsers.ts'
import { option, type CommandSpec } from './command.ts'
import { SEARCH_OPTIONS, STORE_AND_JSON_OPTIONS } from './options.ts'

const MAX_TOKENS = { parse: parseLimit, initial: 2_500, described: '2500' }

export const getCommand: CommandSpec = {
  name: 'get',
  summary: 'search, read, or print stored content',
  description:
    'Print stored content: matching lines, a range of lines, values of JSON, rows of a table, or everything.\n\n' +
    'Without a filter, a pipe or file gets all bytes, and a terminal gets the numbered first lines. For the reference ' +
    'last, the preview is printed again.',
  argument: ['<references...>', 'a reference or its first characters, last, or last~1; several with --sql'],
  options: [
    option(
      '-p, --pattern <regex>',
      'print lines that match a regular expression or keyword; if repeated, lines that match any of them',
      collect,
    ),
    option(
      '-l, --lines <A:B>',
      'print lines A to B, counted from 1; A: prints from line A to the end, :B from line 1 to B',
      parseLines,
    ),
    option('--bytes <A:B>', 'print bytes A to B, from 1, for parts of long lines', parseLines),
    option(
      '-C, --context <count>',
      'number of lines around each match (5); without a pattern, number of first lines',
      parseCount,
    ),
    option('--json-path <path>', 'print the JSON values that a JSONPath (RFC 9535) selects'),
    option('--sql <statement>', 'run one SELECT (SQLite) on the table t; for several references t1, t2'),
    ...SEARCH_OPTIONS,
    option(
      '--max-tokens <count>',
      'limit of the answer in tokens, or none; without a filter, no limit unless you set one',
      MAX_TOKENS,
    ),
    option('--raw', 'print all bytes unchanged, even on a terminal'),
    option('-f, --follow', 'print all output so far, and new output until the command ends'),
    option(
      '--wait <time>',
      'while the command runs, wait for lines or matches after --after, at most 30s',
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
  summary: 'search all stored entries',
  description: 'Search the text of every entry of exactly this scope, the newest first.',
  argument: ['[pattern]', 'a regular expression or keyword'],
  options: [
    option('-e, --regexp <pattern>', 'another pattern: lines that match any of the patterns are printed', collect),
    option('-C, --context <count>', 'number of lines around each match', { parse: parseCount, initial: 2 }),
    ...SEARCH_OPTIONS,
    option('--max-tokens <count>', 'limit of the answer in tokens; none for no limit', MAX_TOKENS),
    ...STORE_AND_JSON_OPTIONS,
  ],
  load: async () => (await import('../actions/get.ts')).grep,
}

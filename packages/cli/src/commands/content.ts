/** Commands that store content, and that read, list, and remove it. */
import { InvalidArgumentError } from 'commander'
import {
  collect,
  parseBytes,
  parseContentType,
  parseCount,
  parseDuration,
  parseLimit,
  parseLines,
  parsePositive,
  parseScope,
  parseText,
} from '../option-parsers.ts'
import { option, type CommandSpec } from './command.ts'
import { JSON_OPTION, SEARCH_OPTIONS, STORE_AND_JSON_OPTIONS } from './options.ts'

const runCommand: CommandSpec = {
  name: 'run',
  summary: 'run a command; store its output, and print a preview if it is large',
  description:
    'Run a command, and store its output while it runs. Small output is printed unchanged. For large output, a ' +
    'preview is printed, with a reference for searching the rest. Exits with the exit code of the command.',
  usage: '[options] -- <command> [args...]',
  argument: ['<command...>', 'the command and its arguments; no shell is used'],
  options: [
    option('--shell', 'run the argument as a shell command line: pipes, builtins, and variables work'),
    option('--max-tokens <count>', 'output with more tokens than this is offloaded (default: 2500)', parsePositive),
    option('--preview-tokens <count>', 'tokens of the preview (default: 300 to 1000, by kind of content)', parseCount),
    option('--max-bytes <bytes>', 'size limit: only the beginning and the end of larger output are kept', {
      parse: parseKeptBytes,
      initial: 1_073_741_824,
      described: '1GB',
    }),
    option('--timeout <time>', 'end the command after this time, with exit code 124: 90s, 30m, 2h', parseDuration),
    option('--tee', 'also print the output to standard error while the command runs (default: on a terminal)'),
    option('--no-tee', 'print no output before the end'),
    option('--keep-command', 'store the command line for ls and stat, without text that looks like a secret'),
    option('-n, --name <name>', "first part of the reference (default: the command's name)"),
    ...STORE_AND_JSON_OPTIONS,
  ],
  passesOptions: true,
  help: `
Notes: The output can be read while the command runs: spillway ls, spillway get REFERENCE --follow. Stored output survives a \
crash. Ctrl-C asks the command to end, and keeps its output; a second Ctrl-C kills the command. If the command leaves a \
process running, spillway waits 2 seconds for its output. SPILLWAY_OFF=1 runs the command as if spillway was not there, and stores nothing.

Examples:
  $ spillway run -- npm test
  $ spillway run --max-tokens 1000 --shell 'make 2>&1 | grep -v warning'
  $ spillway run --json --timeout 10m -- cargo build

Exit codes: the command's own, 128 + n if signal n ended it; 124 timeout, 126 not executable, 127 not found, \
3 the store cannot be written (the command is not run), 2 wrong options.`,
  load: async () => (await import('../actions/run.ts')).run,
}

/** The smallest limit of an entry. */
const LEAST_BYTES = 262_144

function parseKeptBytes(text: string): number {
  const bytes = parseBytes(text)
  if (bytes < LEAST_BYTES) throw new InvalidArgumentError('Write 256KB or more.')
  return bytes
}

const putCommand: CommandSpec = {
  name: 'put',
  summary: 'store a file or standard input',
  description: 'Store a file, or standard input, and print its reference.',
  argument: ['[file]', 'the file; - or nothing for standard input'],
  options: [
    option('-t, --type <mime>', 'content type (default: by the first bytes and the extension)', parseContentType),
    option('-n, --name <name>', "first part of the reference (default: the file's name)"),
    option('-q, --quiet', 'print only the reference, even on a terminal'),
    ...STORE_AND_JSON_OPTIONS,
  ],
  help: `
Examples:
  $ spillway put server.log
  $ kubectl logs my-pod | spillway put --name my-pod`,
  load: async () => (await import('../actions/put.ts')).put,
}

const MAX_TOKENS = { parse: parseLimit, initial: 2_500, described: '2500' }

const getCommand: CommandSpec = {
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
    option('--json-path <path>', 'print the JSON values that a JSONPath (RFC 9535) selects', parseText),
    option('--sql <statement>', 'run one SELECT (SQLite) on the table t; for several references t1, t2', parseText),
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

const grepCommand: CommandSpec = {
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

const lsCommand: CommandSpec = {
  name: 'ls',
  summary: 'list entries',
  description:
    'List the entries of exactly this scope, the newest first: reference, bytes, time, content type, key.\n\n' +
    'In a pipe, each entry is one line, with columns separated by tabs, sizes in bytes, and times in UTC.',
  options: [
    option('-n, --limit <count>', 'list at most this many of the newest entries', parsePositive),
    option('--tool <name>', 'list only results of this tool', parseText),
    option('--since <time>', 'list only entries stored within this time: 90s, 30m, 12h, 7d, 2w', parseDuration),
    option('--below', 'also list entries of the scopes below, with the --scope of each entry'),
    ...STORE_AND_JSON_OPTIONS,
  ],
  load: async () => (await import('../actions/entries.ts')).ls,
}

const statCommand: CommandSpec = {
  name: 'stat',
  summary: 'describe one entry',
  description: 'Describe an entry: size, content type, times, and the path for a shell.',
  argument: ['<reference>', 'the reference of the entry or its first characters, last, or last~1'],
  options: STORE_AND_JSON_OPTIONS,
  load: async () => (await import('../actions/entries.ts')).stat,
}

const statsCommand: CommandSpec = {
  name: 'stats',
  summary: 'count entries and bytes',
  description:
    'Count the entries and bytes of this scope and those below it, in total and by content type. With --tokens, print ' +
    'totals of the journal instead: tokens that offloading kept out of contexts, and tokens that were retrieved.',
  options: [
    option('--tokens', 'tokens avoided, shown, retrieved, and net, and the share of results that were read again'),
    option('--by <group>', 'with --tokens: also for each tool or day', { choices: ['tool', 'day'] }),
    ...STORE_AND_JSON_OPTIONS,
  ],
  load: async () => (await import('../actions/entries.ts')).stats,
}

const rmCommand: CommandSpec = {
  name: 'rm',
  summary: 'remove entries',
  description:
    'Remove entries of exactly this scope. Exits with 1 if one of them does not exist. With --all, erase a scope and ' +
    'the scopes below it, for example everything of a tenant or a session.',
  argument: ['[references...]', 'the references of the entries, or their first characters'],
  options: [option('--all', 'remove everything in the scope and below it; needs --scope'), ...STORE_AND_JSON_OPTIONS],
  load: async () => (await import('../actions/entries.ts')).rm,
}

const gcCommand: CommandSpec = {
  name: 'gc',
  summary: 'remove unused entries and leftovers',
  description: 'Remove leftovers of killed writers and, with --ttl, entries that were not used for this time.',
  options: [
    option('--ttl <time>', 'remove entries unused for this long: 90s, 30m, 12h, 7d, 2w', parseDuration),
    option('--dry-run', 'count what --ttl would remove, and remove nothing'),
    ...STORE_AND_JSON_OPTIONS,
  ],
  help: '\nExample:\n  $ spillway gc --ttl 7d',
  load: async () => (await import('../actions/entries.ts')).gc,
}

const copyCommand: CommandSpec = {
  name: 'copy',
  summary: 'copy a store, or one scope of it, into another store',
  description:
    'Copy entries from one store into another, of any kind. References stay valid, and each copy is read and ' +
    'compared. Existing entries are skipped: run the command again after an interruption, or to add new entries.',
  argument: ['<from>', 'the store to copy, such as file:./.spillway'],
  secondArgument: ['<to>', 'the store to copy into, such as s3://bucket/prefix'],
  options: [
    option('--scope <segments>', 'copy only this scope and the scopes below it, such as tenant-1', parseScope),
    JSON_OPTION,
  ],
  help: '\nExample:\n  $ spillway copy redis://host file:./export --scope tenant-1',
  load: async () => (await import('../actions/copy.ts')).copy,
}

const checkCommand: CommandSpec = {
  name: 'check',
  summary: 'read all entries, and report damaged ones',
  description:
    'Read every entry of this scope and the scopes below it. Report unreadable entries, content that does not match ' +
    'the digest in its reference, and wrong line indexes. Exits with 3 if something is wrong and not repaired.',
  options: [
    option('--repair', 'remove leftovers of killed writers, and unreadable entries, which can then be stored again'),
    ...STORE_AND_JSON_OPTIONS,
  ],
  load: async () => (await import('../actions/copy.ts')).check,
}

export const CONTENT_COMMANDS: readonly CommandSpec[] = [
  ...[runCommand, putCommand, getCommand, grepCommand, lsCommand, statCommand, rmCommand, gcCommand, statsCommand],
  ...[copyCommand, checkCommand],
]

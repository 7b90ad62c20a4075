import { parseDuration, parsePositive, parseScope } from '../option-parsers.ts'
import { option, type CommandSpec } from './command.ts'
import { JSON_OPTION, STORE_AND_JSON_OPTIONS } from './options.ts'

export const lsCommand: CommandSpec = {
  name: 'ls',
  summary: 'list what is stored',
  description:
    'List the entries of exactly this scope, the newest first: reference, bytes, time, content type, key.\n\n' +
    'Into a pipe: one line an entry, columns parted by tabs, sizes in bytes, times in UTC.',
  options: [
    option('-n, --limit <count>', 'only so many of the newest', parsePositive),
    option('--tool <name>', 'only results of this tool'),
    option('--since <time>', 'only what was stored within this time: 90s, 30m, 12h, 7d, 2w', parseDuration),
    option('--below', 'also list the scopes below this one, and the --scope that reaches each entry'),
    ...STORE_AND_JSON_OPTIONS,
  ],
  load: async () => (await import('../actions/entries.ts')).ls,
}

export const statCommand: CommandSpec = {
  name: 'stat',
  summary: 'describe one entry',
  description: 'Describe an entry: size, content type, times, and how a shell reaches it.',
  argument: ['<reference>', 'the reference of the entry or its beginning, last, or last~1'],
  options: STORE_AND_JSON_OPTIONS,
  load: async () => (await import('../actions/entries.ts')).stat,
}

export const statsCommand: CommandSpec = {
  name: 'stats',
  summary: 'count entries and bytes',
  description:
    'Count the entries and bytes of this scope and those below it, in all and by content type. With --tokens, sum up the ' +
    'journal of the store instead: tokens that offloading kept out of contexts, and tokens that came back.',
  options: [
    option('--tokens', 'tokens avoided, shown, retrieved, and net, and the share of results that were read again'),
    option('--by <group>', 'with --tokens: also for each tool or day', { choices: ['tool', 'day'] }),
    ...STORE_AND_JSON_OPTIONS,
  ],
  load: async () => (await import('../actions/entries.ts')).stats,
}

export const rmCommand: CommandSpec = {
  name: 'rm',
  summary: 'remove entries',
  description:
    'Remove entries of exactly this scope. Exits with 1 where one of them was not there. With --all, erase a scope and ' +
    'the scopes below it, such as all that is stored of a tenant or a session.',
  argument: ['[references...]', 'the references of the entries, or their beginnings'],
  options: [option('--all', 'remove everything in the scope and below it; needs --scope'), ...STORE_AND_JSON_OPTIONS],
  load: async () => (await import('../actions/entries.ts')).rm,
}

export const gcCommand: CommandSpec = {
  name: 'gc',
  summary: 'remove what is old or was left behind',
  description: 'Remove what killed writers left behind and, with --ttl, entries that were not used for that long.',
  options: [
    option('--ttl <time>', 'remove entries unused for this long: 90s, 30m, 12h, 7d, 2w', parseDuration),
    option('--dry-run', 'count what --ttl would remove, and remove nothing'),
    ...STORE_AND_JSON_OPTIONS,
  ],
  help: '\nExample:\n  $ spillway gc --ttl 7d',
  load: async () => (await import('../actions/entries.ts')).gc,
}

export const copyCommand: CommandSpec = {
  name: 'copy',
  summary: 'copy a store, or one scope of it, into another store',
  description:
    'Copy entries from one store into another, of whichever kind. References stay valid, and each copy is read back and ' +
    'compared. What is there already is skipped: run it again after an interruption, or to add what is new.',
  argument: ['<from>', 'the store to copy, such as file:./.spillway'],
  secondArgument: ['<to>', 'the store to copy into, such as s3://bucket/prefix'],
  options: [
    option('--scope <segments>', 'only this scope and those below it, such as tenant-1', parseScope),
    JSON_OPTION,
  ],
  help: '\nExample:\n  $ spillway copy redis://host file:./export --scope tenant-1',
  load: async () => (await import('../actions/copy.ts')).copy,
}

export const checkCommand: CommandSpec = {
  name: 'check',
  summary: 'read everything, and report what is damaged',
  description:
    'Read every entry of this scope and those below it, and report what cannot be read, content that its reference does ' +
    'not fit, and wrong line indexes. Exits with 3 if something is wrong and not repaired.',
  options: [
    option(
      '--repair',
      'remove what cannot be read, so that it can be stored again, and what killed writers left behind',
    ),
    ...STORE_AND_JSON_OPTIONS,
  ],
  load: async () => (await import('../actions/copy.ts')).check,
}

export const postgresCommand: CommandSpec = {
  name: 'postgres',
  summary: 'tables of stores in PostgreSQL',
  description: 'Commands for stores in PostgreSQL.',
  commands: [
    {
      name: 'schema',
      summary: 'print the SQL that creates the tables of a store',
      description:
        'Print the SQL that creates the tables of a store, or what is missing of them, for a role that may do so. The role ' +
        'of the store then needs no right to create tables: see createTables in the README of @spillway/postgres.',
      options: [
        option('--schema <name>', 'schema of the tables (default: spillway)'),
        option('--row-level-security', 'with policies, so that the role of a tenant reaches its scopes only'),
      ],
      help: '\nExample:\n  $ spillway postgres schema | psql postgres://owner@host/app',
      load: async () => (await import('../actions/copy.ts')).printPostgresSchema,
    },
  ],
}

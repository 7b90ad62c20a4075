import { parseDuration, parsePositive, parseScope } from '../option-parsers.ts'
import { option, type CommandSpec } from './command.ts'
import { JSON_OPTION, STORE_AND_JSON_OPTIONS } from './options.ts'

export const lsCommand: CommandSpec = {
  name: 'ls',
  summary: 'list entries',
  description:
    'List the entries of exactly this scope, the newest first: reference, bytes, time, content type, key.\n\n' +
    'In a pipe, each entry is one line, with columns separated by tabs, sizes in bytes, and times in UTC.',
  options: [
    option('-n, --limit <count>', 'list at most this many of the newest entries', parsePositive),
    option('--tool <name>', 'list only results of this tool'),
    option('--since <time>', 'list only entries stored within this time: 90s, 30m, 12h, 7d, 2w', parseDuration),
    option('--below', 'also list entries of the scopes below, with the --scope of each entry'),
    ...STORE_AND_JSON_OPTIONS,
  ],
  load: async () => (await import('../actions/entries.ts')).ls,
}

export const statCommand: CommandSpec = {
  name: 'stat',
  summary: 'describe one entry',
  description: 'Describe an entry: size, content type, times, and the path for a shell.',
  argument: ['<reference>', 'the reference of the entry or its first characters, last, or last~1'],
  options: STORE_AND_JSON_OPTIONS,
  load: async () => (await import('../actions/entries.ts')).stat,
}

export const statsCommand: CommandSpec = {
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

export const rmCommand: CommandSpec = {
  name: 'rm',
  summary: 'remove entries',
  description:
    'Remove entries of exactly this scope. Exits with 1 if one of them does not exist. With --all, erase a scope and ' +
    'the scopes below it, for example everything of a tenant or a session.',
  argument: ['[references...]', 'the references of the entries, or their first characters'],
  options: [option('--all', 'remove everything in the scope and below it; needs --scope'), ...STORE_AND_JSON_OPTIONS],
  load: async () => (await import('../actions/entries.ts')).rm,
}

export const gcCommand: CommandSpec = {
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

export const copyCommand: CommandSpec = {
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

export const checkCommand: CommandSpec = {
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

export const postgresCommand: CommandSpec = {
  name: 'postgres',
  summary: 'commands for stores in PostgreSQL',
  description: 'Commands for stores in PostgreSQL.',
  commands: [
    {
      name: 'schema',
      summary: 'print the SQL that creates the tables of a store',
      description:
        'Print the SQL that creates the tables of a store, for a role that may create tables. Then the role ' +
        'of the store need not have this right: see createTables in the README of @spillway/postgres.',
      options: [
        option('--schema <name>', 'schema of the tables (default: spillway)'),
        option('--row-level-security', 'add policies that limit the role of a tenant to its own scopes'),
      ],
      help: '\nExample:\n  $ spillway postgres schema | psql postgres://owner@host/app',
      load: async () => (await import('../actions/copy.ts')).printPostgresSchema,
    },
  ],
}

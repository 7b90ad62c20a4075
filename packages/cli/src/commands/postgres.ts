import { option, type CommandSpec } from './command.ts'

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
      load: async () => (await import('../actions/postgres.ts')).printSchema,
    },
  ],
}

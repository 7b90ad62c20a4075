import { parseScope } from '../option-parsers.ts'
import { option, type CommandSpec } from './command.ts'
import { JSON_OPTION, STORE_AND_JSON_OPTIONS } from './options.ts'

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
  help: '\nExample, to export what is stored of a tenant:\n  $ spillway copy redis://host file:./export --scope tenant-1',
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

import { parseCount } from '../option-parsers.ts'
import { option, type CommandSpec } from './command.ts'
import { JSON_OPTION } from './options.ts'

export const conformanceCommand: CommandSpec = {
  name: 'conformance',
  summary: 'test your own storage',
  description:
    'Run the conformance suite on a storage and print the report as Markdown, for the README of the storage.\n\n' +
    'The module exports a harness, as its default or as `harness`: { name, create: async () => ({ storage }) }. ' +
    'Node.js 22.18 and later loads TypeScript directly. No test runner is needed.',
  argument: ['<module>', 'a JavaScript or TypeScript module, such as ./my-storage.harness.ts'],
  options: [
    option('--harness <name>', 'the export to test, if the module has several'),
    option('--filter <text>', 'run only cases whose id contains this text, such as scope/'),
    option('--every-case', 'print a line for every case, not only for every area'),
    option('--thorough', 'run more random inputs, which takes longer'),
    option('--large', 'also run the cases that need hundreds of megabytes'),
    option('--seed <number>', 'seed of all random values (default: 1)', parseCount),
    option('--time-limit <seconds>', 'end the run after this time, and print a report (default: 1800)', parseCount),
    JSON_OPTION,
  ],
  help: `
Examples:
  $ spillway conformance ./my-storage.ts
  $ spillway conformance ./my-storage.ts --filter clear/ --every-case
  $ spillway conformance ./my-storage.ts --thorough --large --json > report.json

Exit codes: 0 no case failed; 1 a case failed, or a known gap has closed; 2 there is no harness in the module; \
3 the harness could not create a storage. A case without a proof counts neither as a failure nor as a success.`,
  load: async () => (await import('../actions/conformance.ts')).conformance,
}

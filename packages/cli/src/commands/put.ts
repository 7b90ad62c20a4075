import { parseContentType } from '../option-parsers.ts'
import { option, type CommandSpec } from './command.ts'
import { STORE_AND_JSON_OPTIONS } from './options.ts'

export const putCommand: CommandSpec = {
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

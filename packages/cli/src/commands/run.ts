import { parseCount, parsePositive } from '../option-parsers.ts'
import { option, type CommandSpec } from './command.ts'
import { STORE_AND_JSON_OPTIONS } from './options.ts'

export const runCommand: CommandSpec = {
  name: 'run',
  summary: 'run a command; store its output and print a preview where it is large',
  description:
    'Run a command and store all it writes while it writes it. Small output is printed as it is; of large output a ' +
    'preview is printed, with the reference under which the rest can be searched. Exits with the code of the command.',
  usage: '[options] -- <command> [args...]',
  argument: ['<command...>', 'the command and its arguments; it is run as it stands, without a shell'],
  options: [
    option('--max-tokens <count>', 'output with more tokens than this is offloaded (default: 2500)', parsePositive),
    option('--preview-tokens <count>', 'tokens of the preview (default: 300 to 1000, by kind of content)', parseCount),
    option('-n, --name <name>', "what the reference begins with (default: the command's name)"),
    ...STORE_AND_JSON_OPTIONS,
  ],
  passesOptions: true,
  help: `
Examples:
  $ spillway run -- npm test
  $ spillway run --max-tokens 1000 -- sh -c 'make 2>&1 | grep -v warning'
  $ spillway run --json -- cargo build

Exit codes: the command's own, 128 + n where signal n ended it; 126 not executable, 127 not found,
3 the store cannot be written (the command is not run), 2 wrong options.`,
  load: async () => (await import('../actions/run.ts')).run,
}

import { InvalidArgumentError } from 'commander'
import { parseBytes, parseCount, parseDuration, parsePositive } from '../option-parsers.ts'
import { option, type CommandSpec } from './command.ts'
import { STORE_AND_JSON_OPTIONS } from './options.ts'

export const runCommand: CommandSpec = {
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

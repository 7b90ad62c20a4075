import { InvalidArgumentError } from 'commander'
import { parseBytes, parseCount, parseDuration, parsePositive } from '../option-parsers.ts'
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
    option('--shell', 'run the argument as a line of the shell: pipes, builtins, and variables work'),
    option('--max-tokens <count>', 'output with more tokens than this is offloaded (default: 2500)', parsePositive),
    option('--preview-tokens <count>', 'tokens of the preview (default: 300 to 1000, by kind of content)', parseCount),
    option('--max-bytes <bytes>', 'keep so much: the beginning and the end of larger output', {
      parse: parseKeptBytes,
      initial: 1_073_741_824,
      described: '1GB',
    }),
    option('--timeout <time>', 'end the command after this time: 90s, 30m, 2h; the exit code is 124', parseDuration),
    option('--tee', 'also show the output on standard error while it comes (default: if that is a terminal)'),
    option('--no-tee', 'show no output before the end'),
    option('--keep-command', 'store the command line, for ls and stat; what looks like a secret is left out'),
    option('-n, --name <name>', "what the reference begins with (default: the command's name)"),
    ...STORE_AND_JSON_OPTIONS,
  ],
  passesOptions: true,
  help: `
Notes: The output can be read while the command runs: spillway ls, spillway get REFERENCE --follow. It outlives a crash. \
Ctrl-C asks the command to end, and keeps what there is; a second one kills it. A process that the command leaves \
running is waited for 2 seconds. SPILLWAY_OFF=1 runs the command as if spillway was not there, and stores nothing.

Examples:
  $ spillway run -- npm test
  $ spillway run --max-tokens 1000 --shell 'make 2>&1 | grep -v warning'
  $ spillway run --json --timeout 10m -- cargo build

Exit codes: the command's own, 128 + n where signal n ended it; 124 timeout, 126 not executable, 127 not found, \
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

import { Command, CommanderError, type Option } from 'commander'
import { describeError, errorJson, EXIT_CODE, helpOf, usageError } from './cli-error.ts'
import { addCommand, writeManual } from './commands/command.ts'
import { CONTENT_COMMANDS } from './commands/content.ts'
import { SERVICE_COMMANDS } from './commands/services.ts'
import { note, noteLine, OutputError, printJson } from './output.ts'
import { isTooOld, OLDEST_NODE, readVersion } from './versions.ts'

export async function main(args: readonly string[]): Promise<number> {
  try {
    if (isTooOld(process.versions.node))
      await noteLine(`Node.js ${OLDEST_NODE} or newer is needed; this is ${process.versions.node}.`)
    const program = createProgram()
    await program.parseAsync(inOrder(args, program), { from: 'user' })
    return Number(process.exitCode ?? EXIT_CODE.ok)
  } catch (error) {
    try {
      return await reportError(error, args)
    } catch (failure) {
      if (failure instanceof OutputError) return describeError(error).exitCode
      throw failure
    }
  }
}

const HELP = `
Examples:
  $ spillway run -- npm test                          run; large output becomes a preview
  $ spillway get npm_o4tq… --pattern 'error|failed'   search stored content
  $ spillway ls                                       list stored entries
  $ spillway gc --ttl 7d                              remove entries unused for a week
  $ spillway mcp proxy -- npx some-mcp-server         keep large results of MCP tools out of the context
  $ spillway serve                                    serve the store over HTTP
  $ spillway history compact session.jsonl            make a transcript smaller

Exit codes: 0 ok, 1 no match or no entry, 2 wrong options, 3 store not usable, 70 bug in spillway, 74 output not writable; for run, see run --help.

Environment: SPILLWAY_STORE and SPILLWAY_SCOPE set --store and --scope; NO_COLOR; SPILLWAY_DEBUG=1 shows stack traces.`

export function createProgram(): Command {
  const program = new Command('spillway')
    .description("Keep large output out of an agent's context: store it, show a preview, search the rest.")
    .version(readVersion(), '-V, --version')
    .enablePositionalOptions()
    .helpCommand(false)
    .showHelpAfterError(false)
    // Commander throws its errors, so that one place reports all errors.
    .exitOverride()
    .configureOutput({ outputError: () => {} })
  writeManual(program, 'keep large output out of the context of an agent', HELP)
  for (const command of [...CONTENT_COMMANDS, ...SERVICE_COMMANDS]) addCommand(program, command)
  return program
}

/** Move options from before a command to after it, and read `help run` as `run --help`. */
function inOrder(args: readonly string[], program: Command): readonly string[] {
  const isKnown = args.length < 2 || program.commands.some((each) => each.name() === args[1])
  if (args[0] === 'help') return [...args.slice(1), ...(isKnown ? ['--help'] : [])]
  const names: string[] = []
  const options: string[] = []
  let command = program
  let rest = args
  for (let [word] = rest; word !== undefined; [word] = rest) {
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word))
    if (next !== undefined) {
      command = next
      names.push(word)
      rest = rest.slice(1)
    } else if (/^--?[a-z]/i.test(word)) {
      const [flag = ''] = word.split('=', 1)
      const hasValue = flag === word && optionOf(flag, [command, ...program.commands])?.required === true
      options.push(...rest.slice(0, hasValue ? 2 : 1))
      rest = rest.slice(hasValue ? 2 : 1)
    } else break
  }
  return [...names, ...options, ...rest]
}

const optionOf = (flag: string, commands: readonly Command[]): Option | undefined =>
  commands.flatMap(({ options }) => options).find(({ long, short }) => long === flag || short === flag)

export async function reportError(thrown: unknown, args: readonly string[]): Promise<number> {
  if (thrown instanceof OutputError && thrown.isClosed) return EXIT_CODE.ok
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT_CODE.ok
  if (thrown instanceof CommanderError && thrown.code === 'commander.help') return EXIT_CODE.usage
  const error = thrown instanceof CommanderError ? usageError(usageMessage(thrown, args), { cause: thrown }) : thrown
  const { code, message, exitCode } = describeError(error)
  if (wantsJson(args) && !(error instanceof OutputError)) await printJson({ error: errorJson(error) })
  else if (process.env['SPILLWAY_DEBUG']) await note(`spillway: ${stackOf(error)}\n`)
  else await noteLine(message)
  // The link is printed for people only: an agent reads a pipe, and each line costs tokens.
  if (process.stderr.isTTY && code !== 'usage') await noteLine(`See ${helpOf(code)}`)
  return exitCode
}

/** Rewrite a message of Commander, which begins with `error:` and does not name `--help`. */
function usageMessage({ message }: CommanderError, args: readonly string[]): string {
  let command = createProgram()
  const names = [command.name()]
  for (const name of args) {
    const next = command.commands.find((each) => each.name() === name)
    if (next === undefined) break
    command = next
    names.push(name)
  }
  const help = [...names, '--help'].join(' ')
  const known = command.commands.map((each) => each.name()).join(', ')
  const isUnknown = known !== '' && /^error: (?:unknown command|too many arguments)/.test(message)
  const sentence = `${message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')}.`.replace(/([.?)])\./, '$1')
  return `${sentence}${isUnknown ? ` Commands: ${known}.` : ''} See ${help}.`
}

function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).includes('--json')
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const stack = error.stack ?? error.message
  return error.cause === undefined ? stack : `${stack}\ncaused by: ${stackOf(error.cause)}`
}

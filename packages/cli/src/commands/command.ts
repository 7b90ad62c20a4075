import { Option, type Command } from 'commander'
import { EXIT_CODE, usageError } from '../cli-error.ts'
import { setColor, type ColorChoice } from '../output.ts'

export interface Invocation<Options> {
  readonly args: readonly string[]
  readonly options: Options
  readonly command: Command
}

/** The exit code of a command. A command without a result exits with 0. */
export type CommandResult = Promise<number | void>

/** A command as data: its help, its options, and the function that it runs. */
export interface CommandSpec {
  readonly name: string
  readonly alias?: string
  readonly summary: string
  readonly description: string
  readonly usage?: string
  readonly argument?: readonly [flags: string, description: string]
  readonly secondArgument?: readonly [flags: string, description: string]
  readonly options?: readonly Option[]
  /** Whether options after the first argument count as arguments, for example of the command to run. */
  readonly passesOptions?: boolean
  /** Text that follows the options in the help. */
  readonly help?: string
  readonly commands?: readonly CommandSpec[]
  /** Imports the function on first use, so that help does not load the storage code. */
  readonly load?: () => Promise<(invocation: Invocation<never>) => CommandResult>
}

export function addCommand(parent: Command, spec: CommandSpec): void {
  const {
    name,
    alias,
    usage,
    argument,
    secondArgument,
    options = [],
    passesOptions = false,
    help,
    commands = [],
    load,
  } = spec
  const command = parent.command(name).summary(spec.summary).description(spec.description)
  if (alias !== undefined) command.alias(alias)
  if (usage !== undefined) command.usage(usage)
  if (argument !== undefined) command.argument(...argument)
  if (secondArgument !== undefined) command.argument(...secondArgument)
  for (const one of options) command.addOption(one)
  if (passesOptions) command.passThroughOptions()
  writeManual(command, spec.summary, help)
  for (const one of commands) addCommand(command, one)
  if (load === undefined) command.helpCommand(false)
  else
    command.action(async () => {
      if (command.args[0] === '') throw usageError(`The argument ${argument?.[0]} must not be empty.`)
      const run = await load()
      setColor(command.opts<{ readonly color?: ColorChoice }>().color)
      if (command.getOptionValueSource('store') === 'default') {
        const { findStore } = await import('../store/find-store.ts')
        const store = findStore()
        command.setOptionValueWithSource('store', store, 'default').setOptionValue('foundStore', store)
      }
      process.exitCode = (await run({ args: command.args, options: command.opts<never>(), command })) ?? EXIT_CODE.ok
    })
}

const INDENT = '  '

/** Print the help of a command like a manual page. In `help`, a section begins with its name and a colon. */
export function writeManual(command: Command, summary: string, help = ''): void {
  const indented = (text: string): string => {
    const width = (command.configureOutput().getOutHelpWidth?.() ?? 80) - INDENT.length
    const wrapped = (line: string): string =>
      command
        .createHelp()
        .boxWrap(line, width)
        .replaceAll(/^(?=.)/gm, INDENT)
    // Examples are indented, and do not change.
    const lines = text.split('\n').map((line) => (line.startsWith(INDENT) ? line : wrapped(line)))
    return lines.join('\n')
  }
  const names = (of: Command): string => (of.parent === null ? of.name() : `${names(of.parent)} ${of.name()}`)
  const title = (name: string): string => name.replace(/:$/, '').toUpperCase()
  command
    .configureHelp({
      styleTitle: (name) => (name === 'Usage:' ? `SYNOPSIS\n${INDENT.slice(1)}` : title(name)),
      commandDescription: (of) => `DESCRIPTION\n${indented(of.description())}`,
    })
    .addHelpText('before', () => `NAME\n${indented(`${names(command)} - ${summary}`)}\n`)
    .addHelpText('after', () =>
      help.replaceAll(
        /^([A-Z][a-z]+(?: codes)?):(?: |\n)((?:.+\n?)+)/gm,
        (_, name: string, text: string) => `${title(name)}\n${indented(text)}`,
      ),
    )
}

type ParseOption = (text: string, earlier?: never) => unknown

interface OptionDetails {
  readonly parse?: ParseOption
  readonly initial?: unknown
  /** Description of the default value in the help. */
  readonly described?: string
  readonly env?: string
  readonly choices?: readonly string[]
}

export function option(flags: string, description: string, details: OptionDetails | ParseOption = {}): Option {
  const { parse, initial, described, env, choices } = typeof details === 'function' ? { parse: details } : details
  const made = new Option(flags, description)
  if (parse !== undefined) made.argParser(parse as (text: string, earlier: unknown) => unknown)
  if (choices !== undefined) made.choices(choices)
  if (initial !== undefined) made.default(initial, described)
  if (env !== undefined) made.env(env)
  return made
}

import { HOSTS, type Host } from '../hook/hosts.ts'
import { option, type CommandSpec } from './command.ts'
import { HOOK_OPTIONS, JSON_OPTION } from './options.ts'

const DRY_RUN = option('--dry-run', 'show what would change, and change nothing')

function placeOptions({ project, local }: Host): NonNullable<CommandSpec['options']> {
  const isDefault = local === undefined ? ' (default)' : ''
  return [
    option('--user', 'in the settings of the user, for all projects'),
    option('--project', `in ${project} of the project, for all its users${isDefault}`),
    ...(local === undefined ? [] : [option('--local', `in ${local} of the project, only for this user (default)`)]),
    option('--settings <file>', 'in this file'),
    JSON_OPTION,
  ]
}

function hostCommand([name, host]: readonly [string, Host]): CommandSpec {
  const { title, event, allowed } = host
  const settings = `the settings of ${title}`
  const removal = `remove the hook from ${settings}, and restore the file if nothing else has changed`
  return {
    name,
    summary: `the hook of ${title}, and its installer`,
    description:
      `Without a further command, run as a hook ${event} of ${title}: read a result from standard input, store large ` +
      `output, and print the replacement for the model. The command \`install\` adds the hook to ${settings}.`,
    options: HOOK_OPTIONS,
    commands: [
      {
        name: 'install',
        summary: `add the hook to ${settings}`,
        description:
          `Add the hook to ${settings}. Shows the change of the file, changes nothing else in it, and keeps a ` +
          'copy in the same folder. A second run does nothing, or changes the options of the hook.',
        options: [
          ...placeOptions(host),
          ...HOOK_OPTIONS,
          DRY_RUN,
          option('--mcp', 'also install the MCP server, with which the agent retrieves stored content'),
          ...(allowed === undefined ? [] : [option('--allow', 'let the agent retrieve stored content without asking')]),
        ],
        help: `
Examples:
  $ spillway hook ${name} install --dry-run
  $ spillway hook ${name} install --user${allowed === undefined ? '' : ' --allow'}
  $ spillway hook ${name} install --project --max-tokens 5000
  $ spillway hook ${name} undo --user`,
        load: async () => (await import('../actions/hook-install.ts')).install,
      },
      {
        name: 'uninstall',
        alias: 'undo',
        summary: removal,
        description: `${removal.replace('remove', 'Remove')}.`,
        options: [DRY_RUN, ...placeOptions(host)],
        load: async () => (await import('../actions/hook-install.ts')).uninstall,
      },
      {
        name: 'status',
        summary: 'list the settings that have the hook',
        description: 'List the settings files that have the hook.',
        options: placeOptions(host),
        load: async () => (await import('../actions/hook-install.ts')).status,
      },
    ],
    load: async () => (await import('../actions/hook.ts')).hook,
  }
}

export const hookCommand: CommandSpec = {
  name: 'hook',
  summary: 'offload the output of the tools of Claude Code, Codex, Gemini CLI, or OpenCode',
  description: 'Run as a hook of an agent in a terminal, or install the hook in the settings of the agent.',
  commands: Object.entries(HOSTS).map(hostCommand),
}

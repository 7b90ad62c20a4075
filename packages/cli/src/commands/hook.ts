import { HOSTS, type Host } from '../hook/hosts.ts'
import { option, type CommandSpec } from './command.ts'
import { HOOK_OPTIONS, JSON_OPTION } from './options.ts'

const DRY_RUN = option('--dry-run', 'show what would change, and change nothing')

function placeOptions({ project, local }: Host): NonNullable<CommandSpec['options']> {
  const isDefault = local === undefined ? ' (default)' : ''
  return [
    option('--user', 'in the settings of the user, for all projects'),
    option('--project', `in ${project} of the project, for all who work on it${isDefault}`),
    ...(local === undefined ? [] : [option('--local', `in ${local} of the project, for this user alone (default)`)]),
    option('--settings <file>', 'in this file'),
    JSON_OPTION,
  ]
}

function hostCommand([name, host]: readonly [string, Host]): CommandSpec {
  const { title, event, allowed } = host
  const settings = `the settings of ${title}`
  const removal = `take the hook out of ${settings}; the file is what it was, if nothing else has changed`
  return {
    name,
    summary: `the hook of ${title}, and its installer`,
    description:
      `Without a further command: be a hook ${event} of ${title}. It reads what ${title} tells from standard input, ` +
      `stores output that is large, and prints what the model sees in its place. Let \`install\` put it into ${settings}.`,
    options: HOOK_OPTIONS,
    commands: [
      {
        name: 'install',
        summary: `put the hook into ${settings}`,
        description:
          `Put the hook into ${settings}. Shows what changes in the file, changes nothing else in it, and keeps a ` +
          'copy beside it. Running it again does nothing, or changes the options of the hook.',
        options: [
          ...placeOptions(host),
          ...HOOK_OPTIONS,
          DRY_RUN,
          option('--mcp', 'let the agent read on by an MCP server, which is installed as well'),
          ...(allowed === undefined ? [] : [option('--allow', 'let the agent read on without asking')]),
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
        description: `${removal.replace('take', 'Take')}.`,
        options: [DRY_RUN, ...placeOptions(host)],
        load: async () => (await import('../actions/hook-install.ts')).uninstall,
      },
      {
        name: 'status',
        summary: 'say where the hook is installed',
        description: 'Say where the hook is installed.',
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
  description: 'Be a hook of an agent that runs in a terminal, or install one in its settings.',
  commands: Object.entries(HOSTS).map(hostCommand),
}

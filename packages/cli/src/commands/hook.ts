import { option, type CommandSpec } from './command.ts'
import { HOOK_OPTIONS, JSON_OPTION } from './options.ts'

const PLACE_OPTIONS = [
  option('--user', 'in the settings of the user, for all projects'),
  option('--project', 'in .claude/settings.json of the project, for all who work on it'),
  option('--local', 'in .claude/settings.local.json of the project, for this user alone (default)'),
  option('--settings <file>', 'in this file'),
  JSON_OPTION,
]
const DRY_RUN = option('--dry-run', 'show what would change, and change nothing')

const installCommand: CommandSpec = {
  name: 'install',
  summary: "put the hook into Claude Code's settings",
  description:
    "Put the hook into Claude Code's settings. Shows what changes in the file, changes nothing else in it, and keeps a " +
    'copy beside it. Running it again does nothing, or changes the options of the hook.',
  options: [
    ...PLACE_OPTIONS,
    ...HOOK_OPTIONS,
    DRY_RUN,
    option('--mcp', 'let the agent read on by an MCP server, which is put into .mcp.json'),
    option('--allow', 'let Claude Code run the commands or the tool for reading on without asking'),
  ],
  help: `
Examples:
  $ spillway hook claude-code install --dry-run
  $ spillway hook claude-code install --user --allow
  $ spillway hook claude-code install --project --except Read --max-tokens 5000
  $ spillway hook claude-code undo --user`,
  load: async () => (await import('../actions/hook-install.ts')).install,
}

const claudeCodeCommand: CommandSpec = {
  name: 'claude-code',
  summary: 'the hook, and its installer',
  description:
    'Without a further command: be a hook PostToolUse of Claude Code. It reads what Claude Code tells from standard ' +
    'input, stores output that is large, and prints what the model sees in its place. Let `install` put it into ' +
    "Claude Code's settings.",
  options: HOOK_OPTIONS,
  commands: [
    installCommand,
    {
      name: 'uninstall',
      alias: 'undo',
      summary: 'take the hook out of the settings; the file is what it was, if nothing else has changed',
      description: 'Take the hook out of the settings; the file is what it was, if nothing else has changed.',
      options: [DRY_RUN, ...PLACE_OPTIONS],
      load: async () => (await import('../actions/hook-install.ts')).uninstall,
    },
    {
      name: 'status',
      summary: 'say where the hook is installed',
      description: 'Say where the hook is installed.',
      options: PLACE_OPTIONS,
      load: async () => (await import('../actions/hook-install.ts')).status,
    },
  ],
  load: async () => (await import('../actions/hook.ts')).hook,
}

export const hookCommand: CommandSpec = {
  name: 'hook',
  summary: 'offload the output of tools of Claude Code',
  description: 'Be a hook of an agent that runs in a terminal, or install one in its settings.',
  commands: [claudeCodeCommand],
}

import { Option, type Command } from 'commander'
import { action } from '../action.ts'
import { addHookOptions } from '../hook/hook-options.ts'

export function addHookCommand(program: Command): void {
  const hook = program
    .command('hook')
    .summary('offload the output of tools of Claude Code')
    .description('Be a hook of an agent that runs in a terminal, or install one in its settings.')
  const claudeCode = hook
    .command('claude-code')
    .summary('the hook, and its installer')
    .description(
      'Without a further command: be a hook PostToolUse of Claude Code. It reads what Claude Code tells from standard ' +
        'input, stores output that is large, and prints what the model sees in its place. Let `install` put it into ' +
        "Claude Code's settings.",
    )
  addHookOptions(claudeCode)
  action(claudeCode, async () => (await import('../actions/hook.ts')).hook)
  addInstallCommand(claudeCode)
  for (const [name, summary] of [
    ['uninstall', 'take the hook out of the settings; the file is what it was, if nothing else has changed'],
    ['status', 'say where the hook is installed'],
  ] as const) {
    const command = claudeCode
      .command(name)
      .summary(summary)
      .description(`${sentence(summary)}.`)
    if (name === 'uninstall') command.alias('undo').option('--dry-run', 'show what would change, and change nothing')
    addPlaceOptions(command)
    action(command, async () => (await import('../actions/hook-install.ts'))[name])
  }
}

function addInstallCommand(claudeCode: Command): void {
  const install = claudeCode
    .command('install')
    .summary("put the hook into Claude Code's settings")
    .description(
      "Put the hook into Claude Code's settings. Shows what changes in the file, changes nothing else in it, and keeps a " +
        'copy beside it. Running it again does nothing, or changes the options of the hook.',
    )
  addPlaceOptions(install)
  addHookOptions(install)
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--mcp', 'let the agent read on by an MCP server, which is put into .mcp.json')
    .option('--allow', 'let Claude Code run the commands or the tool for reading on without asking')
  install.addHelpText(
    'after',
    `
Examples:
  $ spillway hook claude-code install --dry-run
  $ spillway hook claude-code install --user --allow
  $ spillway hook claude-code install --project --except Read --max-tokens 5000
  $ spillway hook claude-code undo --user`,
  )
  action(install, async () => (await import('../actions/hook-install.ts')).install)
}

function addPlaceOptions(command: Command): void {
  command
    .option('--user', 'in the settings of the user, for all projects')
    .option('--project', 'in .claude/settings.json of the project, for all who work on it')
    .option('--local', 'in .claude/settings.local.json of the project, for this user alone (default)')
    .addOption(new Option('--settings <file>', 'in this file'))
    .option('--json', 'print JSON, errors too')
}

const sentence = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

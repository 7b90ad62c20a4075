import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Addition } from './settings-change.ts'

/** The name of the MCP server in a host's settings. */
export const SERVER = 'spillway'
/** Time limit of the hook. It is long because a store may be remote. */
const TIMEOUT_SECONDS = 120

/** An agent that starts `spillway hook` after its tools, and the names in its settings. */
export interface Host {
  readonly title: string
  /** The settings file of the user. */
  readonly user: () => string
  /** The settings file of a project, shared by all its users. */
  readonly project: string
  /** The settings file of a project for this user alone. If present, it is the default file. */
  readonly local?: string
  readonly event: string
  /** The time limit of the hook, in the host's unit. */
  readonly timeout?: number
  /** Patterns of the tools whose results are offloaded. */
  readonly tools?: () => Promise<readonly string[]>
  /** Write a plugin that starts the hook, for a host without hooks in its settings. */
  readonly plugin?: (command: string, minLength: number) => string
  /** Other settings that the hook needs to get whole results. */
  readonly settings?: readonly Addition[]
  /** Permissions that `--allow` adds: a rule for a shell command, and rules for the retrieval tool. */
  readonly allowed?: {
    readonly path: readonly string[]
    readonly rule: (command: string) => string
    readonly tools?: readonly string[]
  }
  readonly servers: {
    readonly path: readonly string[]
    /** Return the file that lists MCP servers; `undefined` if only the host's own command can change it. */
    readonly file: (settings: string, place: { user?: boolean; settings?: string }) => string | undefined
    readonly value: (words: readonly string[], isAllowed: boolean) => object
    /** The host's command that adds a server. */
    readonly command?: string
  }
  /** When the host starts to use a new hook, as words for the user. */
  readonly start: string
}

const commandAndArgs = ([command = '', ...args]: readonly string[]): object => ({ command, args })

/** The hosts by their names in `spillway hook NAME`. */
export const HOSTS: Readonly<Record<string, Host>> = {
  'claude-code': {
    title: 'Claude Code',
    user: () => join(process.env['CLAUDE_CONFIG_DIR'] ?? join(homedir(), '.claude'), 'settings.json'),
    project: '.claude/settings.json',
    local: '.claude/settings.local.json',
    event: 'PostToolUse',
    timeout: TIMEOUT_SECONDS,
    tools: async () => [...(await import('@spillway/claude-agent-sdk/hook')).offloadedTools, 'mcp__.*'],
    // Claude Code offloads larger results itself, before hooks run.
    settings: [{ path: ['env'], key: 'MAX_MCP_OUTPUT_TOKENS', value: '100000000' }],
    allowed: {
      path: ['permissions', 'allow'],
      rule: (command) => `Bash(${command}:*)`,
      tools: [`mcp__${SERVER}__retrieve_offloaded_content`],
    },
    servers: {
      path: ['mcpServers'],
      // Claude Code reads the servers of a project from a file beside its folder `.claude`.
      file: (path, { user, settings }) =>
        user === true ? undefined : join(settings === undefined ? dirname(dirname(path)) : dirname(path), '.mcp.json'),
      value: commandAndArgs,
      command: 'claude mcp add --scope user',
    },
    start: 'Claude Code uses it from its next session on.',
  },
  codex: {
    title: 'Codex',
    user: () => join(process.env['CODEX_HOME'] ?? join(homedir(), '.codex'), 'hooks.json'),
    project: '.codex/hooks.json',
    event: 'PostToolUse',
    timeout: TIMEOUT_SECONDS,
    tools: async () => ['Bash', 'mcp__.*'],
    servers: { path: [], file: () => undefined, value: commandAndArgs, command: 'codex mcp add' },
    start: 'Codex runs it once you have trusted it: it asks at its next start, and /hooks shows it.',
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    user: () => join(process.env['GEMINI_CLI_HOME'] ?? homedir(), '.gemini/settings.json'),
    project: '.gemini/settings.json',
    event: 'AfterTool',
    timeout: TIMEOUT_SECONDS * 1_000,
    tools: async () => ['.*'],
    allowed: { path: ['tools', 'allowed'], rule: (command) => `run_shell_command(${command})` },
    servers: {
      path: ['mcpServers'],
      file: (path) => path,
      value: (words, isAllowed) => ({ ...commandAndArgs(words), ...(isAllowed && { trust: true }) }),
    },
    start: 'Gemini CLI uses it from its next session on, in folders that it trusts.',
  },
  opencode: {
    title: 'OpenCode',
    user: () => join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'opencode/plugins/spillway.js'),
    project: '.opencode/plugins/spillway.js',
    event: 'tool.execute.after',
    plugin: openCodePlugin,
    servers: {
      path: ['mcp'],
      file: (path) => join(dirname(dirname(path)), 'opencode.json'),
      value: (command) => ({ type: 'local', command }),
    },
    start: 'OpenCode uses it from its next session on.',
  },
}

function openCodePlugin(command: string, minLength: number): string {
  return `// Written by \`spillway hook opencode install\`; \`spillway hook opencode undo\` removes it.
import { spawn } from 'node:child_process'

const COMMAND = ${JSON.stringify(command)}

export const Spillway = async ({ directory }) => ({
  async 'tool.execute.after'({ sessionID, tool, callID, args }, output) {
    const event = {
      hook_event_name: 'tool.execute.after',
      session_id: sessionID,
      cwd: directory,
      tool_name: tool,
      tool_use_id: callID,
      tool_input: args,
      tool_response: output,
    }
    const input = JSON.stringify(event)
    if (input.length <= ${minLength}) return
    const hook = spawn(COMMAND, { shell: true, windowsHide: true, stdio: ['pipe', 'pipe', 'ignore'] })
    hook.on('error', () => {})
    hook.stdin.on('error', () => {})
    hook.stdin.end(input)
    let answer = ''
    for await (const chunk of hook.stdout.setEncoding('utf8')) answer += chunk
    const { text } = JSON.parse(answer || '{}')
    if (text === undefined) return
    // Results of MCP tools have content blocks, and results of other tools are text.
    if (Array.isArray(output.content)) output.content = [{ type: 'text', text }]
    else output.output = text
  },
})
`
}

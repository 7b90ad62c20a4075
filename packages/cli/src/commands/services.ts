/** Commands for services, hosts of agents, transcripts, and the installation. */
import { HOSTS, type Host } from '../hook/hosts.ts'
import { collect, parseAddress, parseCount, parseDuration, parseNames, parsePositive } from '../option-parsers.ts'
import { option, type CommandSpec } from './command.ts'
import {
  answerOption,
  COMPACTION_OPTIONS,
  CONTEXT_OFFLOAD_OPTIONS,
  HOOK_OPTIONS,
  JSON_OPTION,
  LIMIT_OPTIONS,
  listenOptions,
  MODEL_OPTIONS,
  offloaderOptions,
  OUTPUT_OPTIONS,
  STORE_AND_JSON_OPTIONS,
  STORE_OPTIONS,
  TRANSCRIPT_OPTIONS,
} from './options.ts'

const conformanceCommand: CommandSpec = {
  name: 'conformance',
  summary: 'test your own storage',
  description:
    'Run the conformance suite on a storage and print the report as Markdown, for the README of the storage.\n\n' +
    'The module exports a harness, as its default or as `harness`: { name, create: async () => ({ storage }) }. ' +
    'Node.js 22.18 and later loads TypeScript directly. No test runner is needed.',
  argument: ['<module>', 'a JavaScript or TypeScript module, such as ./my-storage.harness.ts'],
  options: [
    option('--harness <name>', 'the export to test, if the module has several'),
    option('--filter <text>', 'run only cases whose id contains this text, such as scope/'),
    option('--every-case', 'print a line for every case, not only for every area'),
    option('--thorough', 'run more random inputs, which takes longer'),
    option('--large', 'also run the cases that need hundreds of megabytes'),
    option('--seed <number>', 'seed of all random values (default: 1)', parseCount),
    option('--time-limit <seconds>', 'end the run after this time, and print a report (default: 1800)', parseCount),
    JSON_OPTION,
  ],
  help: `
Examples:
  $ spillway conformance ./my-storage.ts
  $ spillway conformance ./my-storage.ts --filter clear/ --every-case
  $ spillway conformance ./my-storage.ts --thorough --large --json > report.json

Exit codes: 0 no case failed; 1 a case failed, or a known gap has closed; 2 there is no harness in the module; \
3 the harness could not create a storage. A case without a proof counts neither as a failure nor as a success.`,
  load: async () => (await import('../actions/conformance.ts')).conformance,
}

const LOG_EVENTS = option('--log-events', 'write every event to standard error, one JSON value per line')

const proxyCommand: CommandSpec = {
  name: 'proxy',
  summary: 'run a proxy for an MCP server: large results of its tools become previews',
  description:
    'Run a proxy between a host and an MCP server. Results of tools over the limit are stored; the host gets a ' +
    'preview with a reference, and another tool, with which the model searches stored content. All else is unchanged.',
  usage: '[options] -- <server command> [args...]',
  argument: [
    '[command...]',
    'the command that starts the server, and its arguments; the server gets the environment of this command',
  ],
  options: [
    option('--url <url>', 'the URL of a server over HTTP, instead of a command'),
    option('--header <header>', "header for this server, 'Name: value' with ${VARIABLE}s; may be repeated", collect),
    option('--sse', 'use the older HTTP with SSE of revision 2024-11-05 for this server'),
    option('-n, --name <name>', 'name of the server in messages'),
    option('--exclude <names>', 'tools whose results are not offloaded, separated by commas', parseNames),
    option('--ttl <time>', 'remove content unused for this time, such as 7d', parseDuration),
    option(
      '--max-message-bytes <count>',
      'size limit of one message of the server in bytes (default: 256 MiB)',
      parsePositive,
    ),
    LOG_EVENTS,
    ...offloaderOptions('that of --max-tokens'),
    ...listenOptions(),
    ...STORE_OPTIONS,
  ],
  passesOptions: true,
  help: `
Examples:
  $ spillway mcp proxy -- npx -y @modelcontextprotocol/server-filesystem .
  $ spillway mcp proxy --url https://example.com/mcp --header 'Authorization: Bearer \${TOKEN}'
  $ spillway mcp proxy --listen 8003 -- npx -y @modelcontextprotocol/server-filesystem .

Exit codes: 0 the client has ended, 1 the server has ended, 2 wrong options, 3 the store cannot be opened, \
126 or 127 the server cannot be started.`,
  load: async () => (await import('../actions/mcp-proxy.ts')).mcpProxy,
}

const mcpServeCommand: CommandSpec = {
  name: 'serve',
  summary: 'run an MCP server that searches and reads stored content',
  description:
    'Serve stored content to a host that only needs retrieval: a tool that searches and reads by reference, and a tool ' +
    'that stores content of an agent. With --scope, the whole scope can be searched; otherwise a reference is needed.',
  options: [
    option('--read-only', 'leave out the tool that stores content'),
    LOG_EVENTS,
    answerOption('2500'),
    ...listenOptions(),
    ...STORE_OPTIONS,
  ],
  help: `
Examples:
  $ spillway mcp serve --store file:./.spillway --scope project-1
  $ spillway mcp serve --store redis://localhost:6379 --listen 8004 --tokens tokens.json`,
  load: async () => (await import('../actions/mcp-serve.ts')).mcpServe,
}

const mcpCommand: CommandSpec = {
  name: 'mcp',
  summary: 'run a proxy for MCP servers, or an MCP server',
  description: 'For hosts of the Model Context Protocol, such as Claude Code, Cursor, VS Code, Gemini CLI and Codex.',
  commands: [proxyCommand, mcpServeCommand],
}

const serveCommand: CommandSpec = {
  name: 'serve',
  summary: 'serve over HTTP: results, histories, and the endpoints of ReMe',
  description:
    'Serve the store over HTTP. Without --tokens, only this machine is served, in one scope; with tokens, callers ' +
    'have their own scopes. POST /context_offload, /grep and /read_file are as in ReMe; /openapi.json describes /v1.',
  options: [
    option('--quiet', 'log only faults, not every request'),
    option('--inspector', 'also serve the page of `spillway inspect`, at /inspector/'),
    ...listenOptions('address of the service (default: 127.0.0.1:8002)'),
    ...MODEL_OPTIONS,
    ...CONTEXT_OFFLOAD_OPTIONS,
    ...offloaderOptions('that of --max-tokens'),
    ...LIMIT_OPTIONS,
    ...STORE_OPTIONS,
  ],
  help: `
Examples:
  $ spillway serve
  $ spillway serve --model gpt-5-mini
  $ spillway serve --store redis://localhost:6379 --listen 0.0.0.0:8002 --tokens tokens.json --allow-host spill.example.com`,
  load: async () => (await import('../actions/serve.ts')).serve,
}

const inspectCommand: CommandSpec = {
  name: 'inspect',
  summary: 'show the store in the browser: entries, previews, searches, savings',
  description:
    'Serve a page that shows stored content, its previews, and the saved tokens. Only this machine ' +
    'can open the page, with the printed URL, whose token is a secret. Content is shown as text and never runs.',
  options: [
    option('--listen <[host:]port>', 'loopback address of the page (default: a free port)', parseAddress),
    option('--allow-delete', 'let the page remove entries'),
    option('--no-open', 'only print the URL'),
    ...STORE_OPTIONS,
  ],
  help: `
Examples:
  $ spillway inspect
  $ spillway inspect --scope tenant-1 --listen 8004 --no-open`,
  load: async () => (await import('../actions/serve.ts')).inspect,
}

const FILE = [
  '<file>',
  'a JSON array or document with messages, one message per line, or a session of Claude Code',
] as const

const compactCommand: CommandSpec = {
  name: 'compact',
  summary: 'replace large results with references, and summarize if that is not enough',
  description:
    'Report the tokens of a transcript before and after compacting, and the messages that keep it over its ' +
    'limit. With --output, the originals are stored and the smaller transcript is written to a file.',
  argument: FILE,
  options: [...TRANSCRIPT_OPTIONS, ...OUTPUT_OPTIONS, ...COMPACTION_OPTIONS],
  help: `
Examples:
  $ spillway history compact session.jsonl
  $ spillway history compact session.jsonl --max-total-tokens 100000 --output smaller.jsonl
  $ spillway history compact request.json --model gpt-5-mini --output -

Exit codes: 0 within the limit, 1 over the limit, 2 wrong options or an unreadable transcript, 3 the store failed.`,
  load: async () => (await import('../actions/history.ts')).historyCompact,
}

const expandCommand: CommandSpec = {
  name: 'expand',
  summary: 'restore the originals of a transcript',
  description: 'Restore the originals that a transcript names: results, arguments, and messages replaced by a summary.',
  argument: FILE,
  options: [...TRANSCRIPT_OPTIONS, ...OUTPUT_OPTIONS],
  help: `
Examples:
  $ spillway history expand smaller.jsonl --output whole.jsonl

Exit codes: 0 all restored, 1 an entry is missing, 2 wrong options or an unreadable transcript, 3 the store failed.`,
  load: async () => (await import('../actions/history.ts')).historyExpand,
}

const historyCommand: CommandSpec = {
  name: 'history',
  summary: 'make transcripts of agents smaller, and restore them',
  description: 'For transcripts on disk: requests, lists of messages, and sessions of Claude Code.',
  commands: [compactCommand, expandCommand],
}

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

const completionCommand: CommandSpec = {
  name: 'completion',
  summary: 'print the completion script for a shell',
  description: 'Print a script that lets a shell complete commands, options, references, and stores.',
  argument: ['<shell>', 'bash, zsh, fish, or powershell'],
  secondArgument: ['[words...]', 'words to complete, for the scripts'],
  passesOptions: true,
  help: `
Examples:
  $ spillway completion bash >> ~/.bashrc
  $ spillway completion zsh > "\${fpath[1]}/_spillway"
  $ spillway completion fish > ~/.config/fish/completions/spillway.fish
  $ spillway completion powershell >> $PROFILE`,
  load: async () => (await import('../setup/completion.ts')).completion,
}

const doctorCommand: CommandSpec = {
  name: 'doctor',
  summary: 'check the installation, the store, and the hosts',
  description:
    'Check Node.js, the store and its speed, optional packages, and the configuration of hosts. The output has no ' +
    'secrets and can be part of a bug report. Exits with 3 if something is wrong.',
  options: STORE_AND_JSON_OPTIONS,
  load: async () => (await import('../setup/doctor.ts')).doctor,
}

const postgresCommand: CommandSpec = {
  name: 'postgres',
  summary: 'commands for stores in PostgreSQL',
  description: 'Commands for stores in PostgreSQL.',
  commands: [
    {
      name: 'schema',
      summary: 'print the SQL that creates the tables of a store',
      description:
        'Print the SQL that creates the tables of a store, for a role that may create tables. Then the role ' +
        'of the store need not have this right: see createTables in the README of @spillway/postgres.',
      options: [
        option('--schema <name>', 'schema of the tables (default: spillway)'),
        option('--row-level-security', 'add policies that limit the role of a tenant to its own scopes'),
      ],
      help: '\nExample:\n  $ spillway postgres schema | psql postgres://owner@host/app',
      load: async () => (await import('../actions/copy.ts')).printPostgresSchema,
    },
  ],
}

export const SERVICE_COMMANDS: readonly CommandSpec[] = [
  ...[conformanceCommand, mcpCommand, serveCommand, inspectCommand, historyCommand, hookCommand, completionCommand],
  ...[doctorCommand, postgresCommand],
]

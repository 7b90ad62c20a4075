import { homedir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { accessSync, constants } from 'node:fs'
import { offloadedTools } from '@spillway/claude-agent-sdk/hook'
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type { Invocation } from '../commands/command.ts'
import { CliError, EXIT_CODE, usageError } from '../cli-error.ts'
import { noteLine, print, printJson, printLine, quoteForShell } from '../output.ts'
import { encodeScope } from '../option-parsers.ts'
import { redactUrl } from '../store/store-options.ts'
import type { HookOptions } from '../commands/options.ts'
import {
  addToSettings,
  listInSettings,
  memberInSettings,
  removeFromSettings,
  type Addition,
} from '../hook/settings-change.ts'
import { unlessRefused } from '../unless-refused.ts'
import { backupPath, readSettingsFile } from '../hook/settings-file.ts'

export interface PlaceOptions {
  readonly user?: boolean
  readonly project?: boolean
  readonly local?: boolean
  readonly settings?: string
  readonly dryRun?: boolean
  readonly json?: boolean
}

export interface InstallOptions extends PlaceOptions, HookOptions {
  readonly mcp?: boolean
  readonly allow?: boolean
}

const ATTEMPTS = 10
const EVENT = ['hooks', 'PostToolUse']
const ALLOWED = ['permissions', 'allow']
const SERVERS = ['mcpServers']
const SERVER = 'spillway'
/** In seconds; a store may be remote. */
const TIMEOUT = 120
/** Claude Code offloads larger results itself, before hooks run. */
const LIMIT = { path: ['env'], key: 'MAX_MCP_OUTPUT_TOKENS', value: '100000000' }
const TOOL = `mcp__${SERVER}__retrieve_offloaded_content`

export async function install({ options }: Invocation<InstallOptions>): Promise<number> {
  const isForUser = options.user === true
  assertInstallable(options)
  const hook = { ...options, ...(options.mcp === true && { reading: 'mcp' as const }) }
  const additions: Addition[] = [
    { path: EVENT, value: hookEntry(hook) },
    LIMIT,
    ...(options.allow === true ? allowances(hook).map((value) => ({ path: ALLOWED, value })) : []),
  ]
  const path = pathOf(options)
  const edit: Edit = (text, backup) => addToSettings(withoutOurs(text, backup, path), additions, path)
  const results = [await change(path, options, edit)]
  if (options.mcp === true && !isForUser) results.push(await changeServer(options, hook))
  await report(results, options, 'installed', 'is installed already')
  if (options.mcp === true && isForUser)
    await noteLine(
      `Add the MCP server as well: claude mcp add --scope user ${SERVER} -- ${serverWords(hook).join(' ')}`,
    )
  if (!isOnPath(options.command))
    await noteLine(
      `There is no ${options.command.split(' ', 1)[0]} on the path, and Claude Code would not find it. ` +
        "Run: npm install --global @spillway/cli, or pass --command 'npx @spillway/cli'.",
    )
  return EXIT_CODE.ok
}

export async function uninstall({ options }: Invocation<PlaceOptions>): Promise<number> {
  const places = [pathOf(options), ...(options.user === true ? [] : [serverPath(options)])]
  const results: Change[] = []
  for (const path of places)
    results.push(await change(path, options, (text, backup) => withoutOurs(text, backup, path)))
  await report(results, options, 'uninstalled', 'is not installed')
  return EXIT_CODE.ok
}

export async function status({ options }: Invocation<PlaceOptions>): Promise<number> {
  const isNamed = options.user ?? options.project ?? options.local ?? options.settings
  const all: PlaceOptions[] = isNamed === undefined ? [{ user: true }, { project: true }, { local: true }] : [options]
  const rows = []
  for (const place of all) {
    const path = pathOf(place)
    const { text, backup } = await readSettingsFile(path)
    const commands = text === '' ? [] : oursIn(text, path).map(commandOf)
    rows.push({ settings: path, commands, backup: backup === undefined ? null : backupPath(path) })
  }
  if (options.json === true) await printJson(rows)
  else
    for (const { settings, commands, backup } of rows)
      await printLine(
        `${settings}: ${commands.join(', ') || 'not installed'}${backup === null ? '' : ` (before: ${backup})`}`,
      )
  return rows.some(({ commands }) => commands.length > 0) ? EXIT_CODE.ok : EXIT_CODE.nothing
}

function assertInstallable({ store, scope, mcp, reading, dryRun: _dryRun, ...places }: InstallOptions): void {
  if (reading === 'mcp' && mcp !== true) throw usageError('Write --mcp: it installs the MCP server as well.')
  if (store !== undefined && redactUrl(store) !== store)
    throw usageError('The URL has a password, which settings must not have. Put it into SPILLWAY_STORE instead.')
  if (mcp === true && scope === undefined && (store !== undefined || places.user === true))
    throw usageError('With --mcp all sessions have one scope: name it with --scope, such as --scope my-project.')
}

function pathOf({ user, project, local, settings }: PlaceOptions): string {
  const named = [user, project, local, settings].filter((one) => one !== undefined && one !== false)
  if (named.length > 1) throw usageError('Only one of --user, --project, --local and --settings can be meant.')
  if (settings !== undefined) return resolve(settings)
  if (user === true) return join(process.env['CLAUDE_CONFIG_DIR'] ?? join(homedir(), '.claude'), 'settings.json')
  return resolve('.claude', project === true ? 'settings.json' : 'settings.local.json')
}

/** Claude Code reads a project's servers next to its folder `.claude`. */
function serverPath(options: PlaceOptions): string {
  const folder = dirname(pathOf(options))
  return join(options.settings === undefined ? dirname(folder) : folder, '.mcp.json')
}

interface Change {
  readonly path: string
  readonly diff: string
  readonly backup?: string
}

type Edit = (text: string, backup: string | undefined) => string

/** Keeps a copy of the original until the hook is uninstalled. */
async function change(path: string, { dryRun = false }: PlaceOptions, edit: Edit): Promise<Change> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const file = await readSettingsFile(path)
    const { text, backup } = file
    const changed = edit(text, backup)
    const diff = diffOf(text, changed, path)
    if (dryRun || diff === '') return { path, diff }
    const isInstalled = backup !== undefined && hasOurs(text, path)
    if (!isInstalled) await file.keepBackup()
    if (!(await file.write(changed))) continue
    if (changed === (backup ?? '') && isInstalled) await file.removeBackup()
    return { path, diff, backup: backupPath(path) }
  }
  const message = `${path} is changed by another program all the time, and was left as that wrote it. Try again.`
  throw new CliError('settings-refused', EXIT_CODE.storage, message)
}

function diffOf(before: string, after: string, path: string): string {
  if (before === after) return ''
  const [old, now] = [before, after].map((text) => (text === '' ? '/dev/null' : path))
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY }
  return createTwoFilesPatch(old ?? path, now ?? path, before, after, undefined, undefined, options)
}

/** Returns the original if reinstalling in it gives the current text, so that uninstalling is exact. */
function withoutOurs(text: string, backup: string | undefined, path: string): string {
  if (!hasOurs(text, path)) return text
  const ours = additionsIn(text, backup, path)
  if (backup !== undefined && addToSettings(backup, ours, path) === text) return backup
  return removeFromSettings(text, ours, backup ?? '', path)
}

const hasOurs = (text: string, path: string): boolean =>
  text !== '' && (oursIn(text, path).length > 0 || serverIn(text, path) !== undefined)

/** A setting that existed before belongs to the user. */
function additionsIn(text: string, backup: string | undefined, path: string): readonly Addition[] {
  const before = backup ?? ''
  const server = serverIn(text, path)
  const hooks = oursIn(text, path).map((value) => ({ path: EVENT, value }))
  const isLimited = hooks.length > 0 && memberInSettings(text, [...LIMIT.path, LIMIT.key], path) === LIMIT.value
  const wasLimited = memberInSettings(before, [...LIMIT.path, LIMIT.key], path) !== undefined
  const wereAllowed = listInSettings(before, ALLOWED, path)
  const allowed = listInSettings(text, ALLOWED, path).filter((rule) => isOurRule(rule) && !wereAllowed.includes(rule))
  return [
    ...hooks,
    ...(isLimited && !wasLimited ? [LIMIT] : []),
    ...(hooks.length > 0 ? allowed.map((value) => ({ path: ALLOWED, value })) : []),
    ...(server === undefined ? [] : [{ path: SERVERS, key: SERVER, value: server }]),
  ]
}

function isOurRule(rule: unknown): boolean {
  return typeof rule === 'string' && (rule === TOOL || /^Bash\(.* (?:get|grep):\*\)$/.test(rule))
}

function oursIn(text: string, path: string): readonly unknown[] {
  return listInSettings(text, EVENT, path).filter((entry) => commandOf(entry) !== '')
}

function commandOf(entry: unknown): string {
  const { hooks } = Object(entry) as { readonly hooks?: unknown }
  const [first] = Array.isArray(hooks) && hooks.length === 1 ? (hooks as { readonly command?: unknown }[]) : []
  const { command } = Object(first) as { readonly command?: unknown }
  return typeof command === 'string' && command.includes(' hook claude-code') ? command : ''
}

function serverIn(text: string, path: string): unknown {
  const server = memberInSettings(text, [...SERVERS, SERVER], path)
  const { args } = Object(server) as { readonly args?: unknown }
  return Array.isArray(args) && args.includes('mcp') && args.includes('serve') ? server : undefined
}

function hookEntry(options: HookOptions): object {
  const { command, store, maxTokens, previewTokens, except = [], reading } = options
  const scope = scopeOfServer(options)
  const words = [
    ...option('--store', store),
    ...option('--scope', scope && encodeScope(scope)),
    ...option('--max-tokens', maxTokens),
    ...option('--preview-tokens', previewTokens),
    ...except.flatMap((tool) => option('--except', tool)),
    ...option('--reading', reading === 'command' ? undefined : reading),
    ...option('--command', command === 'spillway' ? undefined : command),
  ]
  const tools = offloadedTools.filter((tool) => !except.includes(tool))
  return {
    matcher: [...tools, 'mcp__.*'].join('|'),
    hooks: [{ type: 'command', command: [`${command} hook claude-code`, ...words].join(' '), timeout: TIMEOUT }],
  }
}

function option(name: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [name, quoteForShell(String(value))]
}

/** Sessions of a project share its store. */
function scopeOfServer({ scope, reading }: HookOptions): readonly string[] | undefined {
  return scope ?? (reading === 'mcp' ? ['claude-code'] : undefined)
}

async function changeServer(place: PlaceOptions, hook: HookOptions): Promise<Change> {
  const path = serverPath(place)
  const [command = '', ...args] = serverWords(hook)
  const addition = { path: SERVERS, key: SERVER, value: { command, args } }
  return change(path, place, (text, backup) => {
    const others = withoutOurs(text, backup, path)
    if (memberInSettings(others, [...SERVERS, SERVER], path) !== undefined)
      throw usageError(`${path} has an MCP server ${SERVER} that this command has not written. Give it another name.`)
    return addToSettings(others, [addition], path)
  })
}

function serverWords(hook: HookOptions): readonly string[] {
  // Claude Code starts a project's servers in its folder.
  const { command, store = 'file:./.spillway' } = hook
  const scope = encodeScope(scopeOfServer(hook) ?? [])
  return [...command.split(' '), 'mcp', 'serve', '--store', store, '--scope', scope]
}

function allowances({ command, reading }: HookOptions): readonly string[] {
  return reading === 'mcp' ? [TOOL] : [`Bash(${command} get:*)`, `Bash(${command} grep:*)`]
}

async function report(changes: readonly Change[], options: PlaceOptions, done: string, nothing: string): Promise<void> {
  const changed = changes.filter(({ diff }) => diff !== '')
  if (options.json === true) return printJson({ dryRun: options.dryRun === true, changed })
  for (const { diff } of changed) await print(diff)
  const [first] = changes
  if (changed.length === 0) await noteLine(`The hook ${nothing} in ${first?.path}: nothing was changed.`)
  else if (options.dryRun === true) await noteLine('Nothing was changed, as you wished.')
  else await noteLine(`The hook is ${done}. Claude Code takes it up with its next session.`)
}

function isOnPath(command: string): boolean {
  const [program = ''] = command.split(' ', 1)
  const folders = program.includes('/') ? [''] : (process.env['PATH'] ?? '').split(delimiter)
  const names = process.platform === 'win32' ? [`${program}.cmd`, `${program}.exe`] : [program]
  const isExecutable = (path: string): boolean => unlessRefused(() => accessSync(path, constants.X_OK) ?? true) === true
  return folders.some((folder) => names.some((name) => isExecutable(join(folder, name))))
}

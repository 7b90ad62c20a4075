import { resolve } from 'node:path'
import type { Command } from 'commander'
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type { Invocation } from '../commands/command.ts'
import { EXIT_CODE, usageError } from '../cli-error.ts'
import { noteLine, print, printJson, printLine, quoteForShell } from '../output.ts'
import { encodeScope } from '../option-parsers.ts'
import { DEFAULT_MAX_TOKENS } from './hook.ts'
import { isOnPath, programName } from '../program-name.ts'
import { redactUrl } from '../store/store-options.ts'
import type { HookOptions } from '../commands/options.ts'
import { HOSTS, SERVER, type Host } from '../hook/hosts.ts'
import {
  addToSettings,
  listInSettings,
  memberInSettings,
  removeFromSettings,
  type Addition,
} from '../hook/settings-change.ts'
import { backupPath, readSettingsFile, settingsRefused } from '../hook/settings-file.ts'

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

export async function install({ options, command }: Invocation<InstallOptions>): Promise<void> {
  const host = hostOf(command)
  assertInstallable(options)
  const hook = { ...options, ...(options.mcp === true && { reading: 'mcp' as const }) }
  const path = pathOf(host, options)
  const edits = new Map([[path, await additionsOf(host, hook)]])
  const words = serverWords(host, hook)
  const { path: serverList, file, value, command: addServer } = host.servers
  const serverPath = options.mcp === true ? file(path, options) : undefined
  if (serverPath !== undefined) {
    const others = edits.get(serverPath)
    const server = { path: serverList, key: SERVER, value: value(words, options.allow === true) }
    edits.set(serverPath, Array.isArray(others) ? [...others, server] : [server])
  }
  const results: Change[] = []
  for (const [each, additions] of edits)
    results.push(
      await change(host, each, options, (text, backup) => edited(host, { text, backup, file: each }, additions)),
    )
  await report(results, options, { done: `The hook is installed. ${host.start}`, nothing: 'is installed already' })
  if (options.mcp === true && serverPath === undefined)
    await noteLine(`Add the MCP server as well: ${addServer} ${SERVER} -- ${words.join(' ')}`)
  const { command: start = programName() } = options
  if (!isOnPath(start))
    await noteLine(
      `There is no ${start.split(' ', 1)[0]} on the path, and ${host.title} would not find it. ` +
        "Run: npm install --global @spillway/cli, or pass --command 'npx @spillway/cli'.",
    )
}

export async function uninstall({ options, command }: Invocation<PlaceOptions>): Promise<void> {
  const host = hostOf(command)
  const path = pathOf(host, options)
  const results: Change[] = []
  for (const file of new Set([path, host.servers.file(path, options) ?? path]))
    results.push(await change(host, file, options, (text, backup) => withoutOurs(host, { text, backup, file })))
  await report(results, options, {
    done: 'The hook is uninstalled. Sessions that are already running may still use it.',
    nothing: 'is not installed',
  })
}

export async function status({ options, command }: Invocation<PlaceOptions>): Promise<number> {
  const host = hostOf(command)
  const isNamed = options.user ?? options.project ?? options.local ?? options.settings
  const all: PlaceOptions[] = isNamed === undefined ? [{ user: true }, { project: true }, { local: true }] : [options]
  const read = async (settings: string) => {
    const { text, backup } = await readSettingsFile(settings)
    const commands = hooksIn(host, text, settings).map(({ command: own }) => own)
    return { settings, commands, backup: backup === undefined ? null : backupPath(settings) }
  }
  const rows = await Promise.all([...new Set(all.map((place) => pathOf(host, place)))].map(read))
  const describe = ({ settings, commands, backup }: (typeof rows)[number]): string =>
    `${settings}: ${commands.join(', ') || 'not installed'}${backup === null ? '' : ` (before: ${backup})`}`
  await (options.json === true ? printJson(rows) : printLine(rows.map(describe).join('\n')))
  return rows.some(({ commands }) => commands.length > 0) ? EXIT_CODE.ok : EXIT_CODE.nothing
}

interface NamedHost extends Host {
  readonly name: string
}

function hostOf({ parent }: Command): NamedHost {
  const name = parent?.name() ?? ''
  return { name, ...HOSTS[name]! }
}

function assertInstallable({ store, scope, mcp, reading, user }: InstallOptions): void {
  if (reading === 'mcp' && mcp !== true) throw usageError('--reading mcp needs --mcp, which installs the server.')
  if (store !== undefined && redactUrl(store) !== store)
    throw usageError('The URL has a password, which settings must not have. Put the URL into SPILLWAY_STORE instead.')
  if (mcp === true && scope === undefined && (store !== undefined || user === true))
    throw usageError('With --mcp, all sessions share one scope. Name it, for example with --scope my-project.')
}

function pathOf(host: Host, { user, project, local, settings }: PlaceOptions): string {
  const named = [user, project, local, settings].filter((one) => one !== undefined && one !== false)
  if (named.length > 1) throw usageError('Use only one of --user, --project, --local, and --settings.')
  if (settings !== undefined) return resolve(settings)
  if (user === true) return host.user()
  return resolve(project === true ? host.project : (host.local ?? host.project))
}

interface Change {
  readonly path: string
  readonly diff: string
  readonly backup?: string
}

type Edit = (text: string, backup: string | undefined) => string

/** The current settings file, and its state before the hook was installed. */
interface Settings {
  readonly text: string
  readonly backup: string | undefined
  readonly file: string
}

/** Save a copy of the original file until the hook is uninstalled. */
async function change(host: NamedHost, path: string, { dryRun = false }: PlaceOptions, edit: Edit): Promise<Change> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const file = await readSettingsFile(path)
    const { text, backup } = file
    const changed = edit(text, backup)
    const diff = diffOf(text, changed, path)
    if (dryRun || diff === '') return { path, diff }
    const isInstalled = backup !== undefined && hasOurs(host, text, path)
    if (!isInstalled) await file.keepBackup()
    if (!(await file.write(changed))) continue
    if (changed === (backup ?? '') && isInstalled) await file.removeBackup()
    return { path, diff, backup: backupPath(path) }
  }
  throw settingsRefused(`Another program kept changing ${path}, so it was not changed. Try again.`)
}

function diffOf(before: string, after: string, path: string): string {
  if (before === after) return ''
  const [old, now] = [before, after].map((text) => (text === '' ? '/dev/null' : path))
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY }
  return createTwoFilesPatch(old ?? path, now ?? path, before, after, undefined, undefined, options)
}

function edited(host: NamedHost, settings: Settings, additions: string | readonly Addition[]): string {
  const { file } = settings
  const others = withoutOurs(host, settings)
  if (typeof additions === 'string') {
    if (others !== '') throw settingsRefused(`${file} is another plugin, and was not changed.`)
    return additions
  }
  if (serverIn(host, others, file) !== undefined && additions.some(({ key }) => key === SERVER))
    throw usageError(`${file} has an MCP server ${SERVER} that this command has not written. Rename that server.`)
  return addToSettings(others, additions, file)
}

/** Returns the original text if installing into it gives the current text, so that uninstalling restores it exactly. */
function withoutOurs(host: NamedHost, { text, backup, file }: Settings): string {
  if (!hasOurs(host, text, file)) return text
  if (isPlugin(host, file)) return backup ?? ''
  const ours = additionsIn(host, { text, backup, file })
  if (backup !== undefined && addToSettings(backup, ours, file) === text) return backup
  return removeFromSettings(text, ours, backup ?? '', file)
}

const isPlugin = ({ plugin }: Host, file: string): boolean => plugin !== undefined && file.endsWith('.js')

const hasOurs = (host: NamedHost, text: string, file: string): boolean =>
  text !== '' && (hooksIn(host, text, file).length > 0 || isOurServer(serverIn(host, text, file)))

/** The changes that installing the hook made. A setting that existed before belongs to the user and is left out. */
function additionsIn(host: NamedHost, { text, backup = '', file }: Settings): readonly Addition[] {
  const { settings = [], allowed, servers } = host
  const hooks = hooksIn(host, text, file).map(({ entry }) => ({ path: ['hooks', host.event], value: entry }))
  const server = serverIn(host, text, file)
  const rulesOf = (of: string): readonly unknown[] => (allowed ? listInSettings(of, allowed.path, file) : [])
  const rules = rulesOf(text).filter((rule) => isOurRule(rule) && !rulesOf(backup).includes(rule))
  const valueOf = (of: string, { path, key = '' }: Addition): unknown => memberInSettings(of, [...path, key], file)
  const more = [
    ...settings.filter((one) => valueOf(text, one) === one.value && valueOf(backup, one) === undefined),
    ...rules.map((value) => ({ path: allowed!.path, value })),
  ]
  const ours = isOurServer(server) ? [{ path: servers.path, key: SERVER, value: server }] : []
  return [...hooks, ...(hooks.length === 0 ? [] : more), ...ours]
}

const isOurRule = (rule: unknown): boolean =>
  typeof rule === 'string' && /^mcp__spillway__|^\w+\(.* (?:get|grep)(?::\*)?\)$/.test(rule)

interface InstalledHook {
  readonly command: string
  readonly entry?: unknown
}

/** The hooks that this command has written. */
function hooksIn(host: NamedHost, text: string, file: string): readonly InstalledHook[] {
  const isOurs = (command: unknown): command is string =>
    typeof command === 'string' && command.includes(` hook ${host.name}`)
  if (isPlugin(host, file)) {
    const [, json = '""'] = /^const COMMAND = (".*")$/m.exec(text) ?? []
    const command: unknown = JSON.parse(json)
    return isOurs(command) ? [{ command }] : []
  }
  return listInSettings(text, ['hooks', host.event], file).flatMap((entry) => {
    const { hooks } = Object(entry) as { readonly hooks?: unknown }
    const [first] = Array.isArray(hooks) && hooks.length === 1 ? (hooks as unknown[]) : []
    const { command } = Object(first) as { readonly command?: unknown }
    return isOurs(command) ? [{ command, entry }] : []
  })
}

const serverIn = (host: Host, text: string, file: string): unknown =>
  isPlugin(host, file) ? undefined : memberInSettings(text, [...host.servers.path, SERVER], file)

function isOurServer(server: unknown): boolean {
  const { command, args = command } = Object(server) as { readonly command?: unknown; readonly args?: unknown }
  return Array.isArray(args) && args.includes('mcp') && args.includes('serve')
}

/** Entries of the hook in the settings, or the text of a plugin. */
async function additionsOf(host: NamedHost, options: InstallOptions): Promise<string | Addition[]> {
  const { command = programName(), store, maxTokens, previewTokens, except = [], reading } = options
  const scope = scopeOfServer(host, options)
  const given = {
    store,
    scope: scope && encodeScope(scope),
    'max-tokens': maxTokens,
    'preview-tokens': previewTokens,
    except,
    reading: reading === 'command' ? undefined : reading,
    command: command === 'spillway' ? undefined : command,
  }
  const words = [
    `${command} hook ${host.name}`,
    ...Object.entries(given).flatMap(([name, value]) =>
      [value ?? []].flat().map((each) => `--${name} ${quoteForShell(String(each))}`),
    ),
  ].join(' ')
  const { plugin, tools, event, timeout, settings = [], allowed } = host
  if (plugin !== undefined) return plugin(words, maxTokens ?? DEFAULT_MAX_TOKENS)
  const matcher = (await tools!()).filter((tool) => !except.includes(tool)).join('|')
  const commands = [`${command} get`, `${command} grep`]
  const rules = options.allow !== true ? [] : reading === 'mcp' ? (allowed?.tools ?? []) : commands.map(allowed!.rule)
  return [
    { path: ['hooks', event], value: { matcher, hooks: [{ type: 'command', command: words, timeout }] } },
    ...settings,
    ...rules.map((value) => ({ path: allowed!.path, value })),
  ]
}

/** The scope that all sessions of a project share, if the hook has one. */
function scopeOfServer({ name }: NamedHost, { scope, reading }: HookOptions): readonly string[] | undefined {
  return scope ?? (reading === 'mcp' ? [name] : undefined)
}

function serverWords(host: NamedHost, hook: HookOptions): readonly string[] {
  // Hosts start a project's servers in its folder.
  const { command = programName(), store = 'file:./.spillway' } = hook
  const scope = encodeScope(scopeOfServer(host, hook) ?? [])
  return [...command.split(' '), 'mcp', 'serve', '--store', store, '--scope', scope]
}

async function report(
  changes: readonly Change[],
  options: PlaceOptions,
  { done, nothing }: { readonly done: string; readonly nothing: string },
): Promise<void> {
  const changed = changes.filter(({ diff }) => diff !== '')
  if (options.json === true) return printJson({ dryRun: options.dryRun === true, changed })
  for (const { diff } of changed) await print(diff)
  const [first] = changes
  if (changed.length === 0) await noteLine(`The hook ${nothing} in ${first?.path}: nothing was changed.`)
  else if (options.dryRun === true) await noteLine('Nothing was changed (--dry-run).')
  else await noteLine(done)
}

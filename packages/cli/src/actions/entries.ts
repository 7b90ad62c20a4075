import { summarizeJournal, type TokenTotals, type GcReport, type StoredInfo } from '@spillway/core'
import { decodeSegment } from '@spillway/core/driver'
import type { CommandResult, Invocation } from '../commands/command.ts'
import { CliError, EXIT_CODE, isNotThere, usageError } from '../cli-error.ts'
import {
  countOf,
  formatAge,
  formatBytes,
  formatCount,
  formatTable,
  formatTime,
  noteLine,
  print,
  printJson,
  printLine,
  printTable,
} from '../output.ts'
import { encodeScope } from '../option-parsers.ts'
import { hintBelow, listEntries, noteEmptyScope, resolveReference } from '../store/resolve-reference.ts'
import { redactUrl, type StoreOptions } from '../store/store-options.ts'
import { DEFAULT_LIMITS, isDefaultStore, localPath, withStore, type Store } from '../store/with-store.ts'

interface LsOptions extends StoreOptions {
  readonly below?: boolean
  readonly limit?: number
  readonly tool?: string
  readonly since?: number
}

export async function ls({ options }: Invocation<LsOptions>): Promise<void> {
  const { below, limit = Infinity, tool, since = Infinity } = options
  const now = Date.now()
  const { all, hint } = await withStore(options, async (storage) => {
    const listed = await listEntries(storage, below)
    return { all: listed, hint: listed.length === 0 ? await hintBelow(storage) : '' }
  })
  const chosen = all
    .filter(({ storedAt, metadata }) => now - storedAt <= since && (tool === undefined || metadata['tool'] === tool))
    .slice(0, limit)
  const entries = below === true ? chosen.map((info) => withScope(info, options.scope)) : chosen
  if (options.json === true) await printJson(entries.map(entryJson))
  else if (entries.length === 0) {
    if (all.length === 0 && hint === '' && options.scope !== undefined) return await noteEmptyScope(options.scope)
    const empty = all.length > 0 ? 'No entry has these properties.' : 'Nothing is stored in this scope or below it.'
    if (hint !== '' || process.stdout.isTTY) await noteLine(hint || empty)
  } else {
    const hasCommands = entries.some(({ metadata }) => metadata['command'] !== undefined)
    await printTable(
      [...COLUMNS, ...(below === true ? ['SCOPE'] : []), ...(hasCommands ? ['COMMAND'] : [])],
      entries.map((info) => [...cellsOf(info, now), info.metadata['command'] ?? '']),
      entries.map(plainCellsOf),
    )
  }
}

/** Write the scope of an entry as `--scope` takes it. Names of segments that cannot be decoded stay encoded. */
function withScope(info: StoredInfo, above: readonly string[] = []): StoredInfo {
  const names = info.scope?.split('/') ?? []
  return { ...info, scope: encodeScope([...above, ...names.map((name) => decodeSegment(name) ?? name)]) }
}

const COLUMNS = ['REFERENCE', 'SIZE', 'LINES', 'STORED', 'TOOL', 'EXIT', 'TYPE', 'NAME']

const cellsOf = ({ metadata, state, ...info }: StoredInfo, now: number): string[] => [
  info.reference,
  formatBytes(info.size),
  metadata['lines'] ?? '',
  `${formatAge(now - info.storedAt)} ago`,
  metadata['tool'] ?? '',
  state === 'complete' ? (metadata['exitCode'] ?? '') : state,
  info.contentType,
  info.key,
  ...(info.scope === undefined ? [] : [info.scope]),
]

const plainCellsOf = ({ reference, size, storedAt, contentType, key, scope }: StoredInfo): string[] =>
  [reference, String(size), formatTime(storedAt), contentType, key, scope].filter((cell) => cell !== undefined)

export async function stat({ args: [given = ''], options }: Invocation<StoreOptions>): Promise<void> {
  await withStore(options, async (storage) => {
    const reference = await resolveReference(storage, given)
    const info = await storage.stat(reference)
    const location = storage.locate?.(reference)
    if (options.json === true)
      return await printJson({ ...entryJson(info), ...(location === undefined ? {} : { location }) })
    const rows = [
      ['reference', info.reference],
      ['key', info.key],
      ['type', info.contentType],
      ['size', `${info.size} bytes${info.size < 1000 ? '' : ` (${formatBytes(info.size)})`}`],
      ['stored', formatTime(info.storedAt)],
      ['last used', formatTime(info.lastUsedAt)],
      ...(info.expiresAt === undefined ? [] : [['expires', formatTime(info.expiresAt)]]),
      ...(info.state === 'complete' ? [] : [['state', info.state]]),
      ...Object.entries(info.metadata),
      ...(location === undefined ? [] : [['location', location.address]]),
    ]
    await print(formatTable(rows, true))
  })
}

interface Stats {
  readonly entries: number
  readonly bytes: number
}

interface StatsOptions extends StoreOptions {
  readonly tokens?: boolean
  readonly by?: 'tool' | 'day'
}

export async function stats({ options }: Invocation<StatsOptions>): Promise<void> {
  if (options.tokens === true) return await tokenStats(options)
  if (options.by !== undefined) throw usageError('--by needs --tokens.')
  const entries = await withStore(options, (storage) => listEntries(storage, true))
  const sum = (of: readonly StoredInfo[]): Stats => ({
    entries: of.length,
    bytes: of.reduce((bytes, { size }) => bytes + size, 0),
  })
  const total = sum(entries)
  const types = [...Map.groupBy(entries, ({ contentType }) => contentType)]
  const byType = types
    .map(([type, of]): [string, Stats] => [type, sum(of)])
    .sort(([a, x], [b, y]) => y.bytes - x.bytes || (a < b ? -1 : 1))
  const limits = isDefaultStore(options) ? DEFAULT_LIMITS : null
  const times = [entries[0], entries.at(-1)].map((info) => info && formatTime(info.storedAt))
  const [newest = null, oldest = null] = times
  const store = redactUrl(options.store)
  if (options.json === true) {
    const byContentType = Object.fromEntries(byType)
    return await printJson({ store, ...total, byContentType, oldest, newest, limits })
  }
  const row = (name: string, { entries, bytes }: Stats): string[] => [
    name,
    countOf(entries, 'entry', 'entries'),
    formatBytes(bytes),
  ]
  await print(
    formatTable([row('total', total), ...byType.map(([type, count]) => row(type, count))], true) +
      (oldest === null ? '' : `oldest ${oldest}, newest ${newest}\n`) +
      `store: ${store}\n` +
      (limits === null ? '' : `limits: ${describeLimits(limits)}\n`),
  )
}

/** Say when entries of the default store are evicted. */
const describeLimits = ({ ttlMs, maxBytes }: typeof DEFAULT_LIMITS): string =>
  `unused for ${formatAge(ttlMs)}, or least recently used beyond ${formatBytes(maxBytes)} in total`

async function tokenStats(options: StatsOptions): Promise<void> {
  const { total, groups } = await withStore(options, async (_storage, journal) => {
    if (journal === undefined && localPath(options.store) === undefined)
      throw new CliError('unsupported', EXIT_CODE.storage, 'Only file: and sqlite: stores have a journal.')
    const noEvents = { read: async function* (): AsyncGenerator<never> {} }
    return await summarizeJournal(journal ?? noEvents, { by: options.by, scope: options.scope })
  })
  if (options.json === true) return await printJson(options.by === undefined ? total : { total, groups })
  const row = (name: string, of: TokenTotals): string[] => [
    name,
    ...[of.offloaded, of.tokensAvoided, of.tokensShown, of.tokensRetrieved, of.tokensNet].map(formatCount),
    `${Math.round(100 * of.bounceRate)} %`,
  ]
  const header = [options.by?.toUpperCase() ?? '', 'RESULTS', 'AVOIDED', 'SHOWN', 'RETRIEVED', 'NET', 'READ AGAIN']
  const rows = [...groups.map((group) => row(group.name, group)), row('total', total)]
  await print(formatTable([header, ...rows], process.stdout.isTTY))
}

interface RmOptions extends StoreOptions {
  readonly all?: boolean
}

export async function rm({ args: references, options }: Invocation<RmOptions>): CommandResult {
  if (options.all === true ? references.length > 0 : references.length === 0)
    throw usageError('Name the references to remove, or give --all with --scope.')
  if (options.all === true) return await rmAll(options)
  return withStore(options, async (storage) => {
    const removed: string[] = []
    const missing: string[] = []
    for (const given of references) {
      try {
        const reference = await resolveReference(storage, given)
        await storage.delete(reference)
        removed.push(reference)
      } catch (error) {
        if (!isNotThere(error)) throw error
        missing.push(given)
        if (options.json !== true) await noteLine((error as Error).message)
      }
    }
    if (options.json === true) await printJson({ removed, missing })
    return missing.length === 0 ? EXIT_CODE.ok : EXIT_CODE.nothing
  })
}

/** Erase a scope and the scopes below it. */
async function rmAll(options: RmOptions): Promise<void> {
  if (options.scope === undefined)
    throw usageError('--all needs --scope: --all removes the entries of this scope and of the scopes below it.')
  const removed = await withStore(options, (storage) => storage.clear())
  if (options.json === true) return await printJson({ removed })
  await printLine(`removed ${countOf(removed, 'entry', 'entries')}`)
  if (removed === 0) await noteEmptyScope(options.scope)
}

interface GcOptions extends StoreOptions {
  readonly ttl?: number
  readonly dryRun?: boolean
}

export async function gc({ options }: Invocation<GcOptions>): Promise<void> {
  const { ttl: ttlMs, dryRun = false, json } = options
  const report = dryRun
    ? await withStore(options, (storage) => planGc(storage, ttlMs), { ttlMs: undefined })
    : await withStore(options, (storage) => storage.gc(), { ttlMs })
  if (json === true) await printJson({ dryRun, ...report })
  else {
    const { expired, leftovers, bytes } = report
    const entries = countOf(expired, 'expired entry', 'expired entries')
    const rest = dryRun ? '' : ` and ${countOf(leftovers, 'leftover')}`
    await printLine(`${dryRun ? 'would remove' : 'removed'} ${entries}${rest}, ${formatBytes(bytes)}`)
  }
}

/** Count expired entries. Leftovers of killed writers are not counted: only their removal finds them. */
async function planGc(storage: Store, ttlMs = Infinity): Promise<GcReport> {
  let [expired, bytes] = [0, 0]
  for await (const { lastUsedAt, size } of storage.list()) {
    if (Date.now() - lastUsedAt < ttlMs) continue
    expired += 1
    bytes += size
  }
  return { expired, leftovers: 0, bytes }
}

function entryJson({ storedAt, lastUsedAt, expiresAt, ...info }: StoredInfo): Record<string, unknown> {
  const expiry = expiresAt === undefined ? {} : { expiresAt: formatTime(expiresAt) }
  return { ...info, storedAt: formatTime(storedAt), lastUsedAt: formatTime(lastUsedAt), ...expiry }
}

import { StorageError, type Storage, type StoredInfo } from '@spillway/core'
import type { Invocation } from '../commands/command.ts'
import { CliError, EXIT_CODE } from '../cli-error.ts'
import {
  formatAge,
  formatBytes,
  formatCount,
  formatTable,
  formatTime,
  noteLine,
  print,
  printJson,
  printLine,
  style,
} from '../output.ts'
import type { StoreOptions } from '../store-options.ts'
import { withStore } from '../with-store.ts'

interface LsOptions extends StoreOptions {
  readonly below?: boolean
}

export async function ls({ options }: Invocation<LsOptions>): Promise<number> {
  const entries = await withStore(options, (storage) => listEntries(storage, options.below ?? false))
  if (options.json === true) await printJson(entries.map(entryJson))
  else if (process.stdout.isTTY) {
    if (entries.length === 0) await noteLine('nothing is stored in this scope.')
    const now = Date.now()
    const rows = entries.map((info) => [
      info.reference,
      formatBytes(info.size),
      `${formatAge(now - info.storedAt)} ago`,
      info.contentType,
      info.key,
    ])
    if (rows.length > 0) {
      const [header = '', ...lines] = formatTable([['REFERENCE', 'SIZE', 'STORED', 'TYPE', 'KEY'], ...rows], true)
        .trimEnd()
        .split('\n')
      await print(`${[style('dim', header), ...lines].join('\n')}\n`)
    }
  } else {
    const rows = entries.map(({ reference, size, storedAt, contentType, key }) => [
      reference,
      String(size),
      formatTime(storedAt),
      contentType,
      key,
    ])
    await print(formatTable(rows, false))
  }
  return EXIT_CODE.ok
}

export async function stat({ args: [reference = ''], options }: Invocation<StoreOptions>): Promise<number> {
  return withStore(options, async (storage) => {
    const info = await requireMethod(storage, 'stat')(reference)
    const location = storage.locate?.(reference)
    if (options.json === true) {
      await printJson({ ...entryJson(info), ...(location === undefined ? {} : { location }) })
      return EXIT_CODE.ok
    }
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
    return EXIT_CODE.ok
  })
}

interface Stats {
  entries: number
  bytes: number
}

export async function stats({ options }: Invocation<StoreOptions>): Promise<number> {
  const total: Stats = { entries: 0, bytes: 0 }
  const types = new Map<string, Stats>()
  let oldest: StoredInfo | undefined
  let newest: StoredInfo | undefined
  await withStore(options, async (storage) => {
    for await (const info of requireMethod(storage, 'list')()) {
      const ofType = types.get(info.contentType) ?? { entries: 0, bytes: 0 }
      types.set(info.contentType, ofType)
      for (const each of [total, ofType]) {
        each.entries += 1
        each.bytes += info.size
      }
      if (oldest === undefined || info.storedAt < oldest.storedAt) oldest = info
      if (newest === undefined || info.storedAt > newest.storedAt) newest = info
    }
  })
  const byContentType = [...types].sort(([a, x], [b, y]) => y.bytes - x.bytes || (a < b ? -1 : 1))
  const times = [oldest, newest].map((info) => (info === undefined ? undefined : formatTime(info.storedAt)))
  if (options.json === true) {
    const [oldestAt = null, newestAt = null] = times
    await printJson({ ...total, byContentType: Object.fromEntries(byContentType), oldest: oldestAt, newest: newestAt })
    return EXIT_CODE.ok
  }
  const row = (name: string, { entries, bytes }: Stats): string[] => [
    name,
    `${formatCount(entries)} ${entries === 1 ? 'entry' : 'entries'}`,
    formatBytes(bytes),
  ]
  const [oldestAt, newestAt] = times
  await print(
    formatTable([row('total', total), ...byContentType.map(([type, count]) => row(type, count))], true) +
      (oldestAt === undefined ? '' : `oldest ${oldestAt}, newest ${newestAt}\n`),
  )
  return EXIT_CODE.ok
}

export async function rm({ args: references, options }: Invocation<StoreOptions>): Promise<number> {
  return withStore(options, async (storage) => {
    const remove = requireMethod(storage, 'delete')
    const removed: string[] = []
    const missing: string[] = []
    for (const reference of references) {
      try {
        await storage.stat?.(reference)
        await remove(reference)
        removed.push(reference)
      } catch (error) {
        if (!StorageError.isInstance(error) || !NOT_THERE.has(error.code)) throw error
        missing.push(reference)
        if (options.json !== true) await noteLine(error.message)
      }
    }
    if (options.json === true) await printJson({ removed, missing })
    return missing.length === 0 ? EXIT_CODE.ok : EXIT_CODE.nothing
  })
}

const NOT_THERE: ReadonlySet<string> = new Set(['not-found', 'evicted', 'invalid-reference'])

interface GcOptions extends StoreOptions {
  readonly ttl?: number
}

export async function gc({ options }: Invocation<GcOptions>): Promise<number> {
  const report = await withStore(options, (storage) => requireMethod(storage, 'gc')(), { ttlMs: options.ttl })
  if (options.json === true) await printJson(report)
  else {
    const { expired, leftovers, bytes } = report
    const entries = `${formatCount(expired)} expired ${expired === 1 ? 'entry' : 'entries'}`
    const rest = `${formatCount(leftovers)} ${leftovers === 1 ? 'leftover' : 'leftovers'}`
    await printLine(`removed ${entries} and ${rest}, ${formatBytes(bytes)}`)
  }
  return EXIT_CODE.ok
}

function requireMethod<Name extends keyof Storage>(storage: Storage, name: Name): NonNullable<Storage[Name]> {
  const method = storage[name]
  if (method === undefined) {
    throw new CliError('unsupported', EXIT_CODE.storage, `This store cannot do that: it has no ${name}().`)
  }
  return method.bind(storage) as NonNullable<Storage[Name]>
}

async function listEntries(storage: Storage, below: boolean): Promise<StoredInfo[]> {
  const entries: StoredInfo[] = []
  for await (const info of requireMethod(storage, 'list')({ below })) entries.push(info)
  return entries.sort((a, b) => b.storedAt - a.storedAt || (a.reference < b.reference ? -1 : 1))
}

function entryJson(info: StoredInfo): Record<string, unknown> {
  const { reference, key, contentType, size, storedAt, lastUsedAt, expiresAt, metadata, state, omitted } = info
  return {
    reference,
    key,
    contentType,
    size,
    storedAt: formatTime(storedAt),
    lastUsedAt: formatTime(lastUsedAt),
    ...(expiresAt === undefined ? {} : { expiresAt: formatTime(expiresAt) }),
    metadata,
    state,
    ...(omitted !== undefined && { omitted }),
  }
}

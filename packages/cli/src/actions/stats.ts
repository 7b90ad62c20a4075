import type { StoredInfo } from '@spillway/core'
import type { Invocation } from '../action.ts'
import { requireMethod } from '../entries.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { formatBytes, formatCount, formatTable, formatTime } from '../format.ts'
import { print, printJson } from '../output.ts'
import type { StoreOptions } from '../store-options.ts'
import { withStore } from '../with-store.ts'

interface Stats {
  entries: number
  bytes: number
}

/** Run `spillway stats`. */
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

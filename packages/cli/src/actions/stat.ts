import type { Invocation } from '../action.ts'
import { entryJson, requireMethod } from '../entries.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { formatBytes, formatTable, formatTime } from '../format.ts'
import { print, printJson } from '../output.ts'
import type { StoreOptions } from '../store-options.ts'
import { withStore } from '../with-store.ts'

/** Run `spillway stat`. */
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
      ...Object.entries(info.metadata),
      ...(location === undefined ? [] : [['location', location.address]]),
    ]
    await print(formatTable(rows, true))
    return EXIT_CODE.ok
  })
}

import type { Invocation } from '../action.ts'
import { entryJson, listEntries } from '../entries.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { formatAge, formatBytes, formatTable, formatTime } from '../format.ts'
import { noteLine, print, printJson, style } from '../output.ts'
import type { StoreOptions } from '../store-options.ts'
import { withStore } from '../with-store.ts'

interface LsOptions extends StoreOptions {
  readonly below?: boolean
}

/** Run `spillway ls`. */
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

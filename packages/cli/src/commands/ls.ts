import type { Command } from 'commander'
import { action, type Invocation } from '../action.ts'
import { entryJson, listEntries } from '../entries.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { formatAge, formatBytes, formatTable, formatTime } from '../format.ts'
import { noteLine, print, printJson, style } from '../output.ts'
import { addStoreOptions, withStore, type StoreOptions } from '../store-options.ts'

interface LsOptions extends StoreOptions {
  readonly below?: boolean
}

/** Add `spillway ls`. */
export function addLsCommand(program: Command): void {
  const command = program
    .command('ls')
    .summary('list what is stored')
    .description(
      'List the entries of exactly this scope, the newest first: reference, bytes, time, content type, key.\n\n' +
        'Into a pipe: one line an entry, columns parted by tabs, sizes in bytes, times in UTC.',
    )
    .option('--below', 'also list the scopes below this one; their entries are reached with --scope')
  addStoreOptions(command)
  action(command, ls)
}

async function ls({ options }: Invocation<LsOptions>): Promise<number> {
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

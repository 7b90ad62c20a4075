import { StorageError } from '@spillway/core'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import type { Invocation } from '../commands/command.ts'
import { describeError, EXIT_CODE } from '../cli-error.ts'
import { countOf, formatTable, print, printJson } from '../output.ts'
import { isOnPath } from '../program-name.ts'
import { isTooOld, OLDEST_NODE, readVersion } from '../versions.ts'
import { BACKENDS, packageOf } from '../store/backends.ts'
import { redactUrl, type StoreOptions } from '../store/store-options.ts'
import { unlessRefused } from '../unless-refused.ts'
import { isMissingFile, localPath, openStore } from '../store/with-store.ts'

/** Optional packages. A backend and its client library share a row. */
const PACKAGES = BACKENDS.flatMap((backend) =>
  backend.client === undefined ? [] : [[packageOf(backend), backend.client]],
)
const HOSTS = {
  'Claude Code': '.claude/settings.local.json .claude/settings.json .mcp.json ~/.claude/settings.json ~/.claude.json',
  Codex: '.codex/config.toml ~/.codex/config.toml',
  'Gemini CLI': '.gemini/settings.json ~/.gemini/settings.json',
  OpenCode: 'opencode.json ~/.config/opencode/opencode.json',
  Cursor: '.cursor/mcp.json ~/.cursor/mcp.json',
  'VS Code': '.vscode/mcp.json',
} as const
const PROBE_BYTES = 1_024

interface Finding {
  readonly name: string
  readonly isOk: boolean
  readonly found: string
}

export async function doctor({ options, command }: Invocation<StoreOptions>): Promise<number> {
  const started = performance.now()
  const given = command.getOptionValueSource('store')
  const source = given === 'cli' ? '--store' : given === 'env' ? 'SPILLWAY_STORE' : 'default'
  const runtime = `${process.versions.node} on ${process.platform}-${process.arch}`
  const isOld = isTooOld(process.versions.node)
  const findings: Finding[] = [
    { name: 'spillway', isOk: true, found: `${readVersion()}, started in ${Math.round(started)} ms` },
    { name: 'Node.js', isOk: !isOld, found: isOld ? `${runtime}; ${OLDEST_NODE} or newer is needed` : runtime },
    { name: 'store', isOk: true, found: `${redactUrl(options.store)} (${source})` },
    await checkStore(options),
    ...PACKAGES.map((names) => {
      const missing = names.filter((name) => unlessRefused(() => import.meta.resolve(name)) === undefined)
      const found = missing.length === 0 ? 'installed' : `not installed: ${missing.join(', ')}`
      return { name: names.join(', '), isOk: true, found }
    }),
    ...Object.entries(HOSTS).map(([name, paths]) => {
      const found = paths.split(' ').filter(namesSpillway).join(', ')
      const start = isOnPath('spillway') ? '' : '; no spillway is on the path, so only npx can start it'
      return { name, isOk: true, found: found === '' ? 'not configured here' : `configured in ${found}${start}` }
    }),
  ]
  const rows = findings.map(({ name, isOk, found }) => [isOk ? 'ok' : 'FAULT', name, found])
  await (options.json === true ? printJson({ findings }) : print(formatTable(rows, true)))
  return findings.every(({ isOk }) => isOk) ? EXIT_CODE.ok : EXIT_CODE.storage
}

async function checkStore({ store }: StoreOptions): Promise<Finding> {
  const name = 'store use'
  if (isMissingFile(localPath(store)))
    return { name, isOk: true, found: 'does not exist yet: the first entry creates it' }
  try {
    const storage = await openStore(store)
    try {
      const before = performance.now()
      const reference = await storage.store('spillway_probe', randomBytes(PROBE_BYTES), 'application/octet-stream')
      await storage.retrieve(reference)
      await storage.delete(reference)
      const afterProbe = performance.now()
      let entries = 0
      for await (const _ of storage.list({ below: true })) entries += 1
      const [probe, list] = [afterProbe - before, performance.now() - afterProbe].map(Math.round)
      const listing = `listing ${countOf(entries, 'entry', 'entries')} took ${list} ms`
      return { name, isOk: true, found: `a write, read, and delete took ${probe} ms, and ${listing}` }
    } finally {
      await storage.close()
    }
  } catch (error) {
    const { code, message } = describeError(error)
    if (code === 'internal' && !StorageError.isInstance(error)) throw error
    return { name, isOk: false, found: message }
  }
}

const namesSpillway = (path: string): boolean =>
  unlessRefused(() => readFileSync(path.replace('~', homedir()), 'utf8'))?.includes('spillway') === true

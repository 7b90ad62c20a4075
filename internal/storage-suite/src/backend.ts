import type { ManagedStorage, ManagedStorageOptions, StoredInfo } from '@spillway/core'

/** Exports of a backend's module, with which a process opens the storage or reads its raw data. */
export interface BackendModule<Config> {
  /**
   * Whether it can lose an entry that is stored again while it is evicted, as the README of its package says. Then soaks do
   * not evict what others store again.
   */
  readonly losesRevived?: boolean
  /** Open one more instance over the same data, with these limits and this clock. */
  open(config: Config, options: ManagedStorageOptions): ManagedStorage | Promise<ManagedStorage>
  /**
   * List residue: stored data that no entry needs, one line for each kind. `entries` are all entries. If the method is
   * missing, residue is not checked.
   */
  residue?(config: Config, entries: readonly StoredInfo[]): Promise<readonly string[]>
}

/** A backend that other processes can open too. */
export interface Backend<Config = unknown> {
  /** The URL of a module that exports what {@link BackendModule} says. */
  readonly module: URL
  /** Argument of its functions: the location of the data. It goes to other processes as JSON. */
  readonly config: Config
}

/** Import a backend's module. Rejects with a `TypeError` if it exports no `open`. */
export async function importBackend<Config>({ module }: Backend<Config>): Promise<BackendModule<Config>> {
  const exports = (await import(module.href)) as Partial<BackendModule<Config>>
  if (typeof exports.open !== 'function') throw new TypeError(`${module.href} must export open(config, options).`)
  return exports as BackendModule<Config>
}

/** Write a backend and what else a script needs as one argument. */
export function scriptArgument(backend: Backend, task: object): string {
  return JSON.stringify({ module: backend.module.href, config: backend.config, task })
}

/** Read in a script what {@link scriptArgument} wrote, and import the backend. */
export async function readScriptArgument(): Promise<{
  readonly open: (options: ManagedStorageOptions) => Promise<ManagedStorage>
  readonly losesRevived: boolean
  readonly task: unknown
}> {
  const argument = process.argv[2] ?? ''
  const { module, config, task } = JSON.parse(argument) as { module: string; config: unknown; task: unknown }
  const backend = await importBackend({ module: new URL(module), config })
  return { open: async (options) => backend.open(config, options), losesRevived: backend.losesRevived ?? false, task }
}

import type { ManagedStorage, ManagedStorageOptions, StoredInfo } from '@spillway/core'

/** Exports of a backend's module. A process uses them to open the storage or to read its raw data. */
export interface BackendModule<Config> {
  /**
   * Whether an entry can be lost if it is stored again while it is evicted, as documented in the README of the package.
   * Soaks then do not evict entries that other processes store again.
   */
  readonly losesRevived?: boolean
  /** Open another instance with the same data, and with these limits and this clock. */
  open(config: Config, options: ManagedStorageOptions): ManagedStorage | Promise<ManagedStorage>
  /**
   * List residue, which is stored data that no entry needs: one line for each kind. `entries` are all entries. If the
   * method is missing, residue is not checked.
   */
  residue?(config: Config, entries: readonly StoredInfo[]): Promise<readonly string[]>
}

/** A backend that other processes can open, too. */
export interface Backend<Config = unknown> {
  /** The URL of a module with the exports of {@link BackendModule}. */
  readonly module: URL
  /** Argument of the module's functions: the location of the data. It is sent to other processes as JSON. */
  readonly config: Config
}

/** Import a backend's module. Rejects with a `TypeError` if it exports no `open`. */
export async function importBackend<Config>({ module }: Backend<Config>): Promise<BackendModule<Config>> {
  const exports = (await import(module.href)) as Partial<BackendModule<Config>>
  if (typeof exports.open !== 'function') throw new TypeError(`${module.href} must export open(config, options).`)
  return exports as BackendModule<Config>
}

/** Encode a backend and a task as one argument of a script. */
export function scriptArgument(backend: Backend, task: object): string {
  return JSON.stringify({ module: backend.module.href, config: backend.config, task })
}

/** In a script, decode the argument of {@link scriptArgument}, and import the backend. */
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

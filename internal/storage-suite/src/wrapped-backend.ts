import type { ManagedStorage, ManagedStorageOptions, StoredInfo } from '@spillway/core'
import { importBackend, type Backend } from './backend.ts'
import { WRAPPINGS, type WrappingName } from './wrappings.ts'

interface Config {
  readonly wrapping: WrappingName
  readonly module: string
  readonly config: unknown
}

/** Describe a backend with wrapped storages, for every process that opens one. */
export function wrappedBackend(backend: Backend, wrapping: WrappingName): Backend<Config> {
  return { module: new URL(import.meta.url), config: { wrapping, module: backend.module.href, config: backend.config } }
}

/** Open another storage of the inner backend, and wrap it. */
export async function open(config: Config, options: ManagedStorageOptions): Promise<ManagedStorage> {
  const { open } = await importBackend(below(config))
  const wrapping = WRAPPINGS.find(({ name }) => name === config.wrapping)
  if (wrapping === undefined) throw new TypeError(`There is no wrapping ${JSON.stringify(config.wrapping)}.`)
  return wrapping.wrap(await open(config.config, options))
}

/** List data that belongs to no entry of the inner backend. */
export async function residue(config: Config, entries: readonly StoredInfo[]): Promise<readonly string[]> {
  const { residue } = await importBackend(below(config))
  return (await residue?.(config.config, entries)) ?? []
}

const below = ({ module, config }: Config): Backend => ({ module: new URL(module), config })

import { compressed, encrypted } from '@spillway/core'
import type { StorageWrapping } from '@spillway/core/conformance'
import { isSoak } from './kill-soak.ts'

const KEY = 'c3BpbGx3YXkgc3BpbGx3YXkgc3BpbGx3YXkgc3BpbGw='

/** The contents of the suite are random, and would be left as they are. */
const EVERYTHING = { minBytes: 0, minSaving: 0 } as const

/** The names of {@link WRAPPINGS}. */
export type WrappingName = 'compressed' | 'encrypted' | 'compressed and encrypted'

/** What a storage can be wrapped in. */
export const WRAPPINGS: readonly (StorageWrapping & { readonly name: WrappingName })[] = [
  { name: 'compressed', wrap: (storage) => compressed(storage, EVERYTHING) },
  { name: 'encrypted', wrap: (storage) => encrypted(storage, { key: KEY }) },
  {
    name: 'compressed and encrypted',
    wrap: (storage) => compressed(encrypted(storage, { key: KEY }), EVERYTHING),
  },
]

/** The wrappings to run a suite on: all at full length, else the one that has the ways of all. */
export const testedWrappings: typeof WRAPPINGS = isSoak ? WRAPPINGS : WRAPPINGS.slice(-1)

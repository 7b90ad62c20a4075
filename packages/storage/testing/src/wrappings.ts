import { compressed, encrypted } from '@spillway/core'
import type { ConformanceOptions, StorageWrapping } from '@spillway/core/conformance'
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

/** What takes thousands of entries: a wrapper does with each of them what it does with one. */
const OF_MANY_ENTRIES = /\/beyond-one-page$|^turns\/tombstones-bounded$|^scope\/look-alikes-apart$/

/** How the suite is run on what is wrapped: in full at full length, else without the cases that are long for the backend. */
export const wrappedOptions: ConformanceOptions = isSoak
  ? { thorough: true, large: true }
  : { filter: (id) => !OF_MANY_ENTRIES.test(id) }

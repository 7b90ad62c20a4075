import { isFull } from '@spillway-internal/test-run'
import { compressed, encrypted } from '@spillway/core/wrappers'
import type { ConformanceOptions, StorageWrapping } from '@spillway/core/conformance'
import { meetsBackend, wrapperCanBreak } from './wrapper-cases.ts'

const KEY = 'c3BpbGx3YXkgc3BpbGx3YXkgc3BpbGx3YXkgc3BpbGw='

/** Options that compress all content. By default, the random content of the suite would not be compressed. */
const EVERYTHING = { minBytes: 0, minSaving: 0 } as const

/** The names of {@link WRAPPINGS}. */
export type WrappingName = 'compressed' | 'encrypted' | 'compressed and encrypted'

/** The wrappers of a storage: each alone, and both together. */
export const WRAPPINGS: readonly (StorageWrapping & { readonly name: WrappingName })[] = [
  { name: 'compressed', wrap: (storage) => compressed(storage, EVERYTHING) },
  { name: 'encrypted', wrap: (storage) => encrypted(storage, { key: KEY }) },
  {
    name: 'compressed and encrypted',
    wrap: (storage) => compressed(encrypted(storage, { key: KEY }), EVERYTHING),
  },
]

/** The wrappings to test: all in full runs, otherwise both wrappers together. */
export const testedWrappings: typeof WRAPPINGS = isFull ? WRAPPINGS : WRAPPINGS.slice(-1)

const WHOLE_SUITE: ConformanceOptions = { thorough: true, large: true }

/** Options of the suite on a wrapped backend: the whole suite in full runs, otherwise cases that wrappers can break. */
export const wrappedOptions: ConformanceOptions = isFull ? WHOLE_SUITE : { filter: wrapperCanBreak }

/**
 * Options of the suite on another wrapped backend: the whole suite in full runs, otherwise the cases in which the
 * backend gets data that only a wrapper writes.
 */
export const furtherWrappedOptions: ConformanceOptions = isFull ? WHOLE_SUITE : { filter: meetsBackend }

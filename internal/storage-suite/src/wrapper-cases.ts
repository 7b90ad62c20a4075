/**
 * Conformance cases that a wrapper, for example `compressed` or `encrypted`, can break. A wrapper between storage
 * engine and driver changes content, entry info, and names. A new case counts as one that it can break.
 */

/** Groups of cases that a wrapper cannot break, each with a reason. */
export const UNBREAKABLE: readonly { readonly reason: string; readonly cases: RegExp }[] = [
  {
    reason: 'the engine rejects the arguments, or makes the reference, before the driver is called',
    cases:
      /\/(?:only-|bad-|malformed-)|^abort\/|^reference\/(?:grammar|unknown-rejects|forged)$|^store\/(?:different-input-different-reference|equal-input-elsewhere-equal-reference)$|^key\/(?!kept-exactly$)/,
  },
  {
    reason: 'the engine counts turns and bytes in memory; cases that stay reach the driver in each way that these do',
    cases:
      /^turns\/(?!revived-by-storing$|evicts-after-exactly-n$|earlier-instance$)|^quota\/(?!evicts-least-recently-used$|holds$|earlier-instance$)/,
  },
  {
    reason: 'a wrapper does with each of many entries what it does with one',
    cases: /\/beyond-one-page$|^scope\/apart-by-(?!depth)|^concurrency\/parallel-stores/,
  },
  {
    reason: '5 MB have as many blocks and segments as it takes to cross their limits in every way',
    cases: /\/(?:round-trip-)?20-mb$/,
  },
  { reason: 'the harness belongs to the bare backend', cases: /^harness\// },
]

/** Whether a wrapper can break the promise of a case. */
export const wrapperCanBreak = (id: string): boolean => !UNBREAKABLE.some(({ cases }) => cases.test(id))

/**
 * Cases in which a backend gets data that only a wrapper writes. Wrappers write encrypted names, line indexes, and long
 * entry info, and split content into blocks that are read in parts.
 */
export const MEETS_BACKEND: readonly string[] = [
  'content/round-trip-small-content',
  'range/of-large-content',
  'key/kept-exactly',
  'stat/use-changes-nothing-else',
  'metadata/kept-exactly',
  'open/line-index',
  'range/equals-slice',
  'scope/apart-by-depth',
  'stream/many-small-chunks',
  'error/evicted',
  'corrupt/cut-content',
]

/** Whether a backend gets data that only a wrapper writes in a case. */
export const meetsBackend = (id: string): boolean => MEETS_BACKEND.includes(id)

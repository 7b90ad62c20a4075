/**
 * Measures the backends, and compares them with their raw clients and with other libraries. Prints the tables.
 *
 *   node storage/run.ts [PART...] [--quick | --full] [--only BACKEND,...] [--tag NAME] [--prices FILE] [--publish]
 *
 * `--publish` shows the results in docs/benchmarks.md.
 */
import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { useBuiltPackages } from '../built-packages.ts'
import { runReport, type Part } from '../report/run-report.ts'
import { DATA } from '../speed/lib.mjs'
import { measureCosts } from './measure-costs.ts'
import { measureGrowth } from './measure-growth.ts'
import { measureLarge } from './measure-large.ts'
import { measureRequests } from './measure-requests.ts'
import { measureThroughput } from './measure-throughput.ts'
import { KINDS } from './place.ts'
import type { RunOptions } from './run-options.ts'
import { findServices, removeBucket } from './services.ts'
import { hasKeyvSqlite, hasPeers } from './subjects/peers.ts'

const PARTS = new Map<string, Part<RunOptions>>([
  ['throughput', { title: 'Storing and retrieving', measure: measureThroughput }],
  ['growth', { title: 'With many entries', measure: measureGrowth }],
  ['large', { title: 'Large content', measure: measureLarge }],
  ['requests', { title: 'What is asked of the backend', measure: measureRequests }],
  ['costs', { title: 'What S3 costs', measure: measureCosts }],
])

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    full: { type: 'boolean' },
    only: { type: 'string' },
    tag: { type: 'string' },
    prices: { type: 'string' },
    publish: { type: 'boolean' },
  },
  allowPositionals: true,
})
mkdirSync(DATA, { recursive: true })
const only = values.only?.toLowerCase().split(',')
const wanted = KINDS.filter((kind) => only?.includes(kind.toLowerCase()) ?? true)
const { servers, missing: absent } = await findServices(wanted)
const missing = [
  ...absent,
  ...(hasPeers() ? [] : ['other libraries: benchmarks/storage/setup.sh installs them']),
  ...(!hasPeers() || hasKeyvSqlite() ? [] : ['@keyv/sqlite: WITH_SQLITE3=1 benchmarks/storage/setup.sh compiles it']),
]
const isThere = (kind: (typeof KINDS)[number]): boolean =>
  (kind !== 'Redis' || servers.redis !== undefined) &&
  (kind !== 'PostgreSQL' || servers.postgres !== undefined) &&
  (kind !== 'S3' || servers.s3 !== undefined)
const [isQuick, isFull] = [values.quick === true, values.full === true]
if (!isQuick) useBuiltPackages()
const options: RunOptions = { isQuick, isFull, kinds: wanted.filter(isThere), servers, pricesFile: values.prices }
try {
  await runReport({
    title: 'Storage',
    parts: PARTS,
    names: positionals,
    options,
    remarks: [
      ...(options.isQuick ? ['A quick run: its figures prove nothing.'] : []),
      ...(missing.length > 0 ? [`Left out: ${missing.join('; ')}.`] : []),
    ],
    // Results of a quick run are meaningless, so they are not kept.
    folder: options.isQuick ? DATA : import.meta.dirname,
    tag: values.tag,
    isPublished: values.publish === true,
  })
} finally {
  if (servers.s3 !== undefined) await removeBucket(servers.s3)
}
process.exit()
